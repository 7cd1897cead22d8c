import { randomUUID } from 'node:crypto';
import { jsonServer } from './listen.ts';
import type { SandboxAccount } from './nac.ts';

/** The exchanges for an API key (under `/vedsdk`) and a ticket. */
export function createExchanges(accounts: readonly SandboxAccount[]) {
  return jsonServer((route, { Username, Password, username = Username, password = Password }) => {
    const isKnown = accounts.some((each) => each.username === username && each.password === password);
    if (route === 'POST /vedsdk/Authorize/') {
      if (!Username || !Password) return [400, { Error: 'Username and Password are needed' }];
      const ValidUntil = `/Date(${Date.now() + 600_000})/`;
      return isKnown ? [200, { APIKey: randomUUID(), ValidUntil }] : [401, { Error: 'Invalid credentials' }];
    }
    if (route !== 'POST /api/v1/ticket') return [404, { Error: 'no such endpoint' }];
    const serviceTicket = `ST-${randomUUID()}`;
    return isKnown
      ? [200, { response: { serviceTicket, idleTimeout: 1800, sessionTimeout: 21_600 }, version: '1.0' }]
      : [401, { response: { errorCode: 'INVALID_CREDENTIALS' }, version: '1.0' }];
  });
}
