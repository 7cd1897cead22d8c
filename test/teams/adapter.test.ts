import { text as readText } from 'node:stream/consumers';
import type { Activity } from 'botbuilder';
import { expect, it, vi } from 'vitest';
import { AtOnceAdapter } from '../../src/teams/adapter.ts';
import { inThread } from '../replies.ts';
import { answer, closedUrl, metricsOf, opsPort, serve } from '../serve.ts';
import { startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';

const DEVICE = 'AA:BB:CC:DD:EE:FF';
const QUESTION = { id: 'question-1', locale: 'de-DE', channelId: 'sms' };
const ADDRESS = {
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
  const bot = await startBot({ nac: { [DEVICE]: slow.promise }, timing: { progressMs: 50, turnMs: 200 } });
  await bot.say(DEVICE, QUESTION);
  slow.resolve(undefined);
  await bot.replied(4);
  const posted = { method: 'POST', replyToId: 'question-1', activity: ADDRESS };
  const edited = { method: 'PUT', activity: { ...ADDRESS, id: bot.replies[0]?.id } };
  expect(bot.replies.slice(0, 3)).toMatchObject([posted, edited, posted]);
});

const HELP = { ...ADDRESS, text: expect.stringContaining('Commands') };
const INVOKE = { type: 'invoke', name: 'composeExtension/submitAction', value: { data: { text: DEVICE } } };
it.each([
  ['help', {}, HELP],
  [undefined, INVOKE, { type: 'invokeResponse', value: { status: 200 } }],
])('a request that expects its replies gets them in its answer: %s', async (text, changes, activity) => {
  const bot = await startBot();
  const { body, replies } = await bot.say(text, { ...QUESTION, ...changes, deliveryMode: 'expectReplies' });
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

it('an error of a turn is not written to the console', async () => {
  const written = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
  const bot = await startBot();
  bot.refuse(404);
  expect((await bot.say('help')).status).toBe(502);
  for (const write of written) expect(write).not.toHaveBeenCalled();
});

it("the SDK's own authentication lets nobody in", async () => {
  const adapter = new AtOnceAdapter();
  const { processActivity } = adapter as unknown as { processActivity(...all: unknown[]): Promise<unknown> };
  const turn = processActivity.call(adapter, 'Bearer x', { type: 'message' } as Activity, () => {});
  await expect(turn).rejects.toThrow('checks no request');
});

it.each([
  [200, '{"id":"29:megan","tenantId":"tenant-1"}', 'Commands'],
  [200, '{"id":"29:megan","tenantId":7}', 'Sorry, I may not answer you here.'],
  [200, 'null', 'Sorry, I may not answer you here.'],
  [404, '{"error":{"code":"MemberNotFoundInConversation"}}', 'Sorry, I may not answer you here.'],
  [403, '', 'Sorry, I may not answer you here.'],
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
