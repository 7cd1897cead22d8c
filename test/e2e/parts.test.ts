import { expect, it } from 'vitest';
import { serveSecurely } from '../cli/secure-server.ts';
import { handOn } from '../proxy.ts';
import { closedUrl, metricsOf, opsPort, readyzOf } from '../serve.ts';
import type { BotOptions } from '../start-bot.ts';
import { APP_PASSWORD, type SignedBot, startSignedBot } from '../start-signed.ts';
import { until } from '../test-clock.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const tokens = (outcome: string) => `nac_lookup_bot_app_token_requests_total{outcome="${outcome}"}`;
const replies = (outcome: string) => `nac_lookup_bot_replies_total{outcome="${outcome}"}`;

it('a wrong client secret is logged with its cure, and counted', async () => {
  const prepare = (authority: object) => Object.assign(authority, { clientSecret: 'another' });
  const bot = await startSignedBot({ prepare, settings: { OPS_PORT: await opsPort() } });
  const warnings = () => bot.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  for (const text of ['help', LOOKUP])
    expect(await bot.say(text, { id: text })).toMatchObject({ status: 200, texts: [] });
  expect(bot.carried).toEqual([]);
  expect(await readyzOf(bot)).toMatchObject({ status: 'ready', parts: { chat: 'failing' } });
  const counted = await metricsOf(bot.app);
  expect(counted).toMatchObject({ [tokens('issued')]: 0, [replies('sent')]: 0 });
  expect(counted[tokens('refused')]).toBeGreaterThan(1);
  expect(counted[replies('no token')]).toBeGreaterThan(0);
  expect(warnings().map(({ msg }) => msg)).toEqual([
    'chat failing (no token): nobody gets an answer: MicrosoftAppPassword is wrong; set the value of a client secret, not its id',
  ]);

  Object.assign(bot.authority, { clientSecret: APP_PASSWORD });
  await until(() => expect(bot.replies).toHaveLength(2));
  expect(bot.replies.map(({ replyToId }) => replyToId).toSorted()).toEqual(['help', LOOKUP]);
  expect(new Set(bot.carried)).toEqual(new Set([`Bearer ${bot.authority.tokens.at(-1)}`]));
  expect(bot.actions()).toMatchObject({ nac: 1, posts: 1 });
  expect(await readyzOf(bot)).toMatchObject({ status: 'ready', parts: { chat: 'ok' } });
  expect((await metricsOf(bot.app))[replies('sent')]).toBe(2);
  expect(bot.log.join()).not.toContain(APP_PASSWORD);
});

it('the metrics count what the bot does, and name nobody', async () => {
  const bot = await startSignedBot({ settings: { OPS_PORT: await opsPort() } });
  bot.refuse(503, 503);
  for (const text of ['help', LOOKUP, 'alerts here as night', 'watch 00:1B:54:00:00:99']) await bot.say(text);
  const counted = await metricsOf(bot.app);
  expect(Object.keys(counted).join()).toMatch(/build_info\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\}/);
  expect(counted).toMatchObject({
    nac_lookup_bot_database_up: 1,
    [replies('failed')]: 2,
    [replies('sent')]: 4,
    'nac_lookup_bot_lookup_duration_seconds_count{outcome="found"}': 1,
    'nac_lookup_bot_posts_total{outcome="posted"}': 1,
    [tokens('issued')]: 1,
    'nac_lookup_bot_jobs{queue="post",state="dead"}': 0,
    'nac_lookup_bot_oldest_due_job_seconds{queue="post"}': 0,
    nac_lookup_bot_watches: 1,
    nac_lookup_bot_oldest_due_watch_seconds: 0,
  });
  expect(counted.nac_lookup_bot_database_commit_duration_seconds_count).toBeGreaterThan(0);
  const ofProcess = Object.keys(counted).filter((name) => /^(?:process|nodejs)_/.test(name));
  expect(ofProcess).toHaveLength(process.platform === 'linux' ? 6 : 5);
  expect(JSON.stringify(counted)).not.toMatch(/AA:BB|alex/);
});

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
])('an operator sees that a part fails: %s %s', async (part, state, cure, options, arrange) => {
  const settings = { OPS_PORT: await opsPort(), ADMINS: '*', ...options.settings };
  const bot = await startSignedBot({ ...options, settings });
  await arrange?.(bot);
  if (part !== 'chat') await bot.say(LOOKUP);
  const lines = bot.log.map((line) => JSON.parse(line));
  const msg = expect.stringMatching(`^${part} ${state}.*${cure}`);
  expect(lines.filter((line) => line.part === part && line.level >= 40)).toMatchObject([{ msg }]);
  expect((await readyzOf(bot)).parts).toMatchObject({ [part]: state });
  expect((await metricsOf(bot.app))[`nac_lookup_bot_upstream_failing{upstream="${part}"}`]).toBe(1);
  if (part === 'signing keys') return; // Nobody is answered.
  const text = await bot.ask('status', { id: 'status' });
  const line = `Not well: ${part} .*\n${part}: ${state}.*; .*${cure}`.replaceAll('nac', 'NAC');
  if (part === 'chat') expect((await readyzOf(bot)).parts).toMatchObject({ chat: 'ok' });
  else expect(text).toMatch(RegExp(line));
});
