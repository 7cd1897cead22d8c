import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { readJson } from './listen.ts';
import type { SandboxAccount } from './nac.ts';

type Body = Record<string, unknown>;
type Answer = [status: number, body: Body];

/** Endpoints 1 (API key, under `/vedsdk`) and 2 (ticket). */
export function createExchanges({ accounts }: { accounts: readonly SandboxAccount[] }): { server: Server } {
  const server = createServer(async (request, response) => {
    const [status, body] = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  return { server };

  function isKnown(username: unknown, password: unknown): boolean {
    return accounts.some((account) => account.username === username && account.password === password);
  }

  async function answer(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST') return [405, { Error: 'POST only' }];
    const body = await readJson(request);
    if (request.url === '/vedsdk/Authorize/') return authorize(body);
    return request.url === '/api/v1/ticket' ? ticket(body) : [404, { Error: 'no such endpoint' }];
  }

  function authorize(body: Body): Answer {
    if (!('Username' in body && 'Password' in body))
      return [400, { Error: 'Username and Password are needed' }];
    return isKnown(body.Username, body.Password)
      ? [200, { APIKey: randomUUID(), ValidUntil: `/Date(${Date.now() + 600_000})/` }]
      : [401, { Error: 'Invalid credentials' }];
  }

  function ticket(body: Body): Answer {
    if (!isKnown(body.username, body.password))
      return [401, { response: { errorCode: 'INVALID_CREDENTIALS' }, version: '1.0' }];
    const serviceTicket = `ST-${randomUUID()}`;
    return [200, { response: { serviceTicket, idleTimeout: 1800, sessionTimeout: 21_600 }, version: '1.0' }];
  }
}
