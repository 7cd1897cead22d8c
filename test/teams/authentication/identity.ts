import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../../src/sandbox/listen.ts';

/** The channel's side of authentication, on loopback: where its keys are published, and the tokens that they sign. */
export type ChannelIdentity = {
  /** The address of the OpenID metadata, for `BotOpenIdMetadata`. */
  metadataUrl: string;
  /** Under which address its keys are published; loopback by default. */
  origin: string;
  /** The key that signs now, and those that were rotated away and are published no more. */
  key: ChannelKey;
  oldKeys: readonly ChannelKey[];
  /** The paths that were asked for. */
  requests: readonly string[];
  /** What it answers: keys, an error status, nothing ever, or the end of each connection. */
  mode: 'up' | 503 | 'silent' | 'gone';
  /** A valid token; `changes` are laid over its header and claims, and undefined leaves a claim out. */
  issue(changes: TokenChanges): string;
  /** Signs with a new key, and publishes this key alone. */
  rotate(): void;
  close(): Promise<void>;
};

type ChannelKey = {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** The channels that it may speak for; undefined if the key does not say. */
  endorsements: readonly string[] | undefined;
};

export type TokenChanges = { header?: object; claims?: object; key?: SigningKey };

/** What signs: a private key, the secret of an HMAC, or nothing at all. */
export type SigningKey = KeyObject | string | undefined;

export type ChannelIdentityOptions = {
  /** The bot's, which the tokens are meant for. */
  appId: string;
  /** The address that the tokens say the activities come from. */
  serviceUrl: string;
  endorsements?: ChannelKey['endorsements'];
  /** The clock of its tokens. */
  now?: () => number;
};

export const CHANNEL_ISSUER = 'https://api.botframework.com';

const METADATA_PATH = '/v1/.well-known/openidconfiguration';
const KEYS_PATH = '/v1/.well-known/keys';

/** Publishes as `login.botframework.com` does (Bot Connector authentication, steps 2 and 3), over plain http. */
export async function openChannelIdentity({
  appId,
  serviceUrl,
  endorsements = ['msteams', 'webchat', 'directline'],
  now: clockNow = Date.now,
}: ChannelIdentityOptions): Promise<ChannelIdentity> {
  const requests: string[] = [];
  const oldKeys: ChannelKey[] = [];
  const identity = {
    mode: 'up' as ChannelIdentity['mode'],
    origin: '',
    key: makeKey(endorsements),
    oldKeys,
    requests,

    issue({ header, claims, ...other }: TokenChanges): string {
      const { kid, privateKey } = identity.key;
      const now = Math.floor(clockNow() / 1000);
      return writeToken(
        { alg: 'RS256', typ: 'JWT', kid, x5t: kid, ...header },
        {
          iss: CHANNEL_ISSUER,
          aud: appId,
          serviceurl: serviceUrl,
          nbf: now - 60,
          exp: now + 3600,
          ...claims,
        },
        'key' in other ? other.key : privateKey,
      );
    },
    rotate(): void {
      oldKeys.push(identity.key);
      identity.key = makeKey(endorsements);
    },
  };

  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const { mode } = identity;
    if (mode === 'up') send(response, 200, answerOf(request.url));
    else if (mode === 503) send(response, 503, {});
    else if (mode === 'gone') request.socket.destroy();
  });
  const { url, close } = await listen(server);
  identity.origin = url;

  function answerOf(path: string | undefined): object {
    if (path === KEYS_PATH) return { keys: [published(identity.key)] };
    return path === METADATA_PATH
      ? { issuer: CHANNEL_ISSUER, jwks_uri: `${identity.origin}${KEYS_PATH}` }
      : {};
  }

  return Object.assign(identity, { metadataUrl: `${url}${METADATA_PATH}`, close });
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

function makeKey(endorsements: ChannelKey['endorsements']): ChannelKey {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = createHash('sha1').update(randomUUID()).digest('base64url');
  return { ...pair, kid, endorsements };
}

function published({ kid, publicKey, endorsements }: ChannelKey): object {
  return { ...publicKey.export({ format: 'jwk' }), use: 'sig', kid, x5t: kid, endorsements };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
