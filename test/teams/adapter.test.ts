import type { Activity } from 'botbuilder';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Adapter } from '../../src/teams/adapter.ts';
import { FrameworkAuthentication } from '../../src/teams/framework-authentication.ts';
import { Handler } from '../../src/teams/handler.ts';
import { DeliveryError } from '../../src/teams/replies/connector.ts';
import { arrivalOf, send } from '../../src/teams/replies/context.ts';
import { placeOf } from '../../src/teams/replies/place.ts';
import { createFaultTeller } from '../../src/teams/tell-fault.ts';
import { activityOf } from './handle.ts';

/** An adapter whose connector remembers what it was given, as operation, path and activity. */
function stage() {
  const given: Array<[operation: string, path: string[], activity: Partial<Activity>]> = [];
  const conversations = {
    async sendToConversation(id: string, activity: Partial<Activity>) {
      given.push(['send', [id], activity]);
      return { id: 'new' };
    },
    async replyToActivity(id: string, to: string, activity: Partial<Activity>) {
      given.push(['reply', [id, to], activity]);
      return { id: 'new' };
    },
    async updateActivity(id: string, of: string, activity: Partial<Activity>) {
      given.push(['update', [id, of], activity]);
      return { id: of };
    },
  };
  const adapter = new Adapter({ conversations }, Date.now);
  adapter.onTurnError = createFaultTeller(pino({ level: 'silent' }));
  return { adapter, given };
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
const TEXT = { type: 'message', text: 'here' };

afterEach(() => void vi.restoreAllMocks());

describe('what is sent', () => {
  it('in a turn and after it goes to the question, and an edit to its message', async () => {
    const { adapter, given } = stage();
    await adapter.run(question, 0, async (context) => {
      expect(await send(context, TEXT)).toEqual({ id: 'new' });
    });
    expect(await adapter.speakAt(place, (context) => send(context, TEXT))).toEqual({ id: 'new' });
    await adapter.speakAt(place, (context) => context.updateActivity({ ...TEXT, id: 'old' }));
    expect(given).toEqual([
      ['reply', ['chat', 'message-1'], { ...ADDRESS, ...TEXT }],
      ['reply', ['chat', 'message-1'], { ...ADDRESS, ...TEXT }],
      ['update', ['chat', 'old'], { ...ADDRESS, ...TEXT, id: 'old' }],
    ]);
  });

  it('goes to the conversation where there is no activity to answer', async () => {
    const { adapter, given } = stage();
    const { activityId: _, ...reference } = place.reference;
    await adapter.speakAt({ ...place, reference }, (context) => send(context, TEXT));
    expect(given).toMatchObject([['send', ['chat'], TEXT]]);
  });

  it('comes in the answer where the request expects its replies, of an invoke, too', async () => {
    const { adapter, given } = stage();
    const nothing = async () => {};
    const onExtension = async () => ({});
    const handler = new Handler({
      onMessage: nothing,
      onInstalled: nothing,
      onRemoved: nothing,
      onExtension,
    });
    const expecting = { ...question, deliveryMode: 'expectReplies' };
    const invoke = { ...expecting, type: 'invoke', name: 'composeExtension/fetchTask', value: {} };
    expect(
      await adapter.run(expecting, 0, async (context) => {
        expect((await send(context, TEXT))?.id).toBeUndefined();
      }),
    ).toEqual({ status: 200, body: { activities: [{ ...ADDRESS, ...TEXT }] } });
    expect(await adapter.run(invoke, 0, (context) => handler.run(context))).toMatchObject({
      status: 200,
      body: { activities: [{ type: 'invokeResponse', value: { status: 200, body: {} } }] },
    });
    expect(given).toEqual([]);
  });
});

describe('a turn', () => {
  it('knows when its activity arrived, and speaking when it began', async () => {
    const { adapter } = stage();
    await adapter.run(question, 5, async (context) => expect(arrivalOf(context)).toBe(5));
    const begun = Date.now();
    expect(await adapter.speakAt(place, async (context) => arrivalOf(context))).toBeGreaterThanOrEqual(begun);
  });

  it('that fails tells the person, but what failed after a turn is for who had it said', async () => {
    const { adapter, given } = stage();
    const fault = () => Promise.reject(new Error('canary'));
    expect(await adapter.run(question, 0, fault)).toBeUndefined();
    expect(given).toMatchObject([
      ['reply', ['chat', 'message-1'], { text: expect.stringMatching(/number/) }],
    ]);
    await expect(adapter.speakAt(place, fault)).rejects.toThrow('canary');
    expect(given).toHaveLength(1);
  });

  it('is not acknowledged where the channel took no reply, or an invoke failed', async () => {
    const { adapter, given } = stage();
    const invoke = { ...question, type: 'invoke' };
    await expect(adapter.run(question, 0, () => Promise.reject(new DeliveryError(500)))).rejects.toThrow();
    await expect(adapter.run(invoke, 0, () => Promise.reject(new Error('canary')))).rejects.toThrow('canary');
    expect(given).toEqual([]);
  });

  it('writes nothing to the console', async () => {
    const written = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
    const { adapter } = stage();
    await adapter.run(question, 0, () => Promise.reject(new Error('canary')));
    await adapter.speakAt(place, () => Promise.reject(new Error('canary'))).catch(() => {});
    for (const write of written) expect(write).not.toHaveBeenCalled();
  });
});

describe("the SDK's own authentication", () => {
  it('lets nobody in, and signs nobody in', async () => {
    const authentication = new FrameworkAuthentication({
      conversations: { sendToConversation: vi.fn(), replyToActivity: vi.fn(), updateActivity: vi.fn() },
    });
    await expect(authentication.authenticateRequest()).rejects.toThrow();
    await expect(authentication.authenticateStreamingRequest()).rejects.toThrow();
    const users = await authentication.createUserTokenClient();
    await expect(users.getUserToken('user', 'connection', 'msteams', '')).rejects.toThrow();
    expect(authentication.verdict.claimsIdentity.isAuthenticated).toBe(false);
  });
});
