import { describe, expect, it } from 'vitest';
import { secretsIn } from '../../src/domain/secret.ts';
import { accept, refuse } from '../settings.ts';

const PROXY = 'http://proxy.example.com:3128';

const proxiesOf = (env: Record<string, string>) => {
  const { https, http } = accept(env).proxies ?? {};
  return { https: https?.url.href, http: http?.url.href };
};

describe('the way out', () => {
  it('is direct by default, and with NO_PROXY alone', () => {
    expect(accept({}).proxies).toBeUndefined();
    expect(accept({ NO_PROXY: '10.*, whatever' }).proxies).toBeUndefined();
    expect(accept({ HTTPS_PROXY: '' }).proxies).toBeUndefined();
  });

  it('is a proxy for https addresses, and another for http addresses', () => {
    expect(proxiesOf({ HTTPS_PROXY: PROXY })).toEqual({ https: `${PROXY}/`, http: undefined });
    expect(proxiesOf({ http_proxy: 'https://other.example.com' })).toEqual({
      https: undefined,
      http: 'https://other.example.com/',
    });
  });

  it('is as the names in lower case say, if both are set', () => {
    const env = { HTTPS_PROXY: PROXY, https_proxy: 'http://lower.example.com', NO_PROXY: 'a', no_proxy: 'b' };
    expect(proxiesOf(env).https).toBe('http://lower.example.com/');
    const isDirect = accept(env).proxies?.isDirect;
    expect([isDirect?.('a', 443), isDirect?.('b', 443)]).toEqual([false, true]);
  });

  it('carries a user and a password, which are kept secret', () => {
    const settings = accept({ HTTPS_PROXY: 'http://us%C3%A9r:canary%20p%40ss@proxy.example.com:3128' });
    const { url, account } = settings.proxies?.https ?? {};
    expect(url?.href).toBe('http://proxy.example.com:3128/');
    expect(account?.username).toBe('usér');
    expect(account?.password.reveal()).toBe('canary p@ss');
    expect(JSON.stringify(settings)).not.toContain('canary');
    expect(secretsIn(settings).map((secret) => secret.reveal())).toContain('canary p@ss');
  });

  it('has exceptions that can be read, if it is a proxy', () => {
    expect(refuse({ HTTPS_PROXY: PROXY, NO_PROXY: 'nac.example.com, 10.*' })).toEqual(['NO_PROXY']);
    expect(refuse({ http_proxy: PROXY, no_proxy: '10.*', NO_PROXY: 'nac' })).toEqual(['no_proxy']);
  });

  it('takes no plain http address on loopback to another machine', () => {
    const local = 'http://127.0.0.1:8443';
    const settings = { NAC_URL: `https://nac.example.com,${local}`, BotOpenIdMetadata: local };
    expect(refuse({ ...settings, HTTP_PROXY: PROXY })).toEqual(['NAC_URL', 'BotOpenIdMetadata']);
    for (const safe of [
      { HTTP_PROXY: PROXY, NO_PROXY: '127.0.0.1' },
      { HTTP_PROXY: 'http://localhost:3128' },
      { HTTPS_PROXY: PROXY },
    ])
      expect(refuse({ ...settings, ...safe })).toEqual([]);
    expect(refuse({ NAC_URL: local, HTTP_PROXY: PROXY, NAC_TLS: 'insecure' })).toEqual([]);
  });
});
