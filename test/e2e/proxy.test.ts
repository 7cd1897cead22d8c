import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startBot } from '../../src/sandbox/sandbox.ts';
import { openProxy, type TestProxy } from '../proxy.ts';
import { GOOD } from '../settings.ts';
import { openSignedStage, type SignedStage } from '../stage.ts';
import { MICROSOFT_LOGIN_HOST } from '../teams/authentication/identity-authority.ts';

const [KEYS, CHAT, ROOM] = ['login.botframework.com', 'chat.example', 'hooks.example'];
const ACCOUNT = 'bot:canary-proxy';

type Certificate = { key: string; cert: string; pin: string };

/** Ends TLS in front of a server on loopback, as a public address does. */
async function openTlsFront({ key, cert }: Certificate, target: string) {
  const server = createServer({ key, cert }, (socket) => {
    const onwards = connect(Number(new URL(target).port), '127.0.0.1');
    socket.on('error', () => onwards.destroy()).on('close', () => onwards.destroy());
    onwards.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(onwards).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

async function makeCertificate(): Promise<Certificate> {
  const altNames = [KEYS, CHAT, ROOM].map((value) => ({ type: 2 as const, value }));
  const made = await generate([{ name: 'commonName', value: 'front' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key: made.private, cert: made.cert, pin: new X509Certificate(made.cert).fingerprint256 };
}

describe('behind a proxy that alone knows the names of the other systems', () => {
  const hosts: Record<string, string | number> = {};
  const closing: Array<() => unknown> = [];
  let certificate: Certificate;
  let proxy: TestProxy;
  let proxyUrl: string;
  let stage: SignedStage;

  beforeAll(async () => {
    certificate = await makeCertificate();
    proxy = await openProxy({ account: ACCOUNT, hosts });
    proxyUrl = proxy.url.replace('//', `//${ACCOUNT}@`);
    stage = await openSignedStage(
      {
        HTTPS_PROXY: proxyUrl,
        http_proxy: proxyUrl,
        NO_PROXY: '127.0.0.1',
        BotOpenIdMetadata: '',
        ToChannelFromBotLoginUrl: '',
        SERVICE_HOSTS: CHAT,
        WEBHOOK_URL: `https://${ROOM}`,
        WEBHOOK_TLS: `pin:${certificate.pin}`,
      },
      ({ loginUrl, certificateFile }) => {
        hosts[MICROSOFT_LOGIN_HOST] = new URL(loginUrl).port;
        appendFileSync(certificateFile, `\n${certificate.cert}`);
      },
    );
    const { channel, chat, sandbox } = stage;
    channel.origin = `https://${KEYS}`;
    const behind = { [KEYS]: channel.metadataUrl, [CHAT]: chat.url, [ROOM]: sandbox.roomUrl };
    for (const [name, url] of Object.entries(behind)) {
      const front = await openTlsFront(certificate, url);
      hosts[name] = front.port;
      closing.push(front.close);
    }
  });
  afterAll(async () => {
    expect(stage.log.join('\n')).not.toContain('canary-proxy');
    await stage.close();
    for (const close of closing) close();
    await proxy.close();
  });

  /** Asks, and returns the answer as the chat shows it in the end. */
  async function ask(text: string): Promise<string | undefined> {
    const serviceUrl = `https://${CHAT}`;
    const { status, texts } = await stage.say(text, { serviceUrl }, { claims: { serviceurl: serviceUrl } });
    expect(status).toBe(200);
    return texts.at(-1);
  }

  it('chat, keys, token and webhook go through the proxy, and the NAC goes around it', async () => {
    expect(await ask('lookup AA:BB:CC:DD:EE:FF')).toContain('connected.');
    expect(stage.deeds()).toMatchObject({ nac: 1, posts: 1 });
    expect(new Set(proxy.asked)).toEqual(
      new Set([MICROSOFT_LOGIN_HOST, KEYS, CHAT, ROOM].map((host) => `CONNECT ${host}:443`)),
    );
  });

  it('the NAC goes through the proxy too, even on loopback, unless NO_PROXY names it', async () => {
    await stage.restart({ NO_PROXY: 'elsewhere.example' });
    const before = proxy.asked.length;
    expect(await ask('lookup 00:1B:54:00:00:02')).toContain('connected.');
    expect(proxy.asked.slice(before)).toContainEqual(
      expect.stringMatching(
        /^GET http:\/\/127\.0\.0\.1:\d+\/admin\/API\/mnt\/Session\/MACAddress\/00:1B:54:00:00:02$/,
      ),
    );
  });

  it('a pin that does not fit refuses the webhook behind the tunnel', async () => {
    await stage.restart({ WEBHOOK_TLS: `pin:${'AB'.repeat(32)}` });
    const { posts } = stage.deeds();
    expect(await ask('lookup 00:1B:54:00:00:03')).toMatch(/rejected.*not posted.* pin/s);
    expect(stage.deeds()).toMatchObject({ posts });
  });

  it('a proxy that refuses is named in the log, once, and the person hears what could not be reached', async () => {
    await stage.restart({ NO_PROXY: '', http_proxy: proxy.url.replace('//', '//bot:canary-proxy-old@') });
    for (const address of ['00:1B:54:00:00:04', '00:1B:54:00:00:06'])
      expect(await ask(`lookup ${address}`)).toContain('the NAC could not be reached');
    const { host } = new URL(proxy.url);
    const told = () => stage.log.filter((line) => line.includes('"upstream":"NAC"'));
    await vi.waitFor(() => expect(told()).toHaveLength(1));
    expect(JSON.parse(told()[0] ?? '')).toMatchObject({
      proxy: host,
      code: '407',
      msg: `the proxy ${host} lets nothing through: it wants a user and a password, or others (407): correct HTTPS_PROXY or HTTP_PROXY`,
    });
  });
});

it.each(['socks5://bot:canary-proxy@proxy.example.com', 'bot:canary-proxy@proxy.example.com:3128'])(
  'a proxy that cannot be one ends the start with 2, and its password is not printed: %s',
  async (address) => {
    const ended = await startBot({ ...GOOD, HTTPS_PROXY: address }).catch(String);
    expect(ended).toContain('ended with 2');
    expect(ended).toContain('HTTPS_PROXY must be http://HOST:PORT');
    expect(ended).not.toContain('canary-proxy');
  },
);
