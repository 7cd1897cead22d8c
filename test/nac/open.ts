import type { RequestListener } from 'node:http';
import { pino } from 'pino';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { Secret } from '../../src/domain/secret.ts';
import { openNac } from '../../src/nac.ts';
import { createNac } from '../../src/sandbox/nac.ts';
import * as memory from '../credentials/memory-store.ts';
import { openUpstream, serve } from '../serve.ts';

type Settings = Partial<Parameters<typeof openNac>[0]['settings']> & { timeoutMs?: number; signIn?: boolean };

export const SERVICE = { username: 'svc-é', password: 'p:ä' };
export const MAC = 'AA:BB:CC:DD:EE:FF' as MacAddress;
export const MANY = Array.from({ length: 20 }, (_, index) => `00:1B:54:00:70:${index + 10}` as MacAddress);

/** Opens the NAC at these addresses for {@link SERVICE}, with a vault and a lockout. The clock stands still. */
export function openNacAt(
  urls: readonly string[],
  { timeoutMs = 20_000, signIn = true, ...changes }: Settings = {},
) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const steady = () => clock.now;
  const password = { now: SERVICE.password };
  const account = { username: SERVICE.username, password: new Secret(() => password.now) };
  const rows = memory.createMemoryStore(steady);
  const lines: string[] = [];
  const counts: number[] = [];
  const vault = memory.createMemoryVault(steady, {
    settings: { nac: account, personal: { signIn, ttlHours: 8, keys: [memory.createKey()] } },
    sealed: { ...rows, find: (owner) => rows.find(owner), remove: (owner) => rows.remove(owner) },
  });
  const upstream = openUpstream({ timeoutMs });
  const addresses = urls.map((url) => new URL(url));
  const nac = openNac({
    settings: { addresses, macForm: 'colon', concurrency: 2, ignoredTokens: [], history: true, ...changes },
    upstreams: { nac: upstream, nacHistory: upstream },
    vault,
    lockout: memory.guardOf(account, steady),
    steady,
    observe: { lookup() {}, first() {}, sessions: (count) => void counts.push(count) },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  const connect = (person: string, typed = 'right') =>
    vault.connect(person, { username: person, password: new Secret(typed) }, async () => 'accepted');
  const watch = (address: MacAddress) => nac.watch(address, 'watch/');
  return { ...nac, watch, vault, connect, rows, clock, password, lines, counts };
}

/** Opens the sandbox's NAC with these accounts, and others that end in `right`; its second address is the one that answers. */
export async function openSandboxNac(settings: Settings = {}, answerAttempts?: RequestListener) {
  const people = ['alex', 'bob', 'eve', 'megan'].map((username) => ({ username, password: 'right' }));
  const { server, calls, otherCalls } = createNac([SERVICE, ...people]);
  const listener: RequestListener = (request, response) => {
    const { url: path = '' } = request;
    if (!answerAttempts || !path.includes('/AuthStatus/'))
      return void server.emit('request', request, response);
    otherCalls.push({ path, username: undefined });
    answerAttempts(request, response);
  };
  const url = `${await serve(listener)}/`;
  return { ...openNacAt(['http://127.0.0.1:1', url], settings), calls, otherCalls, url };
}
