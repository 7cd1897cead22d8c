import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { listen } from '../../../src/sandbox/listen.ts';
import { makeCertificate } from '../../certificate.ts';

export type ChannelIdentity = Awaited<ReturnType<typeof openChannelIdentity>>;

export type TokenChanges = { header?: object; claims?: object; key?: SigningKey };

/** What signs: a private key, the secret of an HMAC, or nothing at all. */
type SigningKey = KeyObject | string | undefined;

/** How a server answers: well, with refusals or an error status, never, or with the end of each connection. */
type Mode = 'up' | 'refusing' | 503 | 'silent' | 'gone';

export const CHANNEL_ISSUER = 'https://api.botframework.com';

const KEYS_PATH = '/v1/.well-known/keys';

/** For whom the tokens are, and from where; `endorsements`: the channels that the keys may speak for, if they say so. */
type ChannelOptions = { appId: string; serviceUrl: string; endorsements?: readonly string[] | undefined };

/**
 * The channel's side of authentication, on loopback: where its keys are published, and the tokens that they sign. Publishes
 * as `login.botframework.com` does (Bot Connector authentication, steps 2 and 3), over plain http.
 */
export async function openChannelIdentity(options: ChannelOptions & { now?: () => number }) {
  const { appId, serviceUrl, now: clockNow = Date.now } = options;
  const { endorsements } = { endorsements: ['msteams', 'webchat', 'directline'], ...options };
  const identity = {
    mode: 'up' as Mode,
    /** Under which address its keys are published; loopback by default. */
    origin: '',
    /** The key that signs now, and that alone is published. */
    key: makeKey(),
    requests: [] as string[],
    /** A valid token; `changes` are laid over its header and claims, and undefined leaves a claim out. */
    issue({ header, claims, ...other }: TokenChanges): string {
      const { kid, privateKey } = identity.key;
      const now = Math.floor(clockNow() / 1000);
      const all = { iss: CHANNEL_ISSUER, aud: appId, serviceurl: serviceUrl, nbf: now - 60, exp: now + 3600 };
      const key = 'key' in other ? other.key : privateKey;
      return writeToken({ alg: 'RS256', typ: 'JWT', kid, x5t: kid, ...header }, { ...all, ...claims }, key);
    },
  };
  const server = createServer((request, response) => {
    identity.requests.push(request.url ?? '');
    void respond(identity.mode, response, () => ({ status: 200, body: answerOf(request.url) }));
  });
  const { url, close } = await listen(server);
  identity.origin = url;

  function answerOf(path: string | undefined): object {
    const { kid, publicKey } = identity.key;
    const jwk = { ...publicKey.export({ format: 'jwk' }), use: 'sig', kid, x5t: kid, endorsements };
    return path === KEYS_PATH ? { keys: [jwk] } : { jwks_uri: `${identity.origin}${KEYS_PATH}` };
  }

  return Object.assign(identity, { metadataUrl: `${url}/v1/.well-known/openidconfiguration`, close });
}

/** Any token at all, even forged: signed as its header says, or unsigned if the header names no known algorithm. */
export function writeToken(header: object, claims: object, key: SigningKey): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const input = `${encode(header)}.${encode(claims)}`;
  const { alg } = header as { alg?: string };
  return `${input}.${signatureOf(input, alg, key).toString('base64url')}`;
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

export type Authority = Awaited<ReturnType<typeof openAuthority>>;

/** Microsoft's own authority; through a proxy, this authority can be reached under its name. */
export const MICROSOFT_LOGIN_HOST = 'login.microsoftonline.com';

type Answer = { status: number; body: object };

/**
 * The authority that issues the bot's own tokens (Microsoft Entra's part), on loopback over https. Answers discovery and
 * client-credential requests as the v2.0 endpoints do (RFC 6749, section 4.4).
 * @param options.clientSecret what it accepts at first
 */
