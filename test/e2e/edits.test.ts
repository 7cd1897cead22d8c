import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { shownIn, textOf } from '../../src/sandbox/chat.ts';
import { FAST, openReadyStage, type Stage } from '../stage.ts';

let stage: Stage;
beforeAll(async () => {
  // The slow device answers long after its turn, so that the edit comes first on a busy machine, too.
  stage = await openReadyStage({}, { ...FAST, timing: { ...FAST.timing, turnMs: 800 } });
});
afterAll(() => stage.close());

const EDIT = { type: 'messageUpdate', channelData: { eventType: 'editMessage' } };

it('an edit that adds the missing digits is answered once, in the place of the earlier answer', async () => {
  const id = 'edited-1';
  const editAt = (timestamp: string) => ({ ...EDIT, id, timestamp });
  expect(await stage.say('00:1B:54:00:00:03', { ...EDIT, id: 'unheard' })).toMatchObject({ texts: [] });
  const half = await stage.say('lookup 00:1B:54:00:00', { id });
  expect(half.texts).toEqual([expect.stringContaining('half an address')]);
  const first = new Date().toISOString();
  const whole = await stage.say('lookup 00:1B:54:00:00:03', editAt(first));
  expect(whole.replies).toMatchObject([{ id: half.replies[0]?.id, method: 'PUT' }]);
  expect(whole.texts).toEqual([expect.stringContaining('rejected.')]);
  expect((await stage.say('lookup 00:1B:54:00:00:03', editAt(first))).texts).toEqual([]);
  const second = new Date(Date.parse(first) + 1).toISOString();
  expect((await stage.say('lookup 00:1B:54:00:00:03 please', editAt(second))).texts).toEqual([]);
});

it('an edit of a message that has become a job replaces what stands there, and the job stays silent', {
  timeout: 60_000,
}, async () => {
  const id = 'edited-2';
  const before = [stage.replies.length, stage.sandbox.room.posts().length] as const;
  const asked = await stage.say('lookup 00:1B:54:00:00:07', { id });
  const edited = await stage.say('lookup AA:BB:CC:DD:EE:FF', { ...EDIT, id });
  expect(edited.replies).toMatchObject([{ id: asked.replies[0]?.id, method: 'PUT' }]);
  await vi.waitFor(() => expect(stage.sandbox.room.posts()).toHaveLength(before[1] + 2), 20_000);
  await vi.waitFor(async () => expect((await stage.say('recent')).texts[0]).toContain('00:1B:54:00:00:07'), {
    timeout: 10_000,
    interval: 500,
  });
  expect((await stage.say('status')).texts[0]).not.toContain('Lookups: ');
  const shown = shownIn(stage.replies.slice(before[0])).filter(({ id }) => id === asked.replies[0]?.id);
  expect(shown.map(textOf)).toEqual([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
});
