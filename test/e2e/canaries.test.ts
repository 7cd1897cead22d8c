import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buttonsOf } from '../dialogs/cards.ts';
import { startBot } from '../start-bot.ts';

const DOWN = 'http://127.0.0.1:1';
const SECRET_KEY = Buffer.from('canary-key-'.padEnd(32, 'k')).toString('base64');

const CANARIES = {
  NAC_PASSWORD: 'canary-nac',
  WEBHOOK_TOKEN: 'canary-webhook',
  AUTHORIZE_PASSWORD: 'canary-authorize',
  TICKET_PASSWORD: 'canary-ticket',
  ALERTS_TOKEN: 'canary-alerts-token',
  SECRET_KEY,
  DATABASE_URL: 'postgres://bot:canary-database@127.0.0.1/bot',
};
const NAC_UP = { NAC_PASSWORD: 'sandbox', DATABASE_URL: '', WEBHOOK_TOKEN: 'answers-500' };
const STORED = { ...CANARIES, ...NAC_UP, AUTHORIZE_URL: DOWN, TICKET_URL: DOWN };

const base64 = (text: string, length: number) => Buffer.from(text).toString('base64').slice(0, length);
const LEAKS = ['canary', SECRET_KEY, base64('sandbox:canary', 16), base64('alex:canary', 12)];

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const TYPED = [LOOKUP, 'lookup 00:1B:54:00:05:00', 'status', 'help', 'disconnect', 'canary', 'connect'];

it.each<[string, Record<string, string>]>([
  ['with all that is refused', CANARIES],
  ['with systems that are down', { ...CANARIES, NAC_URL: DOWN, WEBHOOK_URL: DOWN, AUTHORIZE_URL: DOWN }],
  ['with everything stored in the database', STORED],
])('no secret leaves %s', async (_, settings) => {
  const isStored = settings.DATABASE_URL === '';
  const bot = await startBot({ settings: { ...settings, LOG_LEVEL: 'trace' }, waits: isStored });
  const answers: string[] = [];
  const post = async (body: unknown, headers = {}) => {
    const { status, text } = await bot.post(body, { 'content-type': 'application/json', ...headers });
    answers.push(`${status} ${text}`);
  };
  const press = (value: object) => post(bot.activity('', { value, replyToId: 'card' }));

  for (const text of TYPED) await post(bot.activity(text));
  const form = buttonsOf(bot.replies).find(({ data }) => data?.dialog === 'connect');
  expect(form?.data).toBeDefined();
  const typed = { username: 'alex', password: 'canary-typed' };
  await press({ ...form?.data, ...typed });
  await press({ dialog: 'connect', proof: 'canary-forged', ...typed });
  for (const text of [LOOKUP, 'status']) await post(bot.activity(text));
  await post('{"canary-body": ');
  await post('canary-body', { 'content-encoding': 'gzip' });
  await post(bot.activity('help', { serviceUrl: 'https://canary-host.example.com' }));
  for (const path of ['healthz', 'readyz', 'nothing'])
    answers.push(await (await fetch(`${bot.url}/${path}`)).text());
  await bot.app.stop();
  const folder = bot.sandbox.environment.DATA_DIR ?? '';
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1')); // Loses no byte.

  expect(answers.length).toBeGreaterThan(14);
  if (isStored) expect(files.join()).toContain('Corp_Wired_Access'); // The stored post proves that the search works.
  const replies = JSON.stringify(bot.replies).replaceAll('canary-host', '');
  const places = { log: bot.log, replies, answers, files, posts: bot.posts() };
  for (const [where, all] of Object.entries(places))
    for (const leak of LEAKS) expect(String(all), where).not.toContain(leak);
});
