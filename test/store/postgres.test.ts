import { expect, it, vi } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import type { LastingFault } from '../../src/store/faults.ts';
import { serverTlsOf } from '../../src/store/postgres.ts';
import { openStore } from './engines.ts';
import { createUser, newDatabase } from './postgres.ts';

it.each([
  ['postgres://u:p@db.example.com/bot', 'no TLS'],
  ['postgres://u:p@db.example.com/bot?sslmode=disable', 'no TLS'],
  ['postgres://u:p@db.example.com/bot?sslmode=prefer', 'TLS'],
  ['postgres://u:p@db.example.com/bot?sslmode=no-verify', 'unchecked TLS'],
  ['postgres://u:p@db.example.com/bot?ssl=no-verify', 'unchecked TLS'],
  ['postgres://u:p@db.example.com/bot?uselibpqcompat=true&sslmode=require', 'unchecked TLS'],
  ['postgres://u:p@db.example.com/bot?sslmode=verify-full&sslmode=disable', 'no TLS'],
  ['postgres://u:p@db.example.com/bot?sslmode=disable&sslmode=verify-full', 'TLS'],
  ['postgres://u:p@db.example.com/bot?sslrootcert=/nowhere/canary.pem', 'none needed'],
  ['postgresql://u:p@db.example.com/bot?sslmode=verify-full', 'TLS'],
  ['postgres://u:p@127.0.0.1:5432/bot', 'none needed'],
  ['postgres://u:p@[::1]/bot', 'none needed'],
  ['postgres:///bot?host=/run/postgresql', 'none needed'],
  ['.data', 'none needed'],
])("the database server's TLS of %s is: %s", (url, tls) =>
  expect(serverTlsOf(url === '.data' ? { directory: url } : { url: new Secret(url) })).toBe(tls),
);

const withChanges = (changes: Partial<URL>) => async () =>
  Object.assign(new URL(await newDatabase()), changes).href;
const NO_AUTHORITY = 'uselibpqcompat=true&sslmode=verify-ca';
const as = (rights: 'none' | 'connect') => async () => createUser(await newDatabase(), 'guest', rights);

it.each<[what: string, address: () => Promise<string>, fault: LastingFault]>([
  ['a wrong password', withChanges({ password: 'canary-wrong' }), 'password refused'],
  ['an unknown user', withChanges({ username: 'canary-nobody' }), 'password refused'],
  ['an unknown database', withChanges({ pathname: '/canary-none' }), 'no such database'],
  ['a user who may not connect', as('none'), 'right missing'],
  ['a user who may make no tables', as('connect'), 'right missing'],
  ['TLS asked of a server that has none', withChanges({ search: 'sslmode=verify-full' }), 'no TLS'],
  ['no named authority', withChanges({ search: NO_AUTHORITY }), 'address unreadable'],
  ['no such file', withChanges({ search: 'sslrootcert=/canary/none.pem' }), 'address unreadable'],
])('a server that will never let the bot in is reported: %s', async (_, address, fault) => {
  const store = await openStore({ url: new Secret(await address()) });
  store.open();
  await vi.waitFor(() => expect(store.outages).toEqual([fault]), 10_000);
  expect(store.errors).toEqual([]);
});
