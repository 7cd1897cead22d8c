import { describe, expect, it } from 'vitest';
import { parseNoProxy } from '../../src/http/proxy.ts';

describe('an entry of NO_PROXY', () => {
  it.each<[string, string, string]>([
    ['*', 'a.example b.example:8443 ::1', ''],
    ['*:8443', 'a.example:8443', 'a.example'],
    ['example.com', 'example.com example.com. www.example.com a.example.com:8443', 'notexample.com'],
    ['example.com', 'example.com:8443', 'example.com.au'],
    ['.example.com', 'example.com a.b.example.com', 'notexample.com'],
    ['*.example.com', 'www.example.com', 'example.com notexample.com'],
    ['Example.COM.', 'example.com', ''],
    ['bücher.example', 'xn--bcher-kva.example', ''],
    ['nac', 'nac', 'nac.example'],
    ['example.com:8443', 'example.com:8443 www.example.com:8443', 'example.com'],
    ['127.0.0.1', '127.0.0.1', '127.0.0.2 localhost'],
    ['127.0.0.1:80', '127.0.0.1:80', '127.0.0.1:81'],
    ['localhost', 'localhost bot.localhost', '127.0.0.1 ::1'],
    ['::1', '::1', '::2'],
    ['[::1]', '::1', '::2'],
    ['[0:0::1]:8443', '::1:8443', '::1'],
    ['10.0.0.0/8', '10.1.2.3', '11.1.2.3 ten.example'],
    ['10.0.0.0/8:8443', '10.1.2.3:8443', '10.1.2.3'],
    ['fd00::/8', 'fd12::1', 'fe80::1'],
    [' a.example,,b.example c.example ', 'a.example b.example c.example', 'd.example'],
    ['', '', 'a.example'],
  ])('%j', (text, direct, proxied) => {
    const isDirect = parseNoProxy(text);
    const check = (places: string, expected: boolean) => {
      for (const [place, host = '', port = '443'] of places.matchAll(/(\S+?)(?::(\d{2,}))?(?=\s|$)/g))
        expect([place, isDirect?.(host, Number(port))]).toEqual([place, expected]);
    };
    check(direct, true);
    check(proxied, false);
  });

  it.each([
    ...['10.*', '192.168', '10.0.0.0/33', '::/129', 'http://a.example', 'a.example/8'],
    ...['a b*', '<local>', 'a:b', '**', '*.', '[a]'],
  ])('%j cannot be read', (entry) => {
    expect(parseNoProxy(`a.example, ${entry}`)).toBeUndefined();
  });
});
