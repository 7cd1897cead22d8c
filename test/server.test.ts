import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Secret } from '../src/domain/secret.ts';
import { ACTIVITY, openBotServer } from './server/bot-server.ts';

describe('POST /api/messages', () => {
  it('hands the activity to the bot and answers 200 without a body', async () => {
    const { post, activities } = await openBotServer();
    expect(await post({ ...ACTIVITY, text: 'lookup' })).toMatchObject({ status: 200, body: '' });
    expect(activities).toMatchObject([{ ...ACTIVITY, text: 'lookup' }]);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    ' application/json ;x=y',
  ])('accepts the content type %j', async (type) => {
    const { post } = await openBotServer();
    expect((await post(ACTIVITY, { 'content-type': type })).status).toBe(200);
  });

  it('answers only after the turn has ended', async () => {
    const begun = Promise.withResolvers<void>();
    const turn = Promise.withResolvers<{ status: number }>();
    const { post, url } = await openBotServer({
      answer() {
        begun.resolve();
        return turn.promise;
      },
    });
    let isAnswered = false;
    const answered = post(ACTIVITY).finally(() => {
      isAnswered = true;
    });
    await begun.promise;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(isAnswered).toBe(false);
    turn.resolve({ status: 200 });
    expect((await answered).status).toBe(200);
  });

  it("answers an invoke with its turn's status and body", async () => {
    const { post } = await openBotServer({
      answer: async () => ({ status: 412, body: { statusCode: 412 } }),
    });
    const { status, body } = await post({ ...ACTIVITY, type: 'invoke' });
    expect([status, JSON.parse(body)]).toEqual([412, { statusCode: 412 }]);
  });

  it.each([
    ['a bug', 500, () => new Error('canary')],
    ['a thrown string', 500, () => 'canary'],
    [
      'an error that calls itself a success',
      500,
      () => Object.assign(new Error('canary'), { statusCode: 200, status: 200 }),
    ],
  ])('answers %s with %i, without the error message', async (_, status, fault) => {
    const { post, ask } = await openBotServer({ answer: () => Promise.reject(fault()) });
    const answered = await post(ACTIVITY);
    expect(answered.status).toBe(status);
    expect(JSON.stringify(answered)).not.toContain('canary');
    expect((await ask({ path: '/healthz' })).status).toBe(200);
  });

  it('does not refuse an activity for optional fields of another shape', async () => {
    const { post, activities } = await openBotServer();
    const odd = {
      text: {},
      locale: [],
      from: [],
      recipient: 'bot',
      entities: 5,
      channelData: 'x',
      attachments: 7,
      timestamp: false,
      value: null,
      replyToId: {},
    };
    expect((await post({ ...ACTIVITY, ...odd })).status).toBe(200);
    for (const [name, value] of Object.entries(odd))
      expect((await post({ ...ACTIVITY, [name]: value })).status).toBe(200);
    for (const entities of [
      [null],
      [5, 'x', []],
      [{ type: 'mention' }],
      [{ type: 'mention', text: 'x', mentioned: null }],
    ])
      expect((await post({ ...ACTIVITY, entities })).status).toBe(200);
    for (const from of [{ id: 5 }, { id: 'u', name: 7, aadObjectId: [] }, null, 'u'])
      expect((await post({ ...ACTIVITY, from, conversation: { id: 'c', tenantId: 5 } })).status).toBe(200);
    expect(activities).toHaveLength(19);
    expect(activities[0]).toMatchObject(ACTIVITY);
    expect(activities[0]?.text).toBeUndefined();
    expect(activities[0]?.from).toBeUndefined();
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])(
    'is the only method on this path: %s returns 405',
    async (method) => {
      const { ask, post, activities } = await openBotServer();
      const { status, headers } = await ask({ method, path: '/api/messages' });
      expect([status, headers.allow]).toEqual([405, 'POST']);
      expect(activities).toEqual([]);
      expect((await post(ACTIVITY)).status).toBe(200);
    },
  );
});

