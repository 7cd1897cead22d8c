import { describe, expect, it } from 'vitest';
import { readWatchRequest } from '../../dialogs/speech.ts';

const DEVICE = '00:1B:54:00:00:03';

describe('a sentence asks for a watch', () => {
  it.each([
    `tell me when ${DEVICE} connects`,
    `Tell me when ${DEVICE} is back.`,
    `please tell us once ${DEVICE} comes online`,
    `hey, can you let me know when ${DEVICE} reconnects?`,
    `let me know as soon as ${DEVICE} is back online`,
    `Could you please ping me whenever ${DEVICE} shows up`,
    `notify me if ${DEVICE} connects again`,
    `let me know the moment ${DEVICE} appears on the network`,
    `message us when 001b.5400.0003 gets an address`,
    'tell me when it connects',
    `alert me when these are back:\n${DEVICE}\n00:1B:54:00:00:04`,
    `when ${DEVICE} is back, let me know`,
    `As soon as ${DEVICE} connects tell me, please!`,
    `give me a shout when ${DEVICE} appears`,
    `I want to know when ${DEVICE} connects`,
  ])('%j', (text) => {
    expect(readWatchRequest(text)).toBe('connects');
  });

  it.each([
    `tell me when ${DEVICE} disconnects`,
    `let me know when ${DEVICE} goes offline`,
    `ping me once ${DEVICE} is gone`,
    `tell me when ${DEVICE} drops off the network`,
    `let me know when ${DEVICE} is quarantined`,
  ])('for another change: %j', (text) => {
    expect(readWatchRequest(text)).toBe('changes');
  });
});

it.each([
  `tell me when ${DEVICE} was last seen`,
  `tell me when ${DEVICE} last connected`,
  `let me know when ${DEVICE} had a session`,
  `tell me if ${DEVICE} is connected`,
  `tell me about ${DEVICE}`,
  `when did ${DEVICE} connect?`,
  `when is ${DEVICE} online?`,
  `lookup ${DEVICE}`,
  `${DEVICE} connects, tell me why`,
  'I told them when it connects',
  'call me when you are free',
  `it kicks me out when ${DEVICE} connects`,
  '',
])('%j asks for no watch', (text) => {
  expect(readWatchRequest(text)).toBeUndefined();
});

it('a long text is read in linear time', () => {
  const begun = performance.now();
  for (const part of ['please ', 'tell me when ', 'when x ', '\n', 'can you, '])
    readWatchRequest(part.repeat(32_768 / part.length));
  expect(performance.now() - begun).toBeLessThan(100);
});
