import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../../src/sandbox/listen.ts';

export type ChannelIdentity = Awaited<ReturnType<typeof openChannelIdentity>>;

export type TokenChanges = { header?: object; claims?: object; key?: SigningKey };

/** What signs: a private key, the secret of an HMAC, or nothing at all. */
type SigningKey = KeyObject | string | undefined;

type ChannelIdentityOptions = {
  /** The bot's, which the tokens are meant for. */
  appId: string;
  /** The address that the tokens say the activities come from. */
  serviceUrl: string;
  /** The channels that its keys may speak for; undefined if they do not say. */
  endorsements?: readonly string[] | undefined;
  /** The clock of its tokens. */
  now?: () => number;
};

export const CHANNEL_ISSUER = 'https://api.botframework.com';

const METADATA_PATH = '/v1/.well-known/openidconfiguration';
const KEYS_PATH = '/v1/.well-known/keys';

/**
 * The channel's side of authentication, on loopback: where its keys are published, and the tokens that they sign. Publishes
 * as `login.botframework.com` does (Bot Connector authentication, steps 2 and 3), over plain http.
 */
export async function openChannelIdentity({
  appId,
  serviceUrl,
  endorsements = ['msteams', 'webchat', 'directline'],
  now: clockNow = Date.now,
}: ChannelIdentityOptions) {
  const identity = {
    /** What it answers: keys, an error status, nothing ever, or the end of each connection. */
    mode: 'up' as 'up' | 503 | 'silent' | 'gone',
    /** Under which address its keys are published; loopback by default. */
    origin: '',
    /** The key that signs now, and those that were rotated away and are published no more. */
    key: makeKey(),
    oldKeys: [] as ReturnType<typeof makeKey>[],
    /** The paths that were asked for. */
    requests: [] as string[],

    /** A valid token; `changes` are laid over its header and claims, and undefined leaves a claim out. */
    issue({ header, claims, ...other }: TokenChanges): string {
      const { kid, privateKey } = identity.key;
      const now = Math.floor(clockNow() / 1000);
      const times = { nbf: now - 60, exp: now + 3600 };
      return writeToken(
        { alg: 'RS256', typ: 'JWT', kid, x5t: kid, ...header },
        { iss: CHANNEL_ISSUER, aud: appId, serviceurl: serviceUrl, ...times, ...claims },
        'key' in other ? other.key : privateKey,
      );
    },
    /** Signs with a new key, and publishes this key alone. */
    rotate(): void {
      identity.oldKeys.push(identity.key);
      identity.key = makeKey();
    },
  };

  const server = createServer((request, response) => {
    identity.requests.push(request.url ?? '');
    const { mode } = identity;
    if (mode === 'up') send(response, 200, answerOf(request.url));
    else if (mode === 503) send(response, 503, {});
    else if (mode === 'gone') request.socket.destroy();
  });
  const { url, close } = await listen(server);
  identity.origin = url;

  function answerOf(path: string | undefined): object {
    const { kid, publicKey } = identity.key;
    const jwk = { ...publicKey.export({ format: 'jwk' }), use: 'sig', kid, x5t: kid, endorsements };
    if (path === KEYS_PATH) return { keys: [jwk] };
    const jwks_uri = `${identity.origin}${KEYS_PATH}`;
    return path === METADATA_PATH ? { issuer: CHANNEL_ISSUER, jwks_uri } : {};
  }

  /** The address of the OpenID metadata, for `BotOpenIdMetadata`. */
  const metadataUrl = `${url}${METADATA_PATH}`;
  return Object.assign(identity, { metadataUrl, close });
}

/** Any token at all, even forged: signed as its header says, or unsigned if the header names no known algorithm. */
export function writeToken(header: object, claims: object, key: SigningKey): string {
  const input = `${encode(header)}.${encode(claims)}`;
  const { alg } = header as { alg?: string };
  return `${input}.${signatureOf(input, alg, key).toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function signatureOf(input: string, alg: string | undefined, key: SigningKey): Buffer {
  const [, way, bits] = /^(RS|PS|HS)(256|384|512)$/.exec(alg ?? '') ?? [];
  if (key === undefined || way === undefined) return Buffer.alloc(0);
  if (typeof key === 'string') return createHmac(`sha${bits}`, key).update(input).digest();
  const pss = { key, padding: 6, saltLength: Number(bits) / 8 }; // RSA_PKCS1_PSS_PADDING
  return sign(`sha${bits}`, Buffer.from(input), way === 'PS' ? pss : key);
}

function makeKey() {
  const kid = createHash('sha1').update(randomUUID()).digest('base64url');
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
