import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import { listen } from '../../../src/sandbox/listen.ts';

export type Authority = Awaited<ReturnType<typeof openAuthority>>;

/** Microsoft's own authority; through a proxy, this authority can be reached under its name. */
export const MICROSOFT_LOGIN_HOST = 'login.microsoftonline.com';

type Answer = { status: number; body: object };

const SCOPE = 'https://api.botframework.com/.default';

/**
 * The authority that issues the bot's own tokens (Microsoft Entra's part), on loopback over https. Answers discovery and
 * client-credential requests as the v2.0 endpoints do (RFC 6749, section 4.4).
 * @param options.clientSecret what it accepts at first
 */
export async function openAuthority(options: { tenant: string; clientId: string; clientSecret: string }) {
  const { tenant, clientId, clientSecret } = options;
  const directory = await mkdtemp(join(tmpdir(), 'authority-'));
  const certificateFile = join(directory, 'authority.pem');
  const certificate = await makeCertificate();
  await writeFile(certificateFile, certificate.cert);
  /** The tokens issued, in order; the paths that were asked for; faults of its clients, by Microsoft's code. */
  const [tokens, requests, refusals]: [string[], string[], string[]] = [[], [], []];
  /** How it answers, the secret that it accepts, and how long the next tokens are good for. */
  const mode = 'up' as 'up' | 'refusing' | 503 | 'silent' | 'gone';
  const state = { mode, clientSecret, lifetimeS: 3600 };

  const server = createServer({ key: certificate.private, cert: certificate.cert }, (request, response) => {
    requests.push(request.url ?? '');
    const { mode } = state;
    if (mode === 'up' || mode === 'refusing') void answer(request, response);
    else if (mode === 503) send(response, { status: 503, body: { error: 'temporarily_unavailable' } });
    else if (mode === 'gone') request.socket.destroy();
  });
  const { url, close } = await listen(server);
  const port = new URL(url).port;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0];
    if (path === `/${tenant}/v2.0/.well-known/openid-configuration`)
      return send(response, {
        status: 200,
        body: configuration(`https://${request.headers.host}/${tenant}`),
      });
    if (path !== `/${tenant}/oauth2/v2.0/token` || request.method !== 'POST')
      return send(response, refuse(400, 'invalid_tenant', 'AADSTS90002'));
    send(response, answerTo(new URLSearchParams(await text(request))));
  }

  function answerTo(form: URLSearchParams): Answer {
    if (state.mode === 'refusing') return refuse(401, 'invalid_client', 'AADSTS7000222');
    if (form.get('grant_type') !== 'client_credentials')
      return refuse(400, 'unsupported_grant_type', 'AADSTS70003');
    if (form.get('client_id') !== clientId) return refuse(400, 'unauthorized_client', 'AADSTS700016');
    const secret = form.get('client_secret');
    if (secret !== state.clientSecret) return refuse(401, 'invalid_client', 'AADSTS7000215', secret);
    if (!form.get('scope')?.split(' ').includes(SCOPE)) return refuse(400, 'invalid_scope', 'AADSTS1002012');
    const token = `issued-${tokens.length + 1}-${randomUUID()}`;
    tokens.push(token);
    const expires = { expires_in: state.lifetimeS, ext_expires_in: state.lifetimeS };
    return { status: 200, body: { token_type: 'Bearer', ...expires, access_token: token } };
  }

  /** @param echo what a careless authority repeats to its sender */
  function refuse(status: number, error: string, code: string, echo: string | null = ''): Answer {
    refusals.push(code);
    const error_codes = [Number(code.replace('AADSTS', ''))];
    const error_description = `${code}: the request was refused. ${echo}`;
    return { status, body: { error, error_codes, error_description } };
  }

  return Object.assign(state, {
    /** For `ToChannelFromBotLoginUrl`; the tenant stands at its end. */
    loginUrl: `https://localhost:${port}/${tenant}`,
    /** For `NODE_EXTRA_CA_CERTS`: the certificate, which is good for Microsoft's host too. */
    certificateFile,
    tokens,
    requests,
    refusals,
    async close() {
      await close();
      await rm(directory, { recursive: true });
    },
  });
}

function configuration(base: string): object {
  return {
    issuer: `${base}/v2.0`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    token_endpoint: `${base}/oauth2/v2.0/token`,
    jwks_uri: `${base}/discovery/v2.0/keys`,
  };
}

/** Its name is its own: OpenSSL looks a trusted certificate up by its name, and a process can trust several. */
function makeCertificate() {
  const altNames = ['localhost', MICROSOFT_LOGIN_HOST].map((value) => ({ type: 2, value }) as const);
  return generate([{ name: 'commonName', value: randomUUID() }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'subjectAltName', altNames },
    ],
  });
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
