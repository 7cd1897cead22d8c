import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readJson } from './listen.ts';
import type { SandboxAccount } from './nac.ts';

export type ExchangesOptions = { accounts: readonly SandboxAccount[] };

type Body = Record<string, unknown>;
type Answer = { status: number; body: Body };

/**
 * Endpoints 1 (API key, under `/vedsdk`) and 2 (ticket). `/moved-301`, `/moved-302`, `/moved-303`, `/moved-307` and
 * `/moved-308` redirect to endpoint 1 with that status.
 */
export function createExchanges({ accounts }: ExchangesOptions): { server: Server } {
  const server = createServer(async (request, response) => {
    const [, prefix, status] = /^\/(vedsdk|moved-(30[12378]))\/Authorize\/$/.exec(request.url ?? '') ?? [];
    if (status !== undefined) return redirect(request, response, Number(status));
    send(response, await answer(request, prefix !== undefined));
  });
  return { server };

  function isKnown(username: unknown, password: unknown): boolean {
    return accounts.some((account) => account.username === username && account.password === password);
  }

  async function answer(request: IncomingMessage, isAuthorize: boolean): Promise<Answer> {
    if (request.method !== 'POST') return { status: 405, body: { Error: 'POST only' } };
    const body = await readJson(request);
    if (isAuthorize) return authorize(body);
    return request.url === '/api/v1/ticket'
      ? ticket(body)
      : { status: 404, body: { Error: 'no such endpoint' } };
  }

  function authorize(body: Body): Answer {
    if (!('Username' in body && 'Password' in body))
      return { status: 400, body: { Error: 'Username and Password are needed' } };
    return isKnown(body.Username, body.Password)
      ? { status: 200, body: { APIKey: randomUUID(), ValidUntil: `/Date(${Date.now() + 600_000})/` } }
      : { status: 401, body: { Error: 'Invalid credentials' } };
  }

  function ticket(body: Body): Answer {
    if (!isKnown(body.username, body.password)) {
      return { status: 401, body: { response: { errorCode: 'INVALID_CREDENTIALS' }, version: '1.0' } };
    }
    const serviceTicket = `ST-${randomUUID()}`;
    return {
      status: 200,
      body: { response: { serviceTicket, idleTimeout: 1800, sessionTimeout: 21_600 }, version: '1.0' },
    };
  }
}

function redirect(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { location: '/vedsdk/Authorize/' });
  response.end();
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
