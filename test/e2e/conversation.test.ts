import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, textOf } from '../../src/sandbox/chat.ts';
import { openStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, linesOf, pressing } from './cards.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const ADDRESS = 'AA:BB:CC:DD:EE:FF';
const TOKENS = ['Corp_Wired_Access', 'Basic_Authenticated_Access'];
const POSTED = 'The tokens were posted to the room.';

/** The one reply to a message. */
async function reply(text: string, changes: Record<string, unknown> = {}): Promise<Reply> {
  const { status, replies } = await stage.say(text, changes);
  expect({ status, replies: replies.length }).toEqual({ status: 200, replies: 1 });
  return replies[0] as Reply;
}

describe('an answer', () => {
  it.each(['msteams', 'webchat', 'directline', 'emulator'])(
    'is a card and a plain summary on %s, with the tokens literally in both',
    async (channelId) => {
      const said = await reply(`lookup ${ADDRESS}`, { channelId });
      expect(said.activity).toMatchObject({ type: 'message', from: { id: 'bot' } });
      expect(said.activity).not.toHaveProperty('text');
      expect(textOf(said).split('\n')).toEqual([
        `connected. alex, 198.51.100.23, sw-floor2-17, GigabitEthernet1/0/15, ${ADDRESS}`,
        ...TOKENS,
        POSTED,
      ]);
      const lines = linesOf(cardOf(said));
      expect(lines.slice(0, 3)).toEqual(['Connected', ADDRESS, 'User: alex']);
      expect(lines.at(-1)).toBe(POSTED);
      expect(JSON.stringify(cardOf(said))).toContain(`"text":"${TOKENS[0]}"`);
    },
  );

  it('is markdown on a channel without cards, with the tokens literally in it', async () => {
    const { activity } = await reply(`lookup ${ADDRESS}`, { channelId: 'sms' });
    expect(activity).toMatchObject({
      textFormat: 'markdown',
      text: expect.stringMatching(/^`AA:BB:CC:DD:EE:FF`: connected\. {2}\nUser: `alex` {2}\n/),
    });
    expect(String(activity.text)).toContain(
      `Tokens:  \n${TOKENS.map((token) => `\`${token}\``).join('  \n')}\n\n${POSTED}`,
    );
    expect(activity).not.toHaveProperty('attachments');
    expect(activity).not.toHaveProperty('summary');
  });

  it("shows a device's values as text in the card, never as markup", async () => {
    const card = cardOf(await reply('lookup 00:1B:54:00:00:06'));
    expect(linesOf(card)).toContain(
      'User: `**bold** [link](https://example.com) <at>everyone</at> ![:Team](1)',
    );
    const blocks = JSON.stringify(card.body?.filter(({ type }) => type === 'TextBlock'));
    expect(blocks).not.toMatch(/bold|everyone/);
  });
});

it('an answer has times in the zone of the asker', async () => {
  const { activity } = await reply(`lookup ${ADDRESS}`, { channelId: 'sms', localTimezone: 'Asia/Kolkata' });
  expect(activity.text).toMatch(/^Since: .* GMT\+5:30 \(3 hours ago\)/m);
});

describe('a button of a card', () => {
  it.each([
    ['a personal chat', {}, 'personal-chat'],
    ['a thread', inThread('19:floor2@thread.tacv2;messageid=3'), '19:floor2@thread.tacv2;messageid=3'],
  ])('is answered on the card: in %s', async (_, where, conversationId) => {
    const asked = await reply(`lookup ${ADDRESS}`, where);
    const again = buttonsOf(cardOf(asked)).find(({ title }) => title === 'Look up again');
    const press = pressing(again, asked.id);
    const answer = await reply('', { ...where, ...press, entities: [] });
    expect(answer).toMatchObject({ id: asked.id, method: 'PUT', conversationId });
    expect(linesOf(cardOf(answer)).slice(0, 2)).toEqual(['Connected', ADDRESS]);
  });

  it('with an unknown command is answered like an unknown command', async () => {
    const value = { dialog: 'no such', text: ADDRESS };
    const calls = stage.sandbox.nacCalls.length;
    const said = await reply('', { text: undefined, value, replyToId: 'card-1' });
    expect(textOf(said)).toMatch(/^I don't know that command/);
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });
});

describe('the place of the answer', () => {
  it('is the thread of the question', async () => {
    const thread = '19:floor3@thread.tacv2;messageid=42';
    expect(await reply(`lookup ${ADDRESS}`, { ...inThread(thread), id: 'q-1' })).toMatchObject({
      method: 'POST',
      conversationId: thread,
      replyToId: 'q-1',
      activity: { conversation: { id: thread }, replyToId: 'q-1' },
    });
  });

  it('is a channel only if the bot itself was mentioned', async () => {
    const calls = stage.sandbox.nacCalls.length;
    const thread = '19:floor4@thread.tacv2;messageid=1';
    const other = { type: 'mention', text: '<at>Megan</at>', mentioned: { id: 'user-2' } };
    expect((await stage.say(`lookup ${ADDRESS}`, inThread(thread, false))).texts).toEqual([]);
    expect((await stage.say(ADDRESS, { ...inThread(thread), entities: [other] })).texts).toEqual([]);
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
    const mentioned = await reply(`<at>NAC lookup</at> ${ADDRESS}`, inThread(thread));
    expect(textOf(mentioned)).toContain('connected.');
  });

  it('is a personal chat without any mention', async () => {
    const conversation = { id: 'a:megan', conversationType: 'personal', tenantId: 'sandbox-tenant' };
    const said = await reply(ADDRESS, { conversation, entities: [] });
    expect(said).toMatchObject({ conversationId: 'a:megan' });
    expect(textOf(said)).toContain('connected.');
  });
});
