import type { Activity } from 'botbuilder';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createServiceGate } from '../../src/http.ts';
import { placeOf } from '../../src/teams/activity.ts';
import { arrivalOf, createConnector, send } from '../../src/teams/adapter.ts';
import { answer, closedUrl, openUpstream, serve } from '../serve.ts';
import { activityOf, openChat } from './handle.ts';

function stage() {
  const given: Array<Partial<Activity>> = [];
  const take = async (activity: Partial<Activity>) => ({ id: `message-${given.push({ ...activity })}` });
  return { ...openChat({ send: take, update: take }), given };
}

const question = activityOf({ locale: 'de-DE' });
const place = placeOf(question);
const ADDRESS = {
  channelId: 'msteams',
  locale: 'de-DE',
  serviceUrl: 'https://smba.trafficmanager.net/emea/',
  conversation: { id: 'chat' },
  from: { id: 'bot' },
  recipient: { id: '29:megan', aadObjectId: 'megan' },
  replyToId: 'message-1',
};
const fault = () => Promise.reject(new Error('canary'));
const TEXT = { type: 'message', text: 'here' };

afterEach(() => void vi.restoreAllMocks());

describe('what is sent', () => {
  it('in a turn and after it goes to the question, and an edit to its message', async () => {
    const { adapter, given } = stage();
    await adapter.run(question, 5, async (context) => {
      expect(await send(context, TEXT)).toEqual({ id: 'message-1' });
      expect(arrivalOf(context)).toBe(5);
    });
    const begun = Date.now();
    await adapter.speakAt(place, async (context) => {
      expect(await send(context, TEXT)).toEqual({ id: 'message-2' });
      expect(arrivalOf(context)).toBeGreaterThanOrEqual(begun);
    });
    await adapter.speakAt(place, (context) => context.updateActivity({ ...TEXT, id: 'old' }));
    const sent = { ...ADDRESS, ...TEXT };
    expect(given).toEqual([sent, sent, { ...sent, id: 'old' }]);
  });

  it('goes to the conversation where there is no activity to answer', async () => {
    const { adapter, given } = stage();
    const { activityId: _, ...reference } = place.reference;
    await adapter.speakAt({ ...place, reference }, (context) => send(context, TEXT));
    expect(given).toMatchObject([{ ...TEXT, conversation: { id: 'chat' } }]);
    expect(given[0]?.replyToId).toBeUndefined();
  });

  it('comes in the answer where the request expects its replies, of an invoke, too', async () => {
    const { adapter, given } = stage();
    const expecting = { ...question, deliveryMode: 'expectReplies' };
    const invoke = { ...expecting, type: 'invoke', name: 'composeExtension/fetchTask', value: {} };
    const said = await adapter.run(expecting, 0, async (context) => {
      expect((await send(context, TEXT))?.id).toBeUndefined();
    });
    expect(said).toEqual({ status: 200, body: { activities: [{ ...ADDRESS, ...TEXT }] } });
    const response = { type: 'invokeResponse', value: { status: 200, body: {} } };
    const invoked = await adapter.run(invoke, 0, async (context) => void (await send(context, response)));
    const activities = [{ type: 'invokeResponse', value: { status: 200 } }];
    expect(invoked).toMatchObject({ status: 200, body: { activities } });
    expect(given).toEqual([]);
  });
});

describe('a turn', () => {
  it('that fails after a turn, or in an invoke, is for who had it said; the console tells of none', async () => {
    const written = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
    const { adapter, given } = stage();
    await expect(adapter.speakAt(place, fault)).rejects.toThrow('canary');
    await expect(adapter.run({ ...question, type: 'invoke' }, 0, fault)).rejects.toThrow('canary');
    expect(given).toEqual([]);
    await adapter.run(question, 0, fault);
    for (const write of written) expect(write).not.toHaveBeenCalled();
  });
});

it("the SDK's own authentication lets nobody in", async () => {
  const adapter = stage().adapter as unknown as { processActivity(...all: unknown[]): Promise<unknown> };
  await expect(adapter.processActivity('Bearer x', question, fault)).rejects.toThrow('judges no request');
});

it.each([
  [200, '{"id":"29:megan","tenantId":"tenant-1"}', 'tenant-1'],
  [200, '{"id":"29:megan","tenantId":7}', undefined],
  [200, 'null', undefined],
  [404, '{"error":{"code":"MemberNotFoundInConversation"}}', undefined],
  [403, '', undefined],
])("a sender's tenant is what the channel says of the member: %i %s", async (status, text, tenant) => {
  const asked: unknown[] = [];
  const serviceUrl = await serve((request, response) => {
    asked.push([request.method, request.url]);
    answer(response, status, {}, text);
  });
  const conversation = { id: '19:a@thread.tacv2;messageid=7' };
  const activity = activityOf({ serviceUrl, conversation, from: { id: '29:m' } });
  expect(await openConnector().connector.senderTenant(activity)).toBe(tenant);
  const nobody = activityOf({ serviceUrl, conversation, from: undefined });
  expect(await openConnector().connector.senderTenant(nobody)).toBeUndefined();
  expect(asked).toEqual([['GET', '/v3/conversations/19%3Aa%40thread.tacv2/members/29%3Am']]);
});

function openConnector() {
  const asked: string[] = [];
  const [forgotten, told]: [string[], string[]] = [[], []];
  const connector = createConnector({
    channel: openUpstream(),
    serviceGate: createServiceGate({ names: ['127.0.0.1'], loopback: false }),
    tokens: {
      async get() {
        asked.push('canary-token');
        return 'canary-token';
      },
      forget: (token) => void forgotten.push(token),
    },
    onOutcome: (label) => told.push(label),
    log: pino({ level: 'silent' }),
  });
  return { connector, asked, forgotten, told };
}

/** Replies to this address; returns the outcome, and which tokens were asked for and forgotten. */
async function reply(serviceUrl: string) {
  const { connector, ...seen } = openConnector();
  const activity = { type: 'message', serviceUrl, conversation: { id: 'c' }, replyToId: 'question' };
  const outcome = await connector.send(activity as never).catch((error: unknown) => error);
  return { outcome, ...seen };
}

describe("the bot's own token", () => {
  it('is not even asked for when the reply may not go to its address', async () => {
    expect(await reply('https://canary.example/')).toMatchObject({
      outcome: { name: 'DeliveryError', reason: 403 },
      asked: [],
    });
  });

  it('is forgotten when the channel answers 401, and for no other reason; the outcome is told', async () => {
    const refused = { 301: 'refused', 308: 'refused', 400: 'refused', 412: 'refused', 429: 'throttled' };
    const gone = { 401: 'unauthorized', 403: 'gone', 404: 'gone' };
    const labels = { ...refused, ...gone, 500: 'failed', 502: 'failed', 503: 'failed' };
    for (const [status, label] of Object.entries(labels)) {
      const url = await serve((_, response) => answer(response, Number(status), {}, ''));
      const forgotten = label === 'unauthorized' ? ['canary-token'] : [];
      const outcome = { reason: Number(status) };
      expect(await reply(url)).toMatchObject({ outcome, forgotten, told: [label] });
    }
    expect((await reply(await closedUrl())).told).toEqual(['unreachable']);
  });
});