describe('GET /healthz', () => {
  it('is 200 while the process lives, ready or not', async () => {
    const { ask, health } = await openBotServer();
    health.stopping();
    health.note('nac', 'failing');
    const { status, body } = await ask({ path: '/healthz' });
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'ok' }]);
  });
});

describe('GET /readyz', () => {
  it('is 200 with the parts, in any state of the upstreams', async () => {
    const { ask, health } = await openBotServer();
    health.note('nac', 'failing');
    health.note('webhook', 'ok');
    const { status, body } = await ask({ path: '/readyz' });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      status: 'ready',
      parts: { database: expect.any(String), nac: 'failing', webhook: 'ok', chat: 'not asked yet' },
    });
  });

  it('is 503 once the bot is stopping', async () => {
    const { ask, health } = await openBotServer();
    health.stopping();
    const { status, body } = await ask({ path: '/readyz' });
    expect([status, JSON.parse(body).status]).toEqual([503, 'not ready']);
  });
});

describe('with loopbackOnly, a request whose Host is', () => {
  it.each(['localhost', 'localhost:3978', '127.0.0.1', '127.0.0.1:3978', '[::1]:3978', 'LOCALHOST'])(
    '%s is answered',
    async (host) => {
      const { ask, post } = await openBotServer({ loopbackOnly: true });
      expect((await ask({ path: '/healthz', headers: { host } })).status).toBe(200);
      expect((await post(ACTIVITY, { host })).status).toBe(200);
    },
  );

  it.each([
    'canary.example',
    'localhost.canary.example',
    '127.0.0.1.canary.example:3978',
    'canary.example:127',
    '0.0.0.0',
    '192.0.2.1',
    '[::2]',
    'canary@',
  ])('%j is refused with 403 on every route', async (host) => {
    const { ask, post, activities, log } = await openBotServer({ loopbackOnly: true });
    for (const path of ['/healthz', '/readyz', '/', '/api/messages']) {
      const answered = await ask({ path, headers: { host } });
      expect(answered.status).toBe(403);
      expect(JSON.stringify(answered)).not.toContain('canary');
    }
    expect((await post(ACTIVITY, { host })).status).toBe(403);
    expect(activities).toEqual([]);
    expect(log.filter(({ reason }) => reason === 'host')).toHaveLength(5);
    expect((await ask({ path: '/healthz' })).status).toBe(200);
  });

  it.each(['GET /healthz HTTP/1.0\r\n\r\n', 'GET /healthz HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n'])(
    'missing or empty (%j) is refused with 403',
    async (request) => {
      const { url } = await openBotServer({ loopbackOnly: true });
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(request);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
    },
  );

  it('anything is answered without loopbackOnly', async () => {
    const { ask } = await openBotServer();
    expect((await ask({ path: '/healthz', headers: { host: 'bot.example.com' } })).status).toBe(200);
  });
});

describe('answers', () => {
  it('do not name the software', async () => {
    const { ask, post } = await openBotServer();
    for (const answered of [await ask({ path: '/healthz' }), await ask({ path: '/x' }), await post('{')])
      expect(JSON.stringify(answered)).not.toMatch(/restify|node|express/i);
  });
});

describe('POST /api/alerts over its limit', () => {
  it('says when to retry, and accepts nothing', async () => {
    const accepted: unknown[] = [];
    const server = await openBotServer({
      alerts: {
        token: new Secret('alerts-token'),
        take: (addresses) => (addresses > 1 ? 12_400 : 0),
        async accept(alert) {
          accepted.push(alert);
          return 'accepted';
        },
        onError: () => {},
      },
    });
    const send = (text: string) =>
      server.ask({
        method: 'POST',
        path: '/api/alerts',
        headers: { 'content-type': 'application/json', authorization: 'Bearer alerts-token' },
        body: JSON.stringify({ text }),
      });
    expect(await send('00:1B:54:00:00:01 00:1B:54:00:00:02')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '13', 'content-type': 'application/problem+json' },
    });
    expect(accepted).toEqual([]);
    expect(await send('00:1B:54:00:00:01')).toMatchObject({ status: 202 });
  });
});
