import { expect, it, onTestFinished } from 'vitest';
import { type Answer, openStage } from '../stage.ts';
import { buttonsOf, type Element, inThread, linesOf } from './cards.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';

/** A bot, and what someone does who chooses "Look up devices" on a message's menu. */
async function open(settings: Record<string, string> = {}) {
  const stage = await openStage(settings);
  onTestFinished(stage.close);
  const invoke = (
    content: string,
    { name = 'fetchTask', id = 'f:1', data = {}, attachments = [] as object[] },
  ) => {
    const body = { contentType: 'html', content };
    const messagePayload = { id: '1795254026660', messageType: 'message', body, attachments };
    const value = { commandId: 'lookUp', commandContext: 'message', messagePayload, data };
    const changes = {
      ...inThread('19:noc@thread.tacv2;messageid=1'),
      type: 'invoke',
      text: undefined,
      id,
      value,
    };
    return stage.say('', { ...changes, name: `composeExtension/${name}` });
  };
  return { stage, invoke };
}

/** The card of the opened window. */
function windowOf({ status, body, ms, replies }: Answer): Element {
  expect({ status, replies }).toEqual({ status: 200, replies: [] });
  expect(ms).toBeLessThan(5000); // The client's time-out.
  const { task } = Object(body);
  const value = { title: 'Look up devices', card: { contentType: CARD } };
  expect(task).toMatchObject({ type: 'continue', value });
  return task.value.card.content;
}

it('"Look up devices" on a message opens a window with the answer, and its buttons answer in the same window', async () => {
  const { stage, invoke } = await open();
  const alert = { type: 'AdaptiveCard', body: [{ type: 'TextBlock', text: '001b.5400.0003' }] };
  const attachments = [{ id: '1', contentType: CARD, content: JSON.stringify(alert) }];
  const content = '<attachment id="1"></attachment> and AA:BB:<b>CC</b>:<span>DD</span>:EE:FF';
  const card = windowOf(await invoke(content, { attachments }));
  expect(linesOf(card)[0]).toBe('2 devices: 1 connected, 1 rejected.');
  expect(linesOf(card).at(-1)).toBe('The tokens were posted to the room.');
  expect(stage.posts()).toEqual([
    'AA:BB:CC:DD:EE:FF connected, sw-floor2-17 Gi1/0/15\nCorp_Wired_Access\nBasic_Authenticated_Access\n\n00:1B:54:00:00:03 rejected, sw-floor2-17 Gi1/0/15\nBlacklist_Access-Reject',
  ]);
  const press = async (button: Element | undefined, id: string) =>
    windowOf(await invoke(content, { name: 'submitAction', id, attachments, data: button?.data ?? {} }));
  const [, one, all] = buttonsOf(card);
  const first = await press(one, 'f:2');
  expect(linesOf(first).slice(0, 2)).toEqual(['Connected', 'AA:BB:CC:DD:EE:FF']);
  const again = buttonsOf(first).find(({ title }) => title === 'Look up again');
  expect(linesOf(await press(again, 'f:3'))[0]).toBe('Connected');
  expect(linesOf(await press(all, 'f:4'))[0]).toBe('2 devices: 1 connected, 1 rejected.');
  expect(stage.sandbox.nacCalls).toHaveLength(6);
});

it('a repeated invoke is asked once, and a NAC that takes too long does not hold the window up', async () => {
  const { stage, invoke } = await open();
  const repeat = () => invoke('00:1B:54:00:00:07 AA:BB:CC:DD:EE:FF', {});
  const [one, twin] = await Promise.all([repeat(), repeat()]);
  expect(one.body).toEqual(twin.body);
  expect(linesOf(windowOf(one))[0]).toBe('1 of 2 answered so far.');
  expect([stage.sandbox.nacCalls.length, stage.posts()]).toEqual([2, []]);
});

it('nobody is asked for people who may not use the bot, and for other invokes', async () => {
  const { stage, invoke } = await open({ ALLOWED_USERS: 'x' });
  const { status, body } = await invoke('AA:BB:CC:DD:EE:FF', {});
  const value = expect.stringMatching(/^Sorry, I may not answer you here\./);
  expect({ status, body }).toEqual({ status: 200, body: { task: { type: 'message', value } } });
  expect((await invoke('AA:BB:CC:DD:EE:FF', { name: 'other', id: 'f:2' })).status).toBe(501);
  expect(stage.sandbox.nacCalls).toEqual([]);
});