export async function openAuthority(options: { tenant: string; clientId: string; clientSecret: string }) {
  const { tenant, clientId, clientSecret } = options;
  const directory = await mkdtemp(join(tmpdir(), 'authority-'));
  const certificateFile = join(directory, 'authority.pem');
  const { cert, key } = await makeCertificate(['127.0.0.1', MICROSOFT_LOGIN_HOST], { name: randomUUID() });
  await writeFile(certificateFile, cert);
  /** The tokens issued, in order; the paths that were asked for; faults of its clients, by Microsoft's code. */
  const [tokens, requests, refusals]: [string[], string[], string[]] = [[], [], []];
  /** How it answers, the secret that it accepts, and how long the next tokens are good for. */
  const state = { mode: 'up' as Mode, clientSecret, lifetimeS: 3600 };

  const server = createTlsServer({ key, cert }, (request, response) => {
    requests.push(request.url ?? '');
    void respond(state.mode, response, () => answerTo(request));
  });
  const { url, close } = await listen(server);
  const own = () => readFileSync(certificateFile, 'utf8');
  const others = () => getCACertificates('default').filter((each) => !own().includes(each.trim()));

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const path = request.url?.split('?', 1)[0];
    const base = `https://${request.headers.host}/${tenant}`;
    if (path === `/${tenant}/v2.0/.well-known/openid-configuration`)
      return { status: 200, body: discoveryOf(base) };
    if (path !== `/${tenant}/oauth2/v2.0/token` || request.method !== 'POST')
      return refuse(400, 'invalid_tenant', 90002);
    const form = new URLSearchParams(await text(request));
    const secret = form.get('client_secret');
    if (state.mode === 'refusing') return refuse(401, 'invalid_client', 7000222);
    if (form.get('grant_type') !== 'client_credentials') return refuse(400, 'unsupported_grant_type', 70003);
    if (form.get('client_id') !== clientId) return refuse(400, 'unauthorized_client', 700016);
    if (secret !== state.clientSecret) return refuse(401, 'invalid_client', 7000215, secret);
    if (!form.get('scope')?.split(' ').includes(SCOPE)) return refuse(400, 'invalid_scope', 1002012);
    const access_token = `issued-${tokens.length + 1}-${randomUUID()}`;
    tokens.push(access_token);
    const { lifetimeS: expires_in } = state;
    const lifetime = { expires_in, ext_expires_in: expires_in };
    return { status: 200, body: { token_type: 'Bearer', ...lifetime, access_token } };
  }

  function refuse(status: number, error: string, code: number, echo: string | null = ''): Answer {
    refusals.push(`AADSTS${code}`);
    const error_description = `AADSTS${code}: the request was refused. ${echo}`;
    return { status, body: { error, error_codes: [code], error_description } };
  }

  return Object.assign(state, {
    /** For `ToChannelFromBotLoginUrl`; the tenant stands at its end. */
    loginUrl: `${url.replace('http:', 'https:')}/${tenant}`,
    /** For `NODE_EXTRA_CA_CERTS`: the certificate, which is good for Microsoft's host too. */
    certificateFile,
    tokens,
    requests,
    refusals,
    /** Makes this process trust the certificate as `NODE_EXTRA_CA_CERTS` would, until the authority closes. */
    trust: () => setDefaultCACertificates([...others(), own()]),
    async close() {
      setDefaultCACertificates(others());
      await close();
      await rm(directory, { recursive: true });
    },
  });
}

const SCOPE = 'https://api.botframework.com/.default';

const discoveryOf = (base: string) => {
  const [authorization_endpoint, token_endpoint] = ['authorize', 'token'].map(
    (end) => `${base}/oauth2/v2.0/${end}`,
  );
  return { issuer: `${base}/v2.0`, authorization_endpoint, token_endpoint, jwks_uri: `${base}/keys` };
};

async function respond(mode: Mode, response: ServerResponse, answer: () => Answer | Promise<Answer>) {
  if (mode === 'gone') response.destroy();
  if (mode === 'gone' || mode === 'silent') return;
  const { status, body } = mode === 503 ? { status: 503, body: {} } : await answer();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
