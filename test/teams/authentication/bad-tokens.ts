import { generateKeyPairSync } from 'node:crypto';
import { CHANNEL_ISSUER, type ChannelIdentity, writeToken } from './identity.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const STRANGER = { privateKey, jwk: publicKey.export({ format: 'jwk' }) };

/** `Authorization` headers that must be refused with any activity, by what is wrong. None names a strange issuer. */
export function badHeaders(channel: ChannelIdentity): Record<string, string | undefined> {
  const { privateKey, publicKey, kid } = channel.key;
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const { n: modulus } = publicKey.export({ format: 'jwk' });
  const now = Math.floor(Date.now() / 1000);
  const valid = channel.issue({});
  const [header = '', claims = '', signature = ''] = valid.split('.');
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  const { metadataUrl } = channel;
  const byStranger = (header: object) => channel.issue({ header, key: STRANGER.privateKey });
  const none = channel.issue({ header: { alg: 'none' }, key: undefined });

  const tokens = {
    'signed by a stranger': byStranger({}),
    "a stranger's key in its header": byStranger({ jwk: STRANGER.jwk }),
    "the address of a stranger's keys in its header": byStranger({ jku: metadataUrl, x5u: metadataUrl }),
    'an unknown key id': channel.issue({ header: { kid: 'unknown' } }),
    'an inherited key id': channel.issue({ header: { kid: '__proto__' } }),
    'no key id': channel.issue({ header: { kid: undefined } }),
    'a key id that is a list': channel.issue({ header: { kid: [kid] } }),
    'algorithm none, unsigned': none,
    'algorithm none, with any signature': `${none}AAAA`,
    'algorithm None, with the right signature': channel.issue({ header: { alg: 'None' } }),
    'no algorithm': channel.issue({ header: { alg: undefined } }),
    'an algorithm that is a list': channel.issue({ header: { alg: ['RS256'] } }),
    'HS256 with the public key as secret': channel.issue({ header: { alg: 'HS256' }, key: pem }),
    'HS256 with the modulus as secret': channel.issue({ header: { alg: 'HS256' }, key: modulus }),
    'RS384 with the right key': channel.issue({ header: { alg: 'RS384' } }),
    'RS512 with the right key': channel.issue({ header: { alg: 'RS512' } }),
    'PS256 with the right key': channel.issue({ header: { alg: 'PS256' } }),
    'a critical extension': channel.issue({ header: { crit: ['canary'], canary: true } }),
    'a payload that is not encoded': channel.issue({ header: { crit: ['b64'], b64: false } }),
    'expired before the tolerance': channel.issue({ claims: { exp: now - 310 } }),
    'not valid until after the tolerance': channel.issue({ claims: { nbf: now + 310 } }),
    'no expiry': channel.issue({ claims: { exp: undefined } }),
    'an expiry in words': channel.issue({ claims: { exp: 'never' } }),
    'an expiry that is null': channel.issue({ claims: { exp: null } }),
    'a beginning in words': channel.issue({ claims: { nbf: 'always' } }),
    'another audience': channel.issue({ claims: { aud: 'another-bot' } }),
    'other audiences': channel.issue({ claims: { aud: ['another-bot', 'a-third'] } }),
    'the channel as audience': channel.issue({ claims: { aud: CHANNEL_ISSUER } }),
    'an empty audience': channel.issue({ claims: { aud: '' } }),
    'no audience': channel.issue({ claims: { aud: undefined } }),
    'another service address': channel.issue({ claims: { serviceurl: 'https://smba.trafficmanager.net/' } }),
    'no service address': channel.issue({ claims: { serviceurl: undefined } }),
    'an empty service address': channel.issue({ claims: { serviceurl: '' } }),
    'claims that are a list': writeToken({ alg: 'RS256', kid }, [], privateKey),
    'claims that are not JSON': `${header}.${encoded('{"iss":')}.${signature}`,
    'a header that is not JSON': `${encoded('{"alg":')}.${claims}.${signature}`,
    'a header that is null': `${encoded('null')}.${claims}.${signature}`,
    'a header that is a list': `${encoded('["RS256"]')}.${claims}.${signature}`,
    'a header that is not base64': `A.${claims}.${signature}`,
    'a header that is not UTF-8': `${Buffer.from([0xff, 0xfe]).toString('base64url')}.${claims}.${signature}`,
    'a signature that is not base64': `${header}.${claims}.A`,
    'no signature': `${header}.${claims}.`,
    'no header': `.${claims}.${signature}`,
    'a part too few': `${header}.${claims}`,
    'a part too many': `${valid}.${signature}`,
    'five parts, as of an encrypted one': `${header}..${signature}.${claims}.${signature}`,
    'parts that change places': `${claims}.${header}.${signature}`,
    'padding at its end': `${valid}==`,
    'another word after it': `${valid} canary`,
    'another token after it': `${valid}, Bearer ${valid}`,
    'a quotation': `"${valid}"`,
    'a very long signature': valid + 'A'.repeat(14_000),
  };
  return {
    'no header': undefined,
    'an empty header': '',
    'the scheme alone': 'Bearer',
    'no scheme': valid,
    'another scheme': `Basic ${valid}`,
    'another scheme before': `Basic x, Bearer ${valid}`,
    'a colon after the scheme': `Bearer: ${valid}`,
    'no blank after the scheme': `Bearer${valid}`,
    ...Object.fromEntries(Object.entries(tokens).map(([name, token]) => [name, `Bearer ${token}`])),
  };
}

/** Whole and valid tokens, except for their issuer. */
export function strangeIssuers(channel: ChannelIdentity): Record<string, string> {
  const issuers = [
    ...[undefined, null, '', [CHANNEL_ISSUER], { toString: CHANNEL_ISSUER }],
    ...[`${CHANNEL_ISSUER}/`, CHANNEL_ISSUER.toUpperCase(), 'https://api.botframework.us'],
    'https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/',
  ];
  return Object.fromEntries(
    issuers.map((iss) => [JSON.stringify(iss) ?? 'none', `Bearer ${channel.issue({ claims: { iss } })}`]),
  );
}
