import { afterEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { openReadyStage, openStage, type Stage } from '../stage.ts';

let stage: Stage | undefined;
afterEach(() => stage?.close());

describe('the answer about the post', () => {
  it.each([
    ['unknown', 'its webhook does not exist (not found)'],
    ['answers-error-object', 'its webhook answered with an error. I keep trying for 24 hours'],
  ])('%s: the tokens, and why they were not posted', async (WEBHOOK_TOKEN, reason) => {
    stage = await openReadyStage({ WEBHOOK_TOKEN });
    const { texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF');
    expect(texts[0]).toContain('\nCorp_Wired_Access\n');
    expect(texts[0]?.split('\n').at(-2)).toContain(`The tokens were not posted to the room: ${reason}.`);
  });

  it('a silent webhook: not posted, after its time-out', async () => {
    stage = await openReadyStage({ WEBHOOK_TOKEN: 'silent' });
    const { texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF');
    expect(texts).toEqual([
      'The NAC has answered about AA:BB:CC:DD:EE:FF; I am still posting to the room. The answer will come here.',
    ]);
    await vi.waitFor(() => expect(stage?.replies).toHaveLength(2), 5000);
    expect(stage.replies.slice(1).map(textOf)).toEqual([
      expect.stringContaining(
        'not posted to the room: its webhook did not answer within 10 s (time-out). I keep trying for 24 hours.',
      ),
    ]);
  });
});

it('the legacy form is recognised from a whole pasted address', async () => {
  const first = await openStage();
  stage = first;
  const { DATA_DIR: _, ...settings } = first.sandbox.environment;
  const WEBHOOK_URL = `${first.sandbox.roomUrl}/webhook/sandbox-room`;
  const second = await openStage({ ...settings, WEBHOOK_URL, WEBHOOK_TOKEN: '' });
  await second.say('lookup AA:BB:CC:DD:EE:FF');
  await second.close();
  expect(first.sandbox.room.posts()).toMatchObject([{ form: 'legacy' }]);
});
