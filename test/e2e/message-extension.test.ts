import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, openStage, type Stage } from '../stage.ts';
import { buttonsOf, type Element, linesOf } from './cards.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';
const FETCH = 'composeExtension/fetchTask';
const SUBMIT = 'composeExtension/submitAction';
const THREAD = { id: '19:noc@thread.tacv2;messageid=1', conversationType: 'channel', isGroup: true };

let stage: Stage;
afterEach(() => stage.close());

/** What Teams sends when someone chooses the command on a message's menu. */
const chosen = (content: string, attachments: object[] = []) => ({
  commandId: 'lookUp',
  commandContext: 'message',
  messagePayload: {
    id: '1795254026660',
    messageType: 'message',
    from: { user: { userIdentityType: 'aadUser', id: '1b540000-0000-4000-8000-00000000aabb' } },
    body: { contentType: 'html', content },
    attachments,
  },
});

function invoke(name: string, value: unknown, changes: object = {}): Promise<Answer> {
  return stage.say('', { type: 'invoke', text: undefined, conversation: THREAD, name, value, ...changes });
}

/** The card of the opened window. */
function windowOf({ status, body, ms, replies }: Answer): Element {
  expect({ status, replies }).toEqual({ status: 200, replies: [] });
  expect(ms).toBeLessThan(5000); // The client's time-out.
  const { task } = Object(body);
  expect(task).toMatchObject({
    type: 'continue',
    value: { title: 'Look up devices', card: { contentType: CARD } },
  });
  return task.value.card.content;
}

const texts = () => stage.sandbox.room.posts().map(({ text }) => text);

describe('"Look up devices" on the menu of a message', () => {
  it('opens a window with the answer for its addresses, and its buttons answer in the same window', async () => {
    stage = await openStage();
    const content = '<p>down: <b>00:1B</b>:<span>54:00</span>:00:<code>03</code></p>';
    const rejected = linesOf(windowOf(await invoke(FETCH, chosen(content))));
    expect(rejected.slice(0, 3)).toEqual([
      'Rejected',
      'The authorization policy rejects the device.',
      '00:1B:54:00:00:03',
    ]);
    expect(rejected.slice(-2)).toEqual(['Blacklist_Access-Reject', 'The tokens were posted to the room.']);
    expect(stage.sandbox.nacCalls).toHaveLength(1);
    expect(texts()).toEqual(['00:1B:54:00:00:03\nBlacklist_Access-Reject']);

    const alert = { type: 'AdaptiveCard', body: [{ type: 'TextBlock', text: '001b.5400.0003' }] };
    const attachment = { id: '1', contentType: CARD, content: JSON.stringify(alert) };
    const both = chosen('<attachment id="1"></attachment> and AA:BB:CC:DD:EE:FF', [attachment]);
    const card = windowOf(await invoke(FETCH, both));
    expect(linesOf(card)[0]).toBe('2 devices: 1 connected, 1 rejected.');
    expect(texts()).toHaveLength(2);
    const [, one, all] = buttonsOf(card);
    const first = windowOf(await invoke(SUBMIT, { ...both, data: one?.data }));
    expect(linesOf(first).slice(0, 2)).toEqual(['Connected', 'AA:BB:CC:DD:EE:FF']);
    const again = buttonsOf(first).find(({ title }) => title === 'Look up again');
    expect(linesOf(windowOf(await invoke(SUBMIT, { data: again?.data })))[0]).toBe('Connected');
    const whole = windowOf(await invoke(SUBMIT, { ...both, data: all?.data }));
    expect(linesOf(whole)[0]).toBe('2 devices: 1 connected, 1 rejected.');
  });

  it('asks once for a repeated invoke', async () => {
    stage = await openStage();
    const repeat = () => invoke(FETCH, chosen('AA:BB:CC:DD:EE:FF'), { id: 'f:invoke-1' });
    const [one, twin] = await Promise.all([repeat(), repeat()]);
    expect(one?.body).toEqual(twin?.body);
    expect([stage.sandbox.nacCalls.length, texts().length]).toEqual([1, 1]);
  });

  it('shows within five seconds a NAC that takes 3 s, and says what takes longer', async () => {
    stage = await openStage();
    const slow = windowOf(await invoke(FETCH, chosen('00:1B:54:00:00:05')));
    expect(linesOf(slow)[0]).toBe('Connected');
    const late = linesOf(windowOf(await invoke(FETCH, chosen('00:1B:54:00:00:07 AA:BB:CC:DD:EE:FF'))));
    expect(late[0]).toBe('1 of 2 answered so far.');
    expect(late.at(-2)).toBe('00:1B:54:00:00:07: still asking');
    expect(texts()).toHaveLength(1);
  });

  it('asks nobody for people who may not use the bot, and for other invokes', async () => {
    stage = await openStage({ ALLOWED_USERS: 'x' });
    const { status, body } = await invoke(FETCH, chosen('AA:BB:CC:DD:EE:FF'));
    const value = expect.stringMatching(/^Sorry, I may not answer you here\./);
    expect({ status, body }).toEqual({ status: 200, body: { task: { type: 'message', value } } });
    expect((await invoke('task/fetch', chosen('AA:BB:CC:DD:EE:FF'))).status).toBe(501);
    expect(stage.sandbox.nacCalls).toEqual([]);
  });
});
