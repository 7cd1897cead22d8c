import { text as readText } from 'node:stream/consumers';
import type { Activity } from 'botbuilder';
import { describe, expect, it, vi } from 'vitest';
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

describe('a reply', () => {
  it('goes to its question, in the turn and after it', async () => {
    const slow = Promise.withResolvers<undefined>();
    const bot = await startBot({ nac: { [DEVICE]: slow.promise }, timing: { progressMs: 50, turnMs: 200 } });
    await bot.say(DEVICE, QUESTION);
    slow.resolve(undefined);
    await bot.replied(4);
    const [inTurn, edited, later] = bot.replies;
    expect(inTurn).toMatchObject({ method: 'POST', replyToId: 'question-1', activity: ADDRESS });
    expect(edited).toMatchObject({ method: 'PUT', activity: { ...ADDRESS, id: inTurn?.id } });
    expect(later).toMatchObject({ method: 'POST', replyToId: 'question-1', activity: ADDRESS });
  });

  it('comes in the answer to a request that expects its replies', async () => {
    const bot = await startBot();
    const { body, replies } = await bot.say('help', { ...QUESTION, deliveryMode: 'expectReplies' });
    const text = expect.stringContaining('Commands');
    expect(body).toMatchObject({ activities: [{ ...ADDRESS, text }] });
    expect(replies).toEqual([]);
  });

  it('comes so to an invoke, too', async () => {
    const bot = await startBot();
    const value = { data: { text: DEVICE } };
    const invoke = { type: 'invoke', name: 'composeExtension/submitAction', value };
    const { status, body } = await bot.say(undefined, { ...invoke, deliveryMode: 'expectReplies' });
    const activities = [{ type: 'invokeResponse', value: { status: 200 } }];
    expect([status, body]).toMatchObject([200, { activities }]);
  });

  it('is counted by how the chat service takes it', async () => {
    const bot = await startBot({ settings: { OPS_PORT: await opsPort() } });
    const refused = { 301: 'refused', 308: 'refused', 400: 'refused', 412: 'refused', 429: 'throttled' };
    const gone = { 401: 'unauthorized', 403: 'gone', 404: 'gone' };
    for (const [status, label] of Object.entries({ ...refused, ...gone, 500: 'failed', 503: 'failed' })) {
      const name = `nac_lookup_bot_replies_total{outcome="${label}"}`;
      const before = (await metricsOf(bot.app))[name] ?? 0;
      bot.refuse(Number(status));
      await bot.say('help', { from: { id: status } });
      expect((await metricsOf(bot.app))[name], status).toBe(before + 1);
    }
    void bot.say('help', { serviceUrl: await closedUrl() }).catch(() => {});
    const name = 'nac_lookup_bot_replies_total{outcome="unreachable"}';
    await until(async () => expect((await metricsOf(bot.app))[name]).toBeGreaterThan(0));
  });
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

describe("a sender's tenant", () => {
  const HELP = expect.stringContaining('Commands');
  const SORRY = expect.stringContaining('Sorry, I may not answer you here.');

  it.each([
    [200, '{"id":"29:megan","tenantId":"tenant-1"}', HELP],
    [200, '{"id":"29:megan","tenantId":7}', SORRY],
    [200, 'null', SORRY],
    [404, '{"error":{"code":"MemberNotFoundInConversation"}}', SORRY],
    [403, '', SORRY],
  ])('is what the channel says of the member: %i %s', async (status, member, reply) => {
    const [paths, bodies]: [string[], string[]] = [[], []];
    const serviceUrl = await serve(async (request, response) => {
      paths.push(`${request.method} ${request.url}`);
      bodies.push(await readText(request));
      answer(response, request.method === 'GET' ? status : 200, {}, request.method === 'GET' ? member : '{}');
    });
    const bot = await startBot({ settings: { ALLOWED_TENANTS: 'tenant-1' } });
    const conversation = { id: '19:a@thread.tacv2;messageid=7', tenantId: 'tenant-1' };
    const channelData = { channel: { id: '19:a@thread.tacv2', type: 'shared' } };
    const mentioned = inThread(conversation.id);
    await bot.say('help', { serviceUrl, ...mentioned, conversation, channelData, from: { id: '29:m' } });
    expect(paths[0]).toBe('GET /v3/conversations/19%3Aa%40thread.tacv2/members/29%3Am');
    expect(bodies.slice(1)).toEqual([reply]);
  });
});
