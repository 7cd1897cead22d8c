import { expect, it } from 'vitest';
import { serveSecurely } from '../cli/secure-server.ts';
import { handOn } from '../proxy.ts';
import { closedUrl, metricsOf, opsPort, readyzOf } from '../serve.ts';
import { type SignedBot, startSignedBot } from '../start-signed.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';

type Situation = {
  part: string;
  state?: string;
  settings?: Record<string, string>;
  room?: () => number;
  /** What happens once the bot runs. */
  arrange?: (bot: SignedBot) => Promise<unknown>;
  cure: string;
};

const securely = (to: number) => async (bot: SignedBot) => {
  const { NAC_URL } = bot.sandbox.environment;
  const { url, pin } = await serveSecurely((request, response) => handOn(NAC_URL, request, response), { to });
  await bot.restart({ NAC_URL: url, NAC_TLS: pin });
};
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const SITUATIONS: Situation[] = [
  {
    part: 'chat',
    arrange: async (bot) => {
      bot.refuse(...Array<number>(5).fill(404));
      for (const id of ['a', 'b', 'c', 'a', 'b'])
        await bot.say('help', { id: `${id}${bot.log.length}`, conversation: { id } });
    },
    cure: 'the chat service refuses every reply',
  },
  { part: 'signing keys', settings: { BotOpenIdMetadata: 'closed' }, cure: 'nobody is answered; check' },
  { part: 'webhook', room: () => 500, cure: 'look at the state of that service' },
  {
    part: 'first nac',
    arrange: async (bot) =>
      bot.restart({ NAC_URL: `${await closedUrl()},${bot.sandbox.environment.NAC_URL}` }),
    cure: 'check the port in NAC_URL',
  },
  { part: 'nac certificate', state: `ends on ${dayIn(10)}`, arrange: securely(10), cure: 'renewed' },
  { part: 'nac certificate', state: `ended on ${dayIn(-0.5)}`, arrange: securely(-0.5), cure: 'renewed' },
];

it.each(SITUATIONS)('an operator sees that a part fails: $part $state', async (situation) => {
  const { part, state = 'failing', arrange, cure, room } = situation;
  const { BotOpenIdMetadata } = situation.settings ?? {};
  const settings = {
    OPS_PORT: await opsPort(),
    ADMINS: '*',
    ...(BotOpenIdMetadata && { BotOpenIdMetadata: await closedUrl() }),
  };
  const bot = await startSignedBot({ settings, ...(room && { room }) });
  await arrange?.(bot);
  if (part !== 'chat') await bot.say(LOOKUP);
  const lines = bot.log
    .map((line) => JSON.parse(line))
    .filter((line) => line.part === part && line.level >= 40);
  expect(lines).toMatchObject([{ msg: expect.stringMatching(`^${part} ${state}.*${cure}`) }]);
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
