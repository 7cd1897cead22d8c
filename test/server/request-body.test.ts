import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { until } from '../test-clock.ts';
import { ACTIVITY, type BotServer, openBotServer } from './bot-server.ts';

const MAX_BYTES = 262_144;
const ROOM = 16 * 1024 * 1024;
const WHOLE = JSON.stringify(ACTIVITY);

const refuseAll = { checkToken: async () => ({ kind: 'refused', status: 401, reason: 'forged' }) as const };
const VERIFIED = { kind: 'verified', findFault: () => undefined } as const;

type Wire = { socket: Socket; said(): string };

function send({ url }: BotServer, bytes: string): Wire {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let said = '';
  socket.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  socket.on('error', () => {}); // The server may end the connection, as it should.
  onTestFinished(() => void socket.destroy());
  socket.write(bytes);
  return { socket, said: () => said };
}

const head = (length: string, path = '/api/messages') =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer alerts-token\r\n${length}\r\n\r\n`;
const declared = (bytes: number) => head(`content-length: ${bytes}`);
const IN_CHUNKS = head('transfer-encoding: chunked');

it.each([
  ['a body', declared(MAX_BYTES)],
  ['a body in chunks', `${IN_CHUNKS}1\r\n{\r\n`],
])('a refused request is answered before %s ends, and loses its connection', async (_, bytes) => {
  const server = await openBotServer(refuseAll);
  const { socket, said } = send(server, `${bytes}{`);
  await once(socket, 'close', { signal: AbortSignal.timeout(5000) });
  expect(said()).toMatch(/^HTTP\/1\.1 401 .*connection: close.*\{"error":"Unauthorized"\}$/is);
  expect(server.activities).toEqual([]);
});

const LARGE = 5 * 1024 * 1024;

it.each([
  ['of a declared length', declared(LARGE)],
  ['in chunks', `${IN_CHUNKS}${LARGE.toString(16)}\r\n`],
])('the sender of a large body %s reads afterwards that it is refused', async (_, bytes) => {
  const { socket, said } = send(await openBotServer(refuseAll), bytes);
  socket.pause();
  await new Promise<unknown>((resolve) => socket.write(Buffer.alloc(LARGE), resolve));
  socket.resume();
  await until(() => expect(said()).toMatch(/^HTTP\/1\.1 4/));
});

it('a request is refused by kind and length before its token is judged', async () => {
  const server = await openBotServer(refuseAll);
  const statuses: (string | undefined)[] = [];
  const asText = declared(MAX_BYTES + 1).replace('application/json', 'text/plain');
  for (const bytes of [asText, declared(MAX_BYTES + 1), declared(MAX_BYTES)]) {
    const { socket, said } = send(server, bytes);
    await once(socket, 'close');
    statuses.push(said().split(' ')[1]);
  }
  expect(statuses).toEqual(['415', '413', '401']);
});

it('while a token is judged a body may come, and is read afterwards', async () => {
  const judged = Promise.withResolvers<typeof VERIFIED>();
  const server = await openBotServer({ checkToken: () => judged.promise });
  const { socket, said } = send(server, declared(MAX_BYTES));
  const body = WHOLE.padEnd(MAX_BYTES);
  socket.write(body.slice(0, 100_000));
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  judged.resolve(VERIFIED);
  socket.write(body.slice(100_000));
  await until(() => expect(said()).toMatch(/^HTTP\/1\.1 200 /));
  expect(server.activities).toMatchObject([ACTIVITY]);
});

it.each([
  ['the whole body', declared(WHOLE.length)],
  ['a part of it', declared(WHOLE.length + 1)],
])('while a token is judged a sender may go away after %s', async (_, bytes) => {
  const asked = Promise.withResolvers<void>();
  const judged = Promise.withResolvers<typeof VERIFIED>();
  const checkToken = () => {
    asked.resolve();
    return judged.promise;
  };
  const server = await openBotServer({ checkToken });
  const { socket } = send(server, bytes + WHOLE);
  await asked.promise;
  socket.resetAndDestroy();
  await once(socket, 'close');
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200); // The server has seen the end, too.
  judged.resolve(VERIFIED);
  const refused = { status: 400, reason: 'request.aborted' };
  await until(() => expect(server.log).toContainEqual(expect.objectContaining(refused)));
  expect((await server.post(ACTIVITY)).status).toBe(200);
  expect(server.activities).toHaveLength(1);
});

const [MESSAGES, ALERTS] = ['/api/messages', '/api/alerts'] as const;
const TO_ALERTS = head('transfer-encoding: chunked', ALERTS);

it.each([
  ['messages share one room by their declared length', declared(MAX_BYTES), MESSAGES, ROOM / MAX_BYTES],
  ['messages in chunks share it by their limit', IN_CHUNKS, MESSAGES, ROOM / MAX_BYTES],
  ['alerts share another', TO_ALERTS, ALERTS, 16],
])('unfinished %s: over it 503, until one of them ends', async (_, bytes, path, places) => {
  const refused: unknown[] = [];
  const alerts = { token: new Secret('alerts-token'), accept: async () => 'accepted' as const, onError() {} };
  const server = await openBotServer({ alerts, onRefused: (...each) => refused.push(each) });
  const wires = Array.from({ length: places + 10 }, () => send(server, bytes));
  const answered = () => wires.filter(({ said }) => said() !== '');
  await until(() => expect([refused.length, answered().length]).toEqual([10, 10]));
  for (const { said } of answered()) {
    expect(said()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 10\r\n/is);
    expect(said().includes('application/problem+json')).toBe(path === ALERTS);
  }
  expect(refused).toEqual(Array(10).fill([path.slice('/api/'.length), 503]));
  const whole = (to: string) => `${head(`content-length: ${WHOLE.length}`, to)}${WHOLE}`;
  const another = send(server, whole(path === ALERTS ? MESSAGES : ALERTS));
  await until(() => expect(another.said()).toMatch(/^HTTP\/1\.1 20/));

  wires.find(({ said }) => said() === '')?.socket.destroy();
  await until(async () => {
    const next = send(server, whole(path));
    await once(next.socket, 'data');
    expect(next.said()).toMatch(/^HTTP\/1\.1 20/);
  });
});

it('a connection is closed within 35 s in a request, and stays between', async () => {
  const server = await openBotServer();
  const idle = send(server, 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const begun = performance.now();
  const endOf = async ({ socket }: Wire) => {
    await once(socket, 'close');
    return performance.now() - begun;
  };
  const [inHead, inBody] = await Promise.all([
    endOf(send(server, 'POST /api/messages HTTP/1.1\r\nhost: localhost\r\nx-')),
    endOf(send(server, `${declared(MAX_BYTES)}{`)),
  ]);
  expect(inHead).toBeLessThan(15_000);
  expect(inBody).toBeLessThan(35_000);
  expect(idle.said()).toMatch(/keep-alive: timeout=75\r\n/i);
  idle.socket.write('GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await until(() => expect(idle.said()).toContain('"ready"'));
});

it.each(['GET /canary', 'GET /api/messages', 'DELETE /healthz'])('a connection stays: %s', async (line) => {
  const { said } = send(await openBotServer(), `${line} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await until(() => expect(said()).toMatch(/^HTTP\/1\.1 40[45] .*connection: keep-alive\r\n/is));
});
