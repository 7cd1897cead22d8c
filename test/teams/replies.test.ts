import { text as readText } from 'node:stream/consumers';
import type { Activity } from 'botbuilder';
import { expect, it, vi } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { RESPONSES } from '../../src/teams/response.ts';
import { inThread, TEXT, transcriptOf } from '../replies.ts';
import { answer, closedUrl, metricsOf, opsPort, serve } from '../serve.ts';
import { type Bot, NO_DATABASE, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';

const DEVICE = '00:1B:54:00:00:07';
const QUESTION = { id: 'question-1' };
const CARD = { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } };
const HELP = expect.stringContaining('I ask the network access control system (NAC) about devices.');
const SHOWN = { type: 'message', attachments: [CARD], summary: HELP };
const SENT = { method: 'POST', conversationId: 'personal-chat', replyToId: 'question-1', activity: SHOWN };
const LATER = { status: 429, retryAfter: '30' };
const SLOW = { timing: { progressMs: 50, turnMs: 200 } };

const refusedAll = (bot: Bot) => until(() => expect(bot).toMatchObject({ chat: { refusals: [] } }));

const TOKENS = Array.from({ length: 2000 }, (_, index) => `Token_number_${index}:`).join('');
const LONG = { [DEVICE]: sessionXml({ response: TOKENS }) };

const GERMAN = { id: 'question-1', locale: 'de-DE', channelId: 'sms' };
const ADDRESSED = {
  channelId: 'sms',
  locale: 'de-DE',
  conversation: { id: 'personal-chat' },
  from: { id: 'bot' },
  recipient: { id: 'user-1', aadObjectId: '00000000-0000-0000-0000-000000000001' },
  replyToId: 'question-1',
  type: 'message',
};

it('a reply goes to its question, in the turn and after it', async () => {
  const slow = Promise.withResolvers<undefined>();
  const bot = await startBot({ nac: { [DEVICE]: slow.promise }, ...SLOW });
  await bot.say(DEVICE, GERMAN);
  slow.resolve(undefined);
  await bot.replied(4);
  const posted = { method: 'POST', replyToId: 'question-1', activity: ADDRESSED };
  const edited = { method: 'PUT', activity: { ...ADDRESSED, id: bot.replies[0]?.id } };
  expect(bot.replies.slice(0, 3)).toMatchObject([posted, edited, posted]);
});

const INVOKE = { type: 'invoke', name: 'composeExtension/submitAction', value: { data: { text: DEVICE } } };
it.each([
  ['help', {}, { ...ADDRESSED, text: expect.stringContaining('Commands') }],
  [undefined, INVOKE, { type: 'invokeResponse', value: { status: 200 } }],
])('a request that expects its replies gets them in its answer: %s', async (text, changes, activity) => {
  const bot = await startBot();
  const { body, replies } = await bot.say(text, { ...GERMAN, ...changes, deliveryMode: 'expectReplies' });
  expect(body).toMatchObject({ activities: [activity] });
  expect(replies).toEqual([]);
});

it('a reply is counted by how the chat service takes it', async () => {
  const bot = await startBot({ settings: { OPS_PORT: await opsPort() } });
  const count = async (outcome: string) =>
    (await metricsOf(bot.app))[`nac_lookup_bot_replies_total{outcome="${outcome}"}`] ?? 0;
  const refused = { 301: 'refused', 308: 'refused', 400: 'refused', 412: 'refused', 429: 'throttled' };
  const gone = { 401: 'unauthorized', 403: 'gone', 404: 'gone', 500: 'failed', 503: 'failed' };
  for (const [status, outcome] of Object.entries({ ...refused, ...gone })) {
    const before = await count(outcome);
    bot.refuse(Number(status));
    await bot.say('help', { from: { id: status } });
    expect(await count(outcome), status).toBe(before + 1);
  }
  void bot.say('help', { serviceUrl: await closedUrl() }).catch(() => {});
  await until(async () => expect(await count('unreachable')).toBeGreaterThan(0));
});

it("the SDK's own authentication lets nobody in", async () => {
  const { processActivity } = RESPONSES as unknown as {
    processActivity(...all: unknown[]): Promise<unknown>;
  };
  const turn = processActivity.call(RESPONSES, 'Bearer x', { type: 'message' } as Activity, () => {});
  await expect(turn).rejects.toThrow('checks no request');
});

it.each([
  [200, '{"id":"29:megan","tenantId":"tenant-1"}', 'Commands'],
  [200, '{"id":"29:megan","tenantId":7}', 'Sorry, I may not answer you here.'],
  [200, 'null', 'Sorry, I may not answer you here.'],
  [404, '{"error":{"code":"MemberNotFoundInConversation"}}', 'Sorry, I may not answer you here.'],
])("a sender's tenant is what the channel says of the member: %i %s", async (status, member, reply) => {
  const calls: string[] = [];
  const serviceUrl = await serve(async (request, response) => {
    const isRead = request.method === 'GET';
    calls.push(isRead ? `${request.url}` : await readText(request));
    answer(response, isRead ? status : 200, {}, isRead ? member : '{}');
  });
  const bot = await startBot({ settings: { ALLOWED_TENANTS: 'tenant-1' } });
  const conversation = { id: '19:a@thread.tacv2;messageid=7', tenantId: 'tenant-1' };
  const channelData = { channel: { id: '19:a@thread.tacv2', type: 'shared' } };
  const mentioned = inThread(conversation.id);
  await bot.say('help', { serviceUrl, ...mentioned, conversation, channelData, from: { id: '29:m' } });
  const path = '/v3/conversations/19%3Aa%40thread.tacv2/members/29%3Am';
  expect(calls).toEqual([path, expect.stringContaining(reply)]);
});

