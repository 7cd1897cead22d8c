import type { Activity } from 'botbuilder';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { placeOf } from '../../src/teams/activity.ts';
import { type Adapter, arrivalOf, send } from '../../src/teams/adapter.ts';
import { DeliveryError } from '../../src/teams/connector.ts';
import { createChat } from '../../src/teams.ts';
import { activityOf } from './handle.ts';

/** An adapter whose connector remembers what it was given. */
function stage() {
  const given: Array<[operation: string, activity: Partial<Activity>]> = [];
  const connector = {
    async send(activity: Partial<Activity>) {
      given.push(['send', { ...activity }]);
      return { id: 'new' };
    },
    async update(activity: Partial<Activity>) {
      given.push(['update', activity]);
      return { id: String(activity.id) };
    },
  };
  const { adapter } = createChat({
    connector,
    queue: { put: () => Promise.reject(new Error('no database here')) },
    now: Date.now,
    isAway: () => false,
    logFault: () => {},
    log: pino({ level: 'silent' }),
  });
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
const fault = () => Promise.reject(new Error('canary'));
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
      ['send', { ...ADDRESS, ...TEXT }],
      ['send', { ...ADDRESS, ...TEXT }],
      ['update', { ...ADDRESS, ...TEXT, id: 'old' }],
    ]);
  });

  it('goes to the conversation where there is no activity to answer', async () => {
    const { adapter, given } = stage();
    const { activityId: _, ...reference } = place.reference;
    await adapter.speakAt({ ...place, reference }, (context) => send(context, TEXT));
    expect(given).toMatchObject([['send', { ...TEXT, conversation: { id: 'chat' } }]]);
    expect(given[0]?.[1].replyToId).toBeUndefined();
  });

  it('comes in the answer where the request expects its replies, of an invoke, too', async () => {
    const { adapter, given } = stage();
    const expecting = { ...question, deliveryMode: 'expectReplies' };
    const invoke = { ...expecting, type: 'invoke', name: 'composeExtension/fetchTask', value: {} };
    expect(
      await adapter.run(expecting, 0, async (context) => {
        expect((await send(context, TEXT))?.id).toBeUndefined();
      }),
    ).toEqual({ status: 200, body: { activities: [{ ...ADDRESS, ...TEXT }] } });
    expect(
      await adapter.run(invoke, 0, async (context) => {
        await send(context, { type: 'invokeResponse', value: { status: 200, body: {} } });
      }),
    ).toMatchObject({
      status: 200,
      body: { activities: [{ type: 'invokeResponse', value: { status: 200 } }] },
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

  it.each([
    ['after a turn', 'canary', (adapter: Adapter) => adapter.speakAt(place, fault)],
    ['in an invoke', 'canary', (adapter: Adapter) => adapter.run({ ...question, type: 'invoke' }, 0, fault)],
    [
      'to a channel that took no reply',
      'the channel did not take the reply',
      (adapter: Adapter) => adapter.run(question, 0, () => Promise.reject(new DeliveryError(500))),
    ],
  ])('that fails %s is for who had it said', async (_, words, speak) => {
    const { adapter, given } = stage();
    await expect(speak(adapter)).rejects.toThrow(words);
    expect(given).toEqual([]);
  });

  it('writes nothing to the console', async () => {
    const written = (['error', 'warn', 'log'] as const).map((name) => vi.spyOn(console, name));
    const { adapter } = stage();
    await adapter.run(question, 0, fault);
    await adapter.speakAt(place, fault).catch(() => {});
    for (const write of written) expect(write).not.toHaveBeenCalled();
  });
});

describe("the SDK's own authentication", () => {
  it('lets nobody in', async () => {
    const { adapter } = stage();
    const unjudged = adapter as unknown as {
      processActivity(header: string, ...rest: unknown[]): Promise<unknown>;
    };
    await expect(unjudged.processActivity('Bearer x', question, async () => {})).rejects.toThrow(
      'judges no request',
    );
  });
});
