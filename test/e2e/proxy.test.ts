import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { serveSecurely } from '../cli/secure-server.ts';
import { handOn, openClosingProxy } from '../proxy.ts';
import { startSignedBot } from '../start-signed.ts';
import { MICROSOFT_LOGIN_HOST } from '../teams/authentication/identity.ts';
import { until } from '../test-clock.ts';

const [KEYS, CHAT, ROOM] = ['login.botframework.com', 'chat.example', 'hooks.example'] as const;
const NAMES = [KEYS, CHAT, ROOM];
const ACCOUNT = 'bot:canary-proxy';

it('behind a proxy, each system is called as NO_PROXY says', async () => {
  // The proxy alone knows the names of the chat service, its keys and the webhook.
  const hosts: Record<string, string> = {};
  const targets = Promise.withResolvers<Record<string, string>>();
  const proxy = await openClosingProxy({ account: ACCOUNT, hosts });
  const proxyUrl = proxy.url.replace('//', `//${ACCOUNT}@`);
  const openFront = (name: string) =>
    serveSecurely(async (...exchange) => handOn((await targets.promise)[name], ...exchange), { name });
  const fronts = await Promise.all(NAMES.map(openFront));
  fronts.forEach(({ url }, index) => void Object.assign(hosts, { [NAMES[index] ?? '']: new URL(url).port }));
  const settings = {
    HTTPS_PROXY: proxyUrl,
    http_proxy: proxyUrl,
    NO_PROXY: '127.0.0.1',
    BotOpenIdMetadata: '',
    ToChannelFromBotLoginUrl: '',
    SERVICE_HOSTS: CHAT,
    WEBHOOK_URL: `https://${ROOM}`,
    WEBHOOK_TLS: fronts[2]?.pin ?? '',
  };
  const bot = await startSignedBot({
    settings,
    prepare({ loginUrl, certificateFile }) {
      hosts[MICROSOFT_LOGIN_HOST] = new URL(loginUrl).port;
      for (const { pem } of fronts) appendFileSync(certificateFile, `\n${pem}`);
    },
  });
  bot.channel.origin = `https://${KEYS}`;
  targets.resolve({ [KEYS]: bot.channel.metadataUrl, [CHAT]: bot.chat.url, [ROOM]: bot.sandbox.roomUrl });
  async function ask(text: string): Promise<string | undefined> {
    const serviceUrl = `https://${CHAT}`;
    const token = bot.channel.issue({ claims: { serviceurl: serviceUrl } });
    return (await bot.say(text, { serviceUrl }, `Bearer ${token}`)).texts.at(-1);
  }

  expect(await ask('lookup AA:BB:CC:DD:EE:FF')).toContain('connected.');
  expect(bot.actions()).toMatchObject({ nac: 1, posts: 1 });
  expect(new Set(proxy.asked)).toEqual(
    new Set([MICROSOFT_LOGIN_HOST, ...NAMES].map((host) => `CONNECT ${host}:443`)),
  );

  await bot.restart({ WEBHOOK_TLS: `pin:${'AB'.repeat(32)}` });
  expect(await ask('lookup 00:1B:54:00:00:03')).toMatch(/rejected.*not posted.* pin/s);

  const refused = proxy.url.replace('//', '//bot:canary-proxy-old@');
  await bot.restart({ NO_PROXY: '', http_proxy: refused });
  for (const address of ['00:1B:54:00:00:04', '00:1B:54:00:00:06'])
    expect(await ask(`lookup ${address}`)).toContain('the NAC could not be reached');
  const { host } = new URL(proxy.url);
  const msg = `proxy to nac failing (407): the proxy ${host} lets nothing through: it wants a user and a password, or others (407): correct HTTPS_PROXY or HTTP_PROXY`;
  await until(() => expect(bot.logged(msg)).toMatchObject([{ outcome: '407', part: 'proxy to nac' }]));
  expect(bot.log.join()).not.toContain('canary-proxy');
});
