import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HttpRequest, type Target, targetUnder } from '../src/http.ts';
import { answer, callTo, closedUrl, openUpstream, serve, unanswered } from './serve.ts';

/** A server below HTTP: `onData` gets the socket once the first bytes of a request are there. */
async function serveTcp(onData: (socket: Socket) => void): Promise<URL> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => onData(socket));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

describe('a call', () => {
  it('sends method, path, query, headers and body unchanged, and returns status, headers and text', async () => {
    const seen: unknown[] = [];
    const url = await serve(async (request, response) => {
      seen.push([request.method, request.url, request.headers['x-note'], await text(request)]);
      answer(response, 418, { 'x-answer': 'yes' }, 'grün 🌱');
    });
    const request: HttpRequest = {
      url: new URL(`${url}/a:b/%C3%A9?q=1`),
      method: 'POST',
      headers: { 'x-note': 'n' },
      body: 'ü',
    };
    expect(await openUpstream().call(request)).toMatchObject({
      kind: 'answered',
      status: 418,
      headers: { 'x-answer': 'yes' },
      text: 'grün 🌱',
    });
    expect(seen).toEqual([['POST', '/a:b/%C3%A9?q=1', 'n', 'ü']]);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    let calls = 0;
    const outcome = await callTo((_, response) => {
      calls++;
      answer(response, status, { location: '/elsewhere' }, '');
    });
    expect(outcome).toMatchObject({ kind: 'answered', status, headers: { location: '/elsewhere' } });
    expect(calls).toBe(1);
  });

  it.each([500, 503])('is made once, whatever the answer (%i)', async (status) => {
    let calls = 0;
    await callTo((_, response) => {
      calls++;
      answer(response, status, { 'retry-after': '0' }, '');
    });
    expect(calls).toBe(1);
  });
});

describe('a connection that fails', () => {
  it('after the head, with less than the declared length: cut off', async () => {
    const outcome = await callTo((_, response) => {
      response.writeHead(200, { 'content-length': 4000 });
      response.write('<user_name>', () => response.destroy());
    });
    expect(outcome).toEqual(unanswered({ kind: 'cut off' }));
  });

  it('in the middle of a chunked answer: cut off', async () => {
    const outcome = await callTo((_, response) => {
      response.writeHead(200);
      response.write('<user_name>', () => response.destroy());
    });
    expect(outcome).toEqual(unanswered({ kind: 'cut off' }));
  });

  it('by a reset before the head: unreachable', async () => {
    const url = await serveTcp((socket) => socket.resetAndDestroy());
    expect(await openUpstream().call({ url, method: 'POST', body: 'x' })).toEqual(
      unanswered({
        kind: 'unreachable',
        code: 'ECONNRESET',
      }),
    );
  });

  it('by a plain end before the head: unreachable', async () => {
    const url = await serveTcp((socket) => socket.end());
    expect(await openUpstream().call({ url, method: 'GET' })).toMatchObject(
      unanswered({ kind: 'unreachable' }),
    );
  });

  it('by a reset after the head: cut off', async () => {
    const url = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc', () => socket.resetAndDestroy());
    });
    expect(await openUpstream().call({ url, method: 'GET' })).toEqual(unanswered({ kind: 'cut off' }));
  });

  it('because the answer is not HTTP: unreachable', async () => {
    const url = await serveTcp((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await openUpstream().call({ url, method: 'GET' })).toMatchObject(
      unanswered({ kind: 'unreachable' }),
    );
  });

  it.each(['127.0.0.1', 'localhost'])('because nobody listens on %s: unreachable', async (host) => {
    const url = new URL(await closedUrl());
    url.hostname = host;
    expect(await openUpstream().call({ url, method: 'GET' })).toEqual(
      unanswered({
        kind: 'unreachable',
        code: 'ECONNREFUSED',
      }),
    );
  });

  it('does not fail the next call', async () => {
    let calls = 0;
    const url = new URL(
      await serve((_, response) => {
        if (++calls === 1) response.destroy();
        else answer(response, 200, {}, 'well');
      }),
    );
    const { call } = openUpstream();
    expect(await call({ url, method: 'GET' })).toMatchObject(unanswered({ kind: 'unreachable' }));
    expect(await call({ url, method: 'GET' })).toMatchObject({ kind: 'answered', text: 'well' });
  });
});

describe('a call that takes too long', () => {
  it('before the head: timed out, not begun', async () => {
    expect(await callTo(() => {}, { timeoutMs: 200 })).toEqual(
      unanswered({
        kind: 'timed out',
        timeoutMs: 200,
        begun: false,
      }),
    );
  });

  it('in the body, though bytes still come: timed out, begun', async () => {
    const outcome = await callTo(
      (_, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      },
      { timeoutMs: 500 },
    );
    expect(outcome).toEqual(unanswered({ kind: 'timed out', timeoutMs: 500, begun: true }));
  });

  it('in the TLS handshake: timed out, not begun', async () => {
    const url = await serveTcp(() => {});
    url.protocol = 'https:';
    expect(
      await openUpstream({ timeoutMs: 300 }).call({ url: new URL(`https://${url.host}`), method: 'GET' }),
    ).toEqual(
      unanswered({
        kind: 'timed out',
        timeoutMs: 300,
        begun: false,
      }),
    );
  });
});

describe('targetUnder', () => {
  it.each([
    ['https://a.example', '/x', 'https://a.example/x'],
    ['https://a.example/', '/x', 'https://a.example/x'],
    ['https://a.example:8443/p/q', '/x', 'https://a.example:8443/p/q/x'],
    ['https://a.example/p/q/', '/x', 'https://a.example/p/q/x'],
    ['https://a.example/p//', '/x', 'https://a.example/p/x'],
    [
      'https://a.example/p',
      '/MACAddress/AA:BB:CC:DD:EE:FF',
      'https://a.example/p/MACAddress/AA:BB:CC:DD:EE:FF',
    ],
    ['http://[::1]:8080/', '/x', 'http://[::1]:8080/x'],
    ['https://a.example', '/é "x"', 'https://a.example/%C3%A9%20%22x%22'],
    ['https://a.example', '/19%3Ax%40thread', 'https://a.example/19%3Ax%40thread'],
    ['https://a.example/p', '/../x/./y', 'https://a.example/x/y'],
    ['https://a.example/p', '/%2e%2E/x', 'https://a.example/x'],
    ['https://a.example/p', '/x?y#z', 'https://a.example/p/x%3Fy%23z'],
  ])('%s and %s give %s', (base, path, expected) => {
    expect(href(targetUnder(new URL(base), path))).toBe(expected);
  });

  it.each([
    'https://a.example//other.example',
    'https://a.example//other.example/p/',
    'https://a.example/\\other.example',
    'https://a.example//',
  ])('stays on the host of %s', (base) => {
    expect(targetUnder(new URL(base), '/x').origin).toBe('https://a.example');
  });
});

const href = ({ origin, pathname, search }: Target) => origin + pathname + search;
