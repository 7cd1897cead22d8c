import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createUpstream, type HttpOutcome, type Upstream, type UpstreamOptions } from '../src/http.ts';
import { freePort, listen } from '../src/sandbox/listen.ts';

/** Starts a server on loopback and closes it when the test ends. @param port any that is free, unless one is given */
export async function serve(server: RequestListener | Server, port?: number): Promise<string> {
  const { url, close } = await listen(typeof server === 'function' ? createServer(server) : server, port);
  onTestFinished(close);
  return url;
}

/** Starts a server below HTTP, which is handed each socket once the first bytes of a request are there. */
export async function serveTcp(onData: (socket: Socket) => void): Promise<URL> {
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

type Received = { method: string; path: string; type: string | undefined; body: string };

export type Answer = { status: number; body?: string; headers?: Record<string, string> };

/** Starts a server that records requests and sends its answers in turn; it repeats the last answer. */
export async function record(...answers: [Answer, ...Answer[]]) {
  const received: Received[] = [];
  let answered = 0;
  const url = await serve(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    received.push({ method, path, type: headers['content-type'], body: await text(request) });
    const answer = answers[Math.min(answered++, answers.length - 1)] ?? answers[0];
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
  return { url, received };
}

/** A free port for metrics, below those that servers get which ask for any: another test's server cannot take it meanwhile. */
export const opsPort = async () => String(await freePort(randomInt(20_000, 32_000)));

/** An address on loopback where nothing listens. */
export async function closedUrl(): Promise<string> {
  const { url, close } = await listen(createServer());
  await close();
  return url;
}

/** Opens a verifying upstream with ample limits, overridden by these options; closes it when the test ends. */
export function openUpstream(options: Partial<UpstreamOptions> = {}): Upstream {
  const ample = { tls: { kind: 'verify' }, timeoutMs: 5000 } as const;
  const upstream = createUpstream({ ...ample, ...options });
  onTestFinished(upstream.close);
  return upstream;
}

/** Returns the outcome of one GET to a server with this listener. */
export async function callTo(
  listener: RequestListener,
  options: Partial<UpstreamOptions> = {},
): Promise<HttpOutcome> {
  return openUpstream(options).call({ url: new URL(await serve(listener)), method: 'GET' });
}

/** What a bot says of itself, and with which HTTP status; fails if it says nothing for 10 s. */
export async function readyzOf({ url }: { url: string }) {
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const said = (await response.json()) as { status: string; parts: Record<string, string> };
  return { code: response.status, ...said };
}

/** A bot's metrics: the value of each series, by its name and labels. */
export async function metricsOf({ opsUrl }: { opsUrl: string | undefined }): Promise<Record<string, number>> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  const series = text.matchAll(/^([^#\n].*) (\S+)$/gm);
  return Object.fromEntries([...series].map(([, name = '', value]) => [name, Number(value)]));
}

/** Answers at once. (With restify imported, `writeHead` returns nothing, so calls cannot be chained.) */
export function answer(
  response: ServerResponse,
  status: number,
  headers: Record<string, string | number>,
  body: string | Buffer,
): void {
  response.writeHead(status, headers);
  response.end(body);
}

/** A listener that answers every request alike. */
export const says =
  (status: number, body = '', headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    answer(response, status, headers, body);

/** What a call that ends in a fault gives. */
export function unanswered<Fault>(fault: Fault) {
  return { kind: 'no answer', fault };
}