it('a reply is sent again while the channel refuses it for now', async () => {
  const bot = await startBot();
  bot.refuse(429, 412);
  await bot.say('help', QUESTION);
  expect(bot.replies).toMatchObject([SENT]);
});

it('a reply that can be neither sent nor stored is an error', async () => {
  const written = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
  const bot = await startBot(NO_DATABASE);
  bot.refuse(400);
  expect((await bot.say('help')).status).toBe(502);
  for (const write of written) expect(write).not.toHaveBeenCalled();
});

it.each([403, 404])('a reply to a conversation that is gone (%i) fails its turn alone', async (status) => {
  const slow = Promise.withResolvers<undefined>();
  const bot = await startBot({ nac: { [DEVICE]: slow.promise }, ...SLOW });
  bot.refuse(status);
  expect((await bot.say('help')).status).toBe(502);
  await bot.say(DEVICE);
  bot.refuse(status, status);
  slow.resolve(undefined);
  await until(() => expect(bot.logged('a reply or an edit has no place to go to any more')).toHaveLength(1));
  expect(bot.replies).toHaveLength(2);
});

it('a reply that is long goes in pieces, of which a refused one is stored', async () => {
  const bot = await startBot({ nac: LONG });
  bot.refuse(400);
  expect((await bot.say(DEVICE, TEXT)).texts).toHaveLength(1);
  await bot.clock.skip(10_000);
  const pieces = await bot.replied(2);
  expect(pieces.map((piece) => piece.includes('connected.'))).toEqual([false, true]);
  expect(pieces.every((piece) => piece.length <= 28_000)).toBe(true);
});

it('a stored reply is sent with its card, as late as the channel asks', async () => {
  const bot = await startBot();
  bot.refuse(LATER, { status: 429, retryAfter: '400' });
  expect(await bot.say('help', QUESTION)).toMatchObject({ status: 200, replies: [] });
  await bot.clock.skip(30_000);
  await refusedAll(bot);
  expect(await bot.ask('status')).toContain('Answers: 1 waiting, 0 given up.');
  await bot.clock.skip(400_000);
  await bot.replied(2);
  expect(bot.replies[1]).toMatchObject(SENT);
});

it('a stored reply is given up after a day, with a post to the room', async () => {
  const bot = await startBot();
  bot.refuse(LATER, 500);
  await bot.say('help');
  await bot.clock.skip(24 * 3_600_000);
  await until(() => expect(bot.posts()).toHaveLength(1));
  expect(bot.posts()[0]).toMatch(/^I gave up the delivery of an answer: 500\. Its asker may ask again\./);
  expect(await bot.ask('status')).toContain('Answers: 0 waiting, 1 given up.');
});

it('a stored reply is forgotten when its conversation is gone', async () => {
  const bot = await startBot();
  bot.refuse(LATER, 404);
  await bot.say('help');
  await bot.clock.skip(30_000);
  await until(() => expect(bot.logged('a reply or an edit has no place to go to any more')).toHaveLength(1));
  expect(await bot.ask('status')).not.toContain('Answers');
});

it('a stored card that the channel refuses is sent as its text', async () => {
  const slow = Promise.withResolvers<undefined>();
  const bot = await startBot({ nac: { [DEVICE]: slow.promise }, ...SLOW });
  await bot.say(DEVICE, { ...QUESTION, ...inThread('19:noc;messageid=1') });
  bot.refuse(405, 400, 413);
  slow.resolve(undefined);
  await refusedAll(bot);
  await bot.clock.skip(10_000);
  await until(() => expect(bot.replies.at(-1)?.activity).not.toHaveProperty('attachments'));
  const text = expect.stringMatching(/^<at>Alex<\/at> .*no session/s);
  expect(bot.replies.at(-1)).toMatchObject({ method: 'POST', activity: { text } });
});

it('a refused private reply becomes one sentence for everyone', async () => {
  const bot = await startBot({ nac: LONG });
  bot.refuse(403);
  const recipient = { id: 'bot', isTargeted: true };
  await bot.say(`lookup ${DEVICE}`, { ...QUESTION, ...inThread('19:noc', false), recipient, ...TEXT });
  const text = 'I cannot answer one person alone in this conversation. Please ask me in a personal chat.';
  const open = { method: 'POST', replyToId: 'question-1', isTargeted: false, activity: { text } };
  expect(bot.replies).toMatchObject([open]);
  expect(bot.replies[0]?.activity).not.toHaveProperty('entities');
});

it('a long replacement puts its first piece there and sends the others', async () => {
  const bot = await startBot({ nac: LONG });
  await bot.say('00:1B:54:00:00:01', TEXT);
  const { replies } = await bot.edit(DEVICE);
  expect(transcriptOf(replies)).toEqual([
    expect.stringMatching(/^PUT `00:1B:54:00:00:07`: connected/),
    expect.stringMatching(/^POST /),
  ]);
});
