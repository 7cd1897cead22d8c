import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNac } from '../../src/sandbox/nac.ts';
import { buttonsOf } from '../dialogs/cards.ts';
import { answer, serve } from '../serve.ts';
import { type Bot, type Settings, startBot } from '../start-bot.ts';
import { type SignedBot, startSignedBot } from '../start-signed.ts';

const DOWN = 'http://127.0.0.1:1';
const SECRET_KEY = Buffer.from('canary-key-'.padEnd(32, 'k')).toString('base64');

const CANARIES = {
  LOG_LEVEL: 'trace',
  NAC_PASSWORD: 'canary-nac',
  WEBHOOK_TOKEN: 'canary-webhook',
  AUTHORIZE_PASSWORD: 'canary-authorize',
  TICKET_PASSWORD: 'canary-ticket',
  ALERTS_TOKEN: 'canary-alerts-token',
  SECRET_KEY,
  DATABASE_URL: 'postgres://bot:canary-database@127.0.0.1/bot',
};
const base64 = (text: string, length: number) => Buffer.from(text).toString('base64').slice(0, length);
const LEAKS = ['canary', SECRET_KEY, base64('sandbox:canary', 16), base64('alex:canary', 12)];

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const TYPED = [LOOKUP, 'lookup 00:1B:54:00:05:00', 'status', 'help', 'disconnect', 'canary', 'connect'];

const TYPED_IN = { username: 'alex', password: 'canary-typed' };
const ISSUED = JSON.stringify({ APIKey: 'canary-issued-key', serviceTicket: 'canary-issued-ticket' });

/** Starts a bot whose secrets every system accepts, except the room: its posts are stored in the database. */
async function startAccepted(): Promise<SignedBot> {
  const accounts = [{ username: 'sandbox', password: CANARIES.NAC_PASSWORD }, TYPED_IN];
  const issuer = await serve((_, response) => answer(response, 200, {}, ISSUED));
  const systems = { NAC_URL: await serve(createNac(accounts).server), TICKET_URL: issuer };
  const stored = { AUTHORIZE_URL: issuer, DATABASE_URL: '', WEBHOOK_TOKEN: 'answers-500', ADMINS: '*' };
  return startSignedBot({ settings: { ...CANARIES, ...systems, ...stored } });
}

const startRefused = (changes: Settings = {}) =>
  startBot({ settings: { ...CANARIES, ...changes }, waits: false });

it.each<[string, () => Promise<Bot | SignedBot>]>([
  ['with all that is refused', startRefused],
  [
    'with systems that are down',
    () => startRefused({ NAC_URL: DOWN, WEBHOOK_URL: DOWN, AUTHORIZE_URL: DOWN }),
  ],
  ['with all that is accepted, and stored in the database', startAccepted],
])('no secret leaves %s', async (_, start) => {
  const bot = await start();
  const signed = 'channel' in bot ? bot : undefined;
  const bearer = signed?.channel.issue({}) ?? 'canary.canary-claims.canary-signature';
  const answers: string[] = [];
  const post = async (body: unknown, headers = {}) => {
    const sent = { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, ...headers };
    const { status, text } = await bot.post(body, sent);
    answers.push(`${status} ${text}`);
  };
  const press = (value: object) => post(bot.activity('', { value, replyToId: 'card' }));

  for (const text of TYPED) await post(bot.activity(text));
  const form = buttonsOf(bot.replies).find(({ data }) => data?.dialog === 'connect');
  expect(form?.data).toBeDefined();
  await press({ ...form?.data, ...TYPED_IN });
  for (const text of [LOOKUP, 'status']) await post(bot.activity(text));
  await post('{"canary-body": ');
  await post('canary-body', { 'content-encoding': 'gzip' });
  await post(bot.activity('help'), { authorization: `Bearer ${bearer}canary` });
  await post(bot.activity('help', { serviceUrl: 'https://canary-host.example.com' }));
  for (const path of ['healthz', 'readyz', 'nothing'])
    answers.push(await (await fetch(`${bot.url}/${path}`)).text());
  await bot.app.stop();
  const folder = bot.sandbox.environment.DATA_DIR ?? '';
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1')); // Loses no byte.

  expect(answers.length).toBeGreaterThan(14);
  const replies = JSON.stringify(bot.replies).replaceAll('canary-host', '');
  if (signed) expect(replies).toMatch(/Connected as `alex`.*API key: held since.*ticket: held since/);
  if (signed) expect(files.join()).toContain('Corp_Wired_Access'); // The stored post proves that the search works.
  const places = { log: bot.log, replies, answers, files, posts: bot.posts() };
  const tokens = [...bearer.split('.').slice(1), ...(signed?.authority.tokens ?? [])];
  for (const [where, all] of Object.entries(places))
    for (const leak of [...LEAKS, ...tokens]) expect(String(all), where).not.toContain(leak);
});
