import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { readJson } from './listen.ts';
import type { SandboxAccount } from './nac.ts';

/** Endpoints 1 (API key, under `/vedsdk`) and 2 (ticket). */
export function createExchanges(accounts: readonly SandboxAccount[]): Server {
  const isKnown = (username: unknown, password: unknown) =>
    accounts.some((account) => account.username === username && account.password === password);

  function answer(path: string | undefined, given: Record<string, unknown>): [status: number, body: object] {
    if (path === '/vedsdk/Authorize/') {
      if (!given.Username || !given.Password) return [400, { Error: 'Username and Password are needed' }];
      return isKnown(given.Username, given.Password)
        ? [200, { APIKey: randomUUID(), ValidUntil: `/Date(${Date.now() + 600_000})/` }]
        : [401, { Error: 'Invalid credentials' }];
    }
    if (path !== '/api/v1/ticket') return [404, { Error: 'no such endpoint' }];
    if (!isKnown(given.username, given.password))
      return [401, { response: { errorCode: 'INVALID_CREDENTIALS' }, version: '1.0' }];
    const serviceTicket = `ST-${randomUUID()}`;
    return [200, { response: { serviceTicket, idleTimeout: 1800, sessionTimeout: 21_600 }, version: '1.0' }];
  }

  return createServer(async (request, response) => {
    const [status, body] = answer(request.url, await readJson(request));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
}
