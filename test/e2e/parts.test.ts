import { expect, it } from 'vitest';
import { serveSecurely } from '../cli/secure-server.ts';
import { handOn } from '../proxy.ts';
import { closedUrl, metricsOf, opsPort, readyzOf } from '../serve.ts';
import type { BotOptions } from '../start-bot.ts';
import { type SignedBot, startSignedBot } from '../start-signed.ts';

type Arrange = (bot: SignedBot) => Promise<unknown>;

const securely = (to: number) => async (bot: SignedBot) => {
  const { NAC_URL } = bot.sandbox.environment;
  const { url, pin } = await serveSecurely((request, response) => handOn(NAC_URL, request, response), { to });
  await bot.restart({ NAC_URL: url, NAC_TLS: pin });
};
const losingReplies: Arrange = async (bot) => {
  bot.refuse(...Array<number>(5).fill(404));
  for (const id of ['a', 'b', 'c', 'a', 'b'])
    await bot.say('help', { id: `${id}${bot.log.length}`, conversation: { id } });
};
const losingFirstNac: Arrange = async (bot) =>
  bot.restart({ NAC_URL: `${await closedUrl()},${bot.sandbox.environment.NAC_URL}` });
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const NO_KEYS = { settings: { BotOpenIdMetadata: await closedUrl() } };

it.each<[part: string, state: string, cure: string, options: BotOptions, arrange?: Arrange]>([
  ['chat', 'failing', 'the chat service refuses every reply', {}, losingReplies],
  ['signing keys', 'failing', 'nobody is answered; check', NO_KEYS],
  ['webhook', 'failing', 'look at the state of that service', { room: () => 500 }],
  ['first nac', 'failing', 'check the port in NAC_URL', {}, losingFirstNac],
  ['nac certificate', `ends on ${dayIn(10)}`, 'renewed', {}, securely(10)],
  ['nac certificate', `ended on ${dayIn(-0.5)}`, 'renewed', {}, securely(-0.5)],
])('an operator sees that a part fails: %s %s', async (part, state, cure, options, arrange) => {
  const settings = { OPS_PORT: await opsPort(), ADMINS: '*', ...options.settings };
  const bot = await startSignedBot({ ...options, settings });
  await arrange?.(bot);
  if (part !== 'chat') await bot.say('lookup AA:BB:CC:DD:EE:FF');
  const lines = bot.log.map((line) => JSON.parse(line));
  const msg = expect.stringMatching(`^${part} ${state}.*${cure}`);
  expect(lines.filter((line) => line.part === part && line.level >= 40)).toMatchObject([{ msg }]);
  expect((await readyzOf(bot)).parts).toMatchObject({ [part]: state });
  expect((await metricsOf(bot.app))[`nac_lookup_bot_upstream_failing{upstream="${part}"}`]).toBe(1);
  if (part === 'signing keys') return; // Nobody is answered.
  const [text = ''] = (await bot.say('status', { id: 'status' })).texts;
  if (part === 'chat') expect((await readyzOf(bot)).parts).toMatchObject({ chat: 'ok' });
  else
    expect(text).toMatch(
      RegExp(`Not well: ${part} .*\n${part}: ${state}.*; .*${cure}`.replaceAll('nac', 'NAC')),
    );
});
