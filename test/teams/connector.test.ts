import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createConnector, DeliveryError } from '../../src/teams/connector.ts';
import { answer, openUpstream, serve } from '../serve.ts';

/** Replies to this address; returns the outcome, and which tokens were asked for and forgotten. */
async function reply(serviceUrl: string, names = ['127.0.0.1']) {
  const asked: string[] = [];
  const forgotten: string[] = [];
  const connector = createConnector({
    channel: openUpstream(),
    serviceHosts: { names, loopback: false },
    tokens: {
      async get() {
        asked.push('canary-token');
        return 'canary-token';
      },
      forget: (token) => void forgotten.push(token),
    },
    log: pino({ level: 'silent' }),
  });
  const activity = { type: 'message', serviceUrl, conversation: { id: 'c' }, replyToId: 'question' };
  const outcome = await connector.send(activity as never).catch((error: unknown) => error);
  return { outcome, asked, forgotten };
}

describe("the bot's own token", () => {
  it('goes to the service address with the reply', async () => {
    const carried: unknown[] = [];
    const url = await serve(({ headers }, response) => {
      carried.push(headers.authorization);
      answer(response, 200, {}, '{"id":"1"}');
    });
    expect((await reply(url)).outcome).toEqual({ id: '1' });
    expect(carried).toEqual(['Bearer canary-token']);
  });

  it.each([
    'https://canary.example/',
    'https://user:word@127.0.0.1/',
    'http://smba.trafficmanager.net/',
    'https://127.0.0.1.canary.example/',
    'ftp://127.0.0.1/',
  ])('is not even asked for when the reply would go to %s', async (serviceUrl) => {
    const { outcome, asked } = await reply(serviceUrl, ['127.0.0.1', 'smba.trafficmanager.net']);
    expect(outcome).toBeInstanceOf(DeliveryError);
    expect(outcome).toMatchObject({ reason: 403 });
    expect(asked).toEqual([]);
  });

  it.each([301, 302, 307, 308])('does not follow a %i to another server', async (status) => {
    const elsewhere: unknown[] = [];
    const other = await serve(({ headers }, response) => {
      elsewhere.push(headers.authorization);
      answer(response, 200, {}, '{}');
    });
    const url = await serve((_, response) => answer(response, status, { location: other }, ''));
    expect((await reply(url)).outcome).toMatchObject({ reason: status });
    expect(elsewhere).toEqual([]);
  });

  it('is forgotten when the channel answers 401, and for no other reason', async () => {
    for (const status of [200, 400, 403, 404, 412, 429, 500, 502, 503]) {
      const url = await serve((_, response) => answer(response, status, {}, ''));
      expect((await reply(url)).forgotten, `${status}`).toEqual([]);
    }
    const url = await serve((_, response) => answer(response, 401, {}, ''));
    expect(await reply(url)).toMatchObject({ outcome: { reason: 401 }, forgotten: ['canary-token'] });
  });
});
