import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, openStage, type Stage } from '../stage.ts';
import { buttonsOf, type Element, linesOf } from './cards.ts';

const CARD = 'application/vnd.microsoft.card.adaptive';
const FETCH = 'composeExtension/fetchTask';
const SUBMIT = 'composeExtension/submitAction';
const THREAD = { id: '19:noc@thread.tacv2;messageid=1', conversationType: 'channel', isGroup: true };

type Task = {
  task: { type: string; value: { title: string; card: { contentType: string; content: Element } } };
};

/** The invoke that Teams sends when someone chooses the command on a message's menu. */
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

const attached = (card: object) => ({ id: '1', contentType: CARD, content: JSON.stringify(card) });

function invoke(stage: Stage, name: string, value: unknown, changes: object = {}): Promise<Answer> {
  return stage.say('', { type: 'invoke', text: undefined, conversation: THREAD, name, value, ...changes });
}

/** The card of the opened window. */
function windowOf({ status, body, ms, replies }: Answer): Element {
  expect({ status, replies }).toEqual({ status: 200, replies: [] });
  expect(ms).toBeLessThan(5000); // The client's time-out.
  const { task } = body as Task;
  expect({ type: task.type, title: task.value.title }).toEqual({
    type: 'continue',
    title: 'Look up devices',
  });
  expect(task.value.card.contentType).toBe(CARD);
  return task.value.card.content;
}

