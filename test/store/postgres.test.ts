import { describe, expect, it, vi } from 'vitest';
import { startFault } from '../../src/app/start-fault.ts';
import { Secret } from '../../src/domain/secret.ts';
import { type LastingFault, LastingFaultError } from '../../src/store/faults.ts';
import { serverTlsOf } from '../../src/store/postgres.ts';
import { openStore } from './engines.ts';
import { createUser, newDatabase } from './postgres.ts';

describe("the database server's TLS", () => {
  it.each([
    ['postgres://u:p@db.example.com/bot', 'no TLS'],
    ['postgres://u:p@db.example.com/bot?sslmode=disable', 'no TLS'],
    ['postgres://u:p@db.example.com/bot?sslmode=prefer', 'TLS'],
    ['postgres://u:p@db.example.com/bot?sslmode=no-verify', 'unchecked TLS'],
    ['postgres://u:p@db.example.com/bot?uselibpqcompat=true&sslmode=require', 'unchecked TLS'],
    ['postgres://u:p@db.example.com/bot?sslmode=verify-full&sslmode=disable', 'no TLS'],
    ['postgres://u:p@db.example.com/bot?sslmode=disable&sslmode=verify-full', 'TLS'],
    ['postgres://u:p@db.example.com/bot?ssl=true', 'TLS'],
    ['postgres://u:p@db.example.com/bot?sslrootcert=/nowhere/canary.pem', 'no TLS'],
    ['postgres://u:p@db.example.com/bot?sslmode=require', 'TLS'],
    ['postgresql://u:p@db.example.com/bot?sslmode=verify-full', 'TLS'],
    ['postgres://u:p@127.0.0.1:5432/bot', 'none needed'],
    ['postgres://u:p@[::1]/bot', 'none needed'],
    ['postgres:///bot?host=/run/postgresql', 'none needed'],
  ])('of %s is: %s', (url, tls) => {
    expect(serverTlsOf({ url: new Secret(url) })).toBe(tls);
  });

  it('is not needed for the embedded database', () => {
    expect(serverTlsOf({ directory: '.data' })).toBe('none needed');
  });
});

const REFUSED =
  'the database server refuses the user name or password in DATABASE_URL: correct them there, or set the password anew';
const NO_RIGHT =
  'the user in DATABASE_URL lacks a right in the database: grant CONNECT and CREATE on it, and make this user the owner of the schema nac_lookup_bot';

describe('a server that will never let the bot in', () => {
  const withChanges = (changes: Partial<URL>) => async () =>
    Object.assign(new URL(await newDatabase()), changes).href;
  const as = (rights: 'none' | 'connect') => async () => createUser(await newDatabase(), 'guest', rights);

  it.each<[what: string, address: () => Promise<string>, sentence: string]>([
    ['a wrong password', withChanges({ password: 'canary-wrong' }), REFUSED],
    ['an unknown user', withChanges({ username: 'canary-nobody' }), REFUSED],
    [
      'an unknown database',
      withChanges({ pathname: '/canary-none' }),
      'the database that DATABASE_URL names does not exist on the server: create it, or name another',
    ],
    ['a user who may not connect', as('none'), NO_RIGHT],
    ['a user who may make no tables', as('connect'), NO_RIGHT],
    [
      'TLS asked of a server that has none',
      withChanges({ search: 'sslmode=verify-full' }),
      'the connection to the database server cannot be secured: check sslmode and sslrootcert in DATABASE_URL, and the certificate of the server',
    ],
    [
      'an authority in a file that is not there',
      withChanges({ search: 'sslmode=verify-full&sslrootcert=/canary/none.pem' }),
      'DATABASE_URL cannot be used: write special characters as %XX, and name only files that this user can read',
    ],
  ])('is told why: %s', async (_, address, sentence) => {
    const store = await openStore({ url: new Secret(await address()) });
    store.open();
    await vi.waitFor(() => expect(store.outages).toHaveLength(1), 10_000);
    expect(startFault(new LastingFaultError(store.outages[0] as LastingFault))).toBe(sentence);
    expect(store.errors).toEqual([]);
  });
});
