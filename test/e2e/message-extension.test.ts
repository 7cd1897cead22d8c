import { expect, it } from 'vitest';
import { type Answer, stageForTest } from '../stage.ts';
import { buttonsOf, type Element, inThread, linesOf } from './cards.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';

/** A bot, and what someone does who chooses "Look up devices" on a message's menu. */
async function open() {
  const stage = await stageForTest();
  const invoke = (content: string, { name = 'fetchTask', id = 'f:1', data = {} } = {}) => {
    const messagePayload = { id: '1', messageType: 'message', body: { contentType: 'html', content } };
    const value = { commandId: 'lookUp', commandContext: 'message', messagePayload, data };
    const invoked = { type: 'invoke', text: undefined, id, value, name: `composeExtension/${name}` };
    return stage.say('', { ...inThread('19:noc@thread.tacv2;messageid=1'), ...invoked });
  };
  return { stage, invoke };
}

/** The card of the opened window. */
function windowOf({ status, body, ms, replies }: Answer): Element {
  expect({ status, replies }).toEqual({ status: 200, replies: [] });
  expect(ms).toBeLessThan(5000); // The client's time-out.
  const { task } = Object(body);
  expect(task).toMatchObject({ type: 'continue', value: { card: { contentType: CARD } } });
  return task.value.card.content;
}

it('"Look up devices" on a message opens a window with the answer, and its buttons answer in the same window', async () => {
  const { stage, invoke } = await open();
  const content = '001b.5400.0003 and AA:BB:<b>CC</b>:<span>DD</span>:EE:FF';
  const card = windowOf(await invoke(content));
  expect(linesOf(card)[0]).toBe('2 devices: 1 connected, 1 rejected.');
  expect(linesOf(card).at(-1)).toBe('The tokens were posted to the room.');
  expect(stage.posts()).toHaveLength(1);
  const [, one] = buttonsOf(card);
  const pressed = windowOf(await invoke(content, { name: 'submitAction', id: 'f:2', data: one?.data ?? {} }));
  expect(linesOf(pressed).slice(0, 2)).toEqual(['Connected', 'AA:BB:CC:DD:EE:FF']);
  expect(stage.sandbox.nacCalls).toHaveLength(3);
});

it('a repeated invoke is asked once, and a NAC that takes too long does not hold the window up', async () => {
  const { stage, invoke } = await open();
  const repeat = () => invoke('00:1B:54:00:00:07 AA:BB:CC:DD:EE:FF');
  const [one, twin] = await Promise.all([repeat(), repeat()]);
  expect(one.body).toEqual(twin.body);
  expect(linesOf(windowOf(one))[0]).toBe('1 of 2 answered so far.');
  expect([stage.sandbox.nacCalls.length, stage.posts()]).toEqual([2, []]);
});
