import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, type Stage } from './bot.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('an edit that adds the missing digits is answered once, however often it is delivered', async () => {
  const id = 'edited-1';
  const editAt = (timestamp: string) => ({
    id,
    timestamp,
    type: 'messageUpdate',
    channelData: { eventType: 'editMessage' },
  });
  expect((await stage.say('lookup 00:1B:54:00:00', { id })).texts).toEqual([
    expect.stringContaining('half an address'),
  ]);
  const first = new Date().toISOString();
  expect((await stage.say('lookup 00:1B:54:00:00:03', editAt(first))).texts).toEqual([
    expect.stringContaining('rejected.'),
  ]);
  expect((await stage.say('lookup 00:1B:54:00:00:03', editAt(first))).texts).toEqual([]);
  const second = new Date(Date.parse(first) + 1).toISOString();
  expect((await stage.say('lookup 00:1B:54:00:00:03 please', editAt(second))).texts).toEqual([]);
});

it('an edit of a message that this bot has not heard is not answered', async () => {
  const edit = { id: 'unheard-1', type: 'messageUpdate', channelData: { eventType: 'editMessage' } };
  const calls = stage.sandbox.nacCalls.length;
  expect(await stage.say('00:1B:54:00:00:03', edit)).toMatchObject({ status: 200, texts: [] });
  expect(stage.sandbox.nacCalls).toHaveLength(calls);
});
