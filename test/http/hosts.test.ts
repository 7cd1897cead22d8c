import { describe, expect, it } from 'vitest';
import { isAllowedServiceUrl, isLoopback } from '../../src/http.ts';

const CHANNEL = {
  names: ['*.botframework.com', '*.TrafficManager.net', 'chat.example.com', 'relay.example.com:8443'],
  loopback: false,
};
const OPEN = { names: CHANNEL.names, loopback: true };

describe('a reply may go', () => {
  it.each([
    ...['https://smba.trafficmanager.net/emea/', 'https://SMBA.TrafficManager.net/emea/'],
    ...['https://a.b.c.botframework.com', 'https://chat.example.com/', 'https://relay.example.com:8443/'],
  ])('to %s', (url) => {
    expect(isAllowedServiceUrl(url, CHANNEL)).toBe(true);
  });

  it.each([
    'http://127.0.0.1:5000/',
    'http://localhost:56150/_connector',
    'https://[::1]/',
    'http://127.9.9.9',
  ])('to %s if loopback is allowed, and only then', (url) => {
    expect(isAllowedServiceUrl(url, OPEN)).toBe(true);
    expect(isAllowedServiceUrl(url, CHANNEL)).toBe(false);
  });

  it('to loopback by name if it is in the list, over plain http too', () => {
    const named = { names: ['127.0.0.1'], loopback: false };
    expect(isAllowedServiceUrl('http://127.0.0.1:5000/', named)).toBe(true);
    expect(isAllowedServiceUrl('http://localhost:5000/', named)).toBe(false);
  });
});

describe('a reply may not go', () => {
  const HOSTS = `https://evil.example/ https://smba.trafficmanager.net:8443/ https://botframework.com/
    https://evilbotframework.com/ https://smba.botframework.com.evil.example/
    https://evil.example/smba.botframework.com https://evil.example/?.botframework.com
    https://evil.example#.botframework.com https://evil.example\\.botframework.com
    https://smba.botframework.com@evil.example/ https://user@smba.botframework.com/
    https://user:password@smba.botframework.com/ https://:password@smba.botframework.com/
    https://sub.chat.example.com/ http://smba.botframework.com/ http://chat.example.com/ http://192.0.2.1/
    http://localhost.evil.example/ http://127.0.0.1.evil.example/ http://user@127.0.0.1/
    ws://smba.botframework.com/ file:///etc/hosts javascript:alert(1) //smba.botframework.com/
    smba.botframework.com https://`;
  it.each([...HOSTS.split(/\s+/), ''])('to %j, even if loopback is allowed', (url) => {
    expect(isAllowedServiceUrl(url, OPEN)).toBe(false);
  });

  it('anywhere without names', () => {
    expect(isAllowedServiceUrl('https://smba.botframework.com/', { names: [], loopback: true })).toBe(false);
  });
});

it.each([
  [true, '127.0.0.1 127.255.0.3 localhost LocalHost bot.localhost ::1 [::1]'],
  [
    false,
    ' 0.0.0.0 :: [::2] 128.0.0.1 127.0.0.1.example.com 127.0.0 localhost.example.com mylocalhost 1127.0.0.1',
  ],
])('loopback: %s for "%s"', (expected, hosts) => {
  for (const host of hosts.split(' ')) expect([host, isLoopback(host)]).toEqual([host, expected]);
});
