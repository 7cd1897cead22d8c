import { afterEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { openReadyStage, openStage, type Stage } from '../stage.ts';

let stage: Stage | undefined;
afterEach(() => stage?.close());

describe('the answer about the post', () => {
  it.each([
    ['a webhook that does not exist', { WEBHOOK_TOKEN: 'unknown' }, 'its webhook does not exist (not found)'],
    ['a 404', { WEBHOOK_TOKEN: 'answers-404' }, 'its webhook does not exist (not found)'],
    ['a 400', { WEBHOOK_TOKEN: 'answers-400' }, 'its webhook rejected them (HTTP status 400)'],
    [
      'a 429',
      { WEBHOOK_TOKEN: 'answers-429' },
      'its webhook failed (HTTP status 429). I keep trying for 24 hours',
    ],
    [
      'a 500',
      { WEBHOOK_TOKEN: 'answers-500' },
      'its webhook failed (HTTP status 500). I keep trying for 24 hours',
    ],
    [
      'a 200 whose body holds an error',
      { WEBHOOK_TOKEN: 'answers-error-object' },
      'its webhook answered with an error. I keep trying for 24 hours',
    ],
    [
      'a 200 whose status is error',
      { WEBHOOK_TOKEN: 'answers-error-status' },
      'its webhook answered with an error. I keep trying for 24 hours',
    ],
    [
      'no connection',
      { WEBHOOK_URL: 'http://127.0.0.1:1' },
      'its webhook could not be reached. I keep trying for 24 hours',
    ],
  ])('%s: the tokens, and why they were not posted', async (_, settings, reason) => {
    stage = await openReadyStage(settings);
    const { texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF');
    expect(texts[0]).toContain('\nCorp_Wired_Access\n');
    expect(texts[0]?.split('\n').at(-2)).toContain(`The tokens were not posted to the room: ${reason}.`);
  });

  it.each([
    ['a 200 that is no verdict', { WEBHOOK_TOKEN: 'answers-one' }],
    ['an empty 202', { WEBHOOK_TOKEN: 'answers-accepted' }],
  ])('%s: posted', async (_, settings) => {
    stage = await openReadyStage(settings);
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0]).toContain(
      'The tokens were posted to the room.',
    );
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

describe('the legacy form', () => {
  it('is used when it is set', async () => {
    stage = await openStage({ WEBHOOK_FORM: 'legacy' });
    await stage.say('lookup AA:BB:CC:DD:EE:FF');
    expect(stage.sandbox.room.posts()).toMatchObject([{ form: 'legacy' }]);
  });

  it('is recognised from a whole pasted address', async () => {
    const first = await openStage();
    stage = first;
    const { DATA_DIR: _, ...settings } = first.sandbox.environment;
    const second = await openStage({
      ...settings,
      WEBHOOK_URL: `${first.sandbox.roomUrl}/webhook/sandbox-room`,
      WEBHOOK_TOKEN: '',
    });
    await second.say('lookup AA:BB:CC:DD:EE:FF');
    await second.close();
    expect(first.sandbox.room.posts()).toMatchObject([{ form: 'legacy' }]);
  });
});
