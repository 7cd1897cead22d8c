import { describe, expect, it } from 'vitest';
import { welcomeMessage } from '../../../dialogs/commands/help.ts';
import { buttonsOf } from '../buttons.ts';
import { deedOf } from '../talk.ts';
import { expectWellFormed } from '../well-formed.ts';

const WELCOME = [
  'Hello! I ask the network access control system (NAC) about devices. Three things to try:',
  'Send me a MAC address, in any spelling: `lookup AA:BB:CC:DD:EE:FF`',
  'Paste some lines of a log: I find every address in them, up to 20.',
  'Type `help` for all I can do.',
];

describe('the welcome', () => {
  it.each([
    ['a personal chat', true, WELCOME],
    ['a channel, where a mention is needed', false, [...WELCOME, 'In a channel, mention me first.']],
  ])('in %s says what to try', (_, isPersonal, sentences) => {
    const message = welcomeMessage(isPersonal);
    expectWellFormed(message);
    expect(deedOf(message)).toEqual({
      kind: 'said',
      text: sentences.join('\n\n'),
      buttons: ['Try an example', 'Help', 'Status'],
    });
    expect(message.summary).toBe(sentences.join('\n').replaceAll('`', ''));
  });

  it('has buttons that send what a person could type', () => {
    expect(buttonsOf(welcomeMessage(true)).map(({ data }) => data)).toEqual([
      { dialog: 'lookup', text: 'AA:BB:CC:DD:EE:FF' },
      { dialog: 'help', text: '' },
      { dialog: 'status', text: '' },
    ]);
  });
});
