import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { serverTlsOf } from '../../src/store/postgres.ts';

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
