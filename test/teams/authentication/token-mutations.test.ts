import { expect, it } from 'vitest';
import { type ChannelIdentity, openChannelIdentity } from './identity.ts';
import { openJudge } from './judge.ts';

const MUTATIONS = 300;
const SEED = 20_261_121;
const SERVICE_URL = 'https://smba.trafficmanager.net/emea/';
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A whole number from 0 up to `below`; each run draws the same numbers (mulberry32). */
type Pick = (below: number) => number;

function pickFrom(seed: number): Pick {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Mutation = (parts: readonly [string, string, string], pick: Pick, channel: ChannelIdentity) => string;

const MUTATIONS_BY_NAME: Readonly<Record<string, Mutation>> = {
  'a bit of a part flipped': (parts, pick) =>
    changed(parts, pick(3), (part) => {
      const bytes = Buffer.from(part, 'base64url');
      const at = pick(bytes.length);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << pick(8)), at);
      return bytes.toString('base64url');
    }),
  'a character replaced': (parts, pick) =>
    changed(parts, pick(3), (part) => {
      const at = pick(part.length);
      return part.slice(0, at) + (ALPHABET[pick(64)] ?? '') + part.slice(at + 1);
    }),
  'a character left out': (parts, pick) =>
    changed(parts, pick(3), (part) => {
      const at = pick(part.length);
      return part.slice(0, at) + part.slice(at + 1);
    }),
  'a character put in': (parts, pick) =>
    changed(parts, pick(3), (part) => {
      const at = pick(part.length);
      return part.slice(0, at) + (ALPHABET[pick(64)] ?? '') + part.slice(at);
    }),
  'cut short': (parts, pick) => {
    const token = parts.join('.');
    return token.slice(0, pick(token.length));
  },
  'begun late': (parts, pick) => {
    const token = parts.join('.');
    return token.slice(1 + pick(token.length - 1));
  },
  'parts that change places': ([header, claims, signature], pick) =>
    [
      [claims, header, signature],
      [header, signature, claims],
      [signature, claims, header],
      [claims, signature, header],
      [header, header, signature],
      [claims, claims, signature],
      [header, claims, claims],
      [header, claims, header],
    ][pick(8)]?.join('.') ?? '',
  'a dot more': (parts, pick) => {
    const token = parts.join('.');
    const at = pick(token.length + 1);
    return `${token.slice(0, at)}.${token.slice(at)}`;
  },
  padded: (parts, pick) => changed(parts, pick(3), (part) => part + '='.repeat(1 + pick(3))),
  'a blank or another character in it': (parts, pick) =>
    changed(parts, pick(3), (part) => {
      const at = pick(part.length + 1);
      return (
        part.slice(0, at) +
        ([' ', '\t', '%', '+', '/', '~', '\u00a0', '\u2028'][pick(8)] ?? '') +
        part.slice(at)
      );
    }),
  'another algorithm, the signature kept': ([header, claims, signature], pick) =>
    `${encoded({ ...decoded(header), alg: otherAlgorithm(pick) })}.${claims}.${signature}`,
  'another algorithm, signed for it': ([header], pick, channel) => {
    const alg = otherAlgorithm(pick);
    const pem = channel.key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const key = alg.startsWith('HS') ? pem : alg === 'none' ? undefined : channel.key.privateKey;
    return channel.issue({ header: { ...decoded(header), alg }, key });
  },
  'a claim of its own': ([header, claims, signature], pick) => {
    const more = [{ aud: ['app', 'app2'] }, { exp: 9e9 }, { admin: true }, { nbf: 0 }, { serviceurl: 'x' }];
    return `${header}.${encoded({ ...decoded(claims), ...more[pick(5)] })}.${signature}`;
  },
};

function changed(parts: readonly string[], index: number, change: (part: string) => string): string {
  return parts.map((part, each) => (each === index ? change(part) : part)).join('.');
}

function otherAlgorithm(pick: Pick): string {
  return ['none', 'HS256', 'HS512', 'RS384', 'RS512', 'PS256', 'ES256', 'EdDSA'][pick(8)] ?? '';
}

function decoded(part: string): object {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Whether the signed text and the signature's bytes are the same; the signature's last character holds spare bits. */
function isSame(token: string, [header, claims, signature]: readonly [string, string, string]): boolean {
  const end = token.startsWith(`${header}.${claims}.`) ? token.slice(header.length + claims.length + 2) : '';
  return (
    end.length === signature.length &&
    Buffer.from(end, 'base64url').equals(Buffer.from(signature, 'base64url'))
  );
}

it(`${MUTATIONS} mutations of a valid token: none is accepted, none throws`, async () => {
  const channel = await openChannelIdentity({ appId: 'app', serviceUrl: SERVICE_URL });
  const check = openJudge(channel.metadataUrl, 'app');
  const claimed = { channelId: 'msteams', serviceUrl: SERVICE_URL };
  const [header = '', claims = '', signature = ''] = channel.issue({}).split('.');
  const parts = [header, claims, signature] as const;
  const judge = (token: string) => check(`Bearer ${token}`, claimed).catch((error: unknown) => error);
  expect(await judge(parts.join('.'))).toEqual({ kind: 'accepted' });

  const pick = pickFrom(SEED);
  const mutations = Object.entries(MUTATIONS_BY_NAME);
  const counts = new Map<string, number>();
  for (let tries = 0; tries < MUTATIONS; ) {
    const [name, mutate] = mutations[tries % mutations.length] ?? ['', () => ''];
    const token = mutate(parts, pick, channel);
    if (isSame(token, parts)) continue;
    expect(await judge(token), `${name}: ${token}`).toMatchObject({ kind: 'refused' });
    counts.set(name, (counts.get(name) ?? 0) + 1);
    tries++;
  }
  expect(counts.size).toBe(mutations.length);
  expect(channel.requests.length).toBeLessThanOrEqual(2);
  expect(await judge(parts.join('.'))).toEqual({ kind: 'accepted' });
  await channel.close();
});