describe('"Look up devices" on the menu of a message', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  it.each([
    ['in HTML', '<p>down:&nbsp;00:1B:54:00:00:03&amp;</p>'],
    ['formatted inside', '<p>down: <b>00:1B</b>:<span style="color:red">54:00</span>:00:<code>03</code></p>'],
    ['between entities', '&lt;00-1b-54-00-00-03&gt;&quot;'],
    ['under mentions', '<at id="0">NOC</at><div><div>001b.5400.0003</div></div>'],
  ])('opens a window with the answer for its address: %s', async (_, content) => {
    const [calls, posts] = [stage.sandbox.nacCalls.length, stage.sandbox.room.posts().length];
    const card = windowOf(await invoke(stage, FETCH, chosen(content)));
    expect(linesOf(card).slice(0, 3)).toEqual([
      'Rejected',
      'The authorization policy rejects the device.',
      '00:1B:54:00:00:03',
    ]);
    expect(linesOf(card).slice(-3)).toEqual([
      'Tokens',
      'Blacklist_Access-Reject',
      'The tokens were posted to the room.',
    ]);
    expect(stage.sandbox.nacCalls).toHaveLength(calls + 1);
    expect(stage.sandbox.room.posts().slice(posts)).toMatchObject([
      { text: '00:1B:54:00:00:03\nBlacklist_Access-Reject' },
    ]);
  });

  it("also reads the message's cards, because monitoring alerts are cards", async () => {
    const alert = {
      type: 'AdaptiveCard',
      body: [
        { type: 'TextBlock', text: 'Port down' },
        { type: 'FactSet', facts: [{ title: 'Device', value: '001b.5400.0003' }] },
      ],
    };
    const value = chosen('<attachment id="1"></attachment> and AA:BB:CC:DD:EE:FF', [attached(alert)]);
    const posts = stage.sandbox.room.posts().length;
    const lines = linesOf(windowOf(await invoke(stage, FETCH, value)));
    expect(lines[0]).toBe('2 devices: 1 connected, 1 rejected.');
    expect(lines).toEqual(
      expect.arrayContaining(['00:1B:54:00:00:03 rejected ›', 'AA:BB:CC:DD:EE:FF connected ›']),
    );
    expect(stage.sandbox.room.posts()).toHaveLength(posts + 1);
  });

  it("looks a device up again from the card's button, in the same window", async () => {
    const both = chosen('AA:BB:CC:DD:EE:FF 00:1B:54:00:00:03');
    const card = windowOf(await invoke(stage, FETCH, both));
    const [, one, all] = buttonsOf(card);
    const first = windowOf(await invoke(stage, SUBMIT, { ...both, data: one?.data }));
    expect(linesOf(first).slice(0, 2)).toEqual(['Connected', 'AA:BB:CC:DD:EE:FF']);
    const again = buttonsOf(first).find(({ title }) => title === 'Look up again');
    expect(linesOf(windowOf(await invoke(stage, SUBMIT, { data: again?.data })))[0]).toBe('Connected');
    const whole = windowOf(await invoke(stage, SUBMIT, { ...both, data: all?.data }));
    expect(linesOf(whole)[0]).toBe('2 devices: 1 connected, 1 rejected.');
  });

  it('posts a card to the conversation if the client opens no window', async () => {
    const { status, body } = await invoke(stage, SUBMIT, chosen('AA:BB:CC:DD:EE:FF'));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        composeExtension: {
          type: 'result',
          attachmentLayout: 'list',
          attachments: [{ contentType: CARD, content: { type: 'AdaptiveCard' } }],
        },
      },
    });
    expect(JSON.stringify(body)).toContain('"text":"Connected"');
  });

  it('asks once for a repeated invoke', async () => {
    const [calls, posts] = [stage.sandbox.nacCalls.length, stage.sandbox.room.posts().length];
    const same = { id: 'f:invoke-1' };
    const [one, twin] = await Promise.all(
      [same, same].map((changes) => invoke(stage, FETCH, chosen('AA:BB:CC:DD:EE:FF'), changes)),
    );
    expect(one?.body).toEqual(twin?.body);
    expect(stage.sandbox.nacCalls).toHaveLength(calls + 1);
    expect(stage.sandbox.room.posts()).toHaveLength(posts + 1);
  });

  it('shows the answer of a NAC that takes 3 s', async () => {
    const card = windowOf(await invoke(stage, FETCH, chosen('00:1B:54:00:00:05')));
    expect(linesOf(card)[0]).toBe('Connected');
  });

  it('says within five seconds that the NAC takes longer, and posts nothing', async () => {
    const posts = stage.sandbox.room.posts().length;
    const value = chosen('00:1B:54:00:00:07 AA:BB:CC:DD:EE:FF');
    const lines = linesOf(windowOf(await invoke(stage, FETCH, value)));
    expect(lines[0]).toBe('1 of 2 answered so far.');
    expect(lines).toContain('AA:BB:CC:DD:EE:FF connected ›');
    expect(lines.slice(-2)).toEqual([
      '00:1B:54:00:00:07: still asking',
      'The NAC has not answered for every device yet. Nothing was posted. Please look up again in a moment.',
    ]);
    expect(stage.sandbox.room.posts()).toHaveLength(posts);
  });

  it.each([
    ['no address', '<p>hello</p>', /^I see no MAC address in this message\.$/],
    ['nothing', '', /^I see no MAC address in this message\.$/],
  ])('says what is wrong with %s, and calls nothing', async (_, content, words) => {
    const calls = stage.sandbox.nacCalls.length;
    expect(linesOf(windowOf(await invoke(stage, FETCH, chosen(content)))).join('\n')).toMatch(words);
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });

  it.each([
    ['no value', undefined],
    ['null', null],
    ['a text', 'AA:BB:CC:DD:EE:FF'],
    ['an empty object', {}],
    ['a body of another shape', { messagePayload: { body: 'AA:BB:CC:DD:EE:FF' } }],
    ['data of another shape', { data: { text: 5 } }],
  ])('refuses %s with 400', async (_, value) => {
    const calls = stage.sandbox.nacCalls.length;
    for (const name of [FETCH, SUBMIT]) expect((await invoke(stage, name, value)).status).toBe(400);
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });

  it.each(['composeExtension/query', 'task/fetch', 'adaptiveCard/action', undefined])(
    'is the only invoke: %s returns 501',
    async (name) => {
      const calls = stage.sandbox.nacCalls.length;
      const { status, replies } = await invoke(stage, name as string, chosen('AA:BB:CC:DD:EE:FF'));
      expect({ status, replies }).toEqual({ status: 501, replies: [] });
      expect(stage.sandbox.nacCalls).toHaveLength(calls);
    },
  );
});

describe('"Look up devices"', () => {
  let stage: Stage;
  afterEach(() => stage.close());

  it('is only for people who may use the bot: others get a sentence, and the NAC is not asked', async () => {
    stage = await openStage({ ALLOWED_USERS: 'x' });
    for (const name of [FETCH, SUBMIT]) {
      const { status, body } = await invoke(stage, name, chosen('AA:BB:CC:DD:EE:FF'));
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          task: { type: 'message', value: expect.stringMatching(/^Sorry, I may not answer you here\./) },
        },
      });
    }
    expect(stage.sandbox.nacCalls).toEqual([]);
  });

  it('says that the tokens are on their way if the webhook is slow', async () => {
    stage = await openStage({ WEBHOOK_TOKEN: 'silent' });
    const lines = linesOf(windowOf(await invoke(stage, FETCH, chosen('AA:BB:CC:DD:EE:FF'))));
    expect(lines).toContain('Authorization: Corp_Wired_Access');
    expect(lines.at(-1)).toBe('The tokens are on their way to the room.');
  });
});
