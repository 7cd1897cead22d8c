import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buttonsOf } from '../dialogs/cards.ts';
import { startBot } from '../start-bot.ts';

const DOWN = 'http://127.0.0.1:1';
const SECRET_KEY = Buffer.from('canary-key-'.padEnd(32, 'k')).toString('base64');

/** One recognisable value for each secret. */
const CANARIES = {
  NAC_PASSWORD: 'canary-nac',
  WEBHOOK_TOKEN: 'canary-webhook',
  AUTHORIZE_PASSWORD: 'canary-authorize',
  TICKET_PASSWORD: 'canary-ticket',
  ALERTS_TOKEN: 'canary-alerts-token',
  SECRET_KEY,
  DATABASE_URL: 'postgres://bot:canary-database@127.0.0.1/bot',
};
/** A NAC that works, a person connected, and everything kept in the database. */
const KEPT = {
  ...CANARIES,
  NAC_PASSWORD: 'sandbox',
  DATABASE_URL: '',
  AUTHORIZE_URL: DOWN,
  TICKET_URL: DOWN,
  WEBHOOK_TOKEN: 'answers-500',
};

/** What must stand nowhere: the canaries, the key, and what HTTP Basic makes of them. */
const LEAKS = [
  'canary',
  SECRET_KEY,
  Buffer.from('sandbox:canary').toString('base64').slice(0, 16),
  Buffer.from('alex:canary').toString('base64').slice(0, 12),
];

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const SAID = [LOOKUP, 'lookup 00:1B:54:00:05:00', 'status', 'help', 'disconnect', 'canary'];

it.each<[string, Record<string, string>]>([
  ['with all that is refused', CANARIES],
  ['with systems that are down', { ...CANARIES, NAC_URL: DOWN, WEBHOOK_URL: DOWN, AUTHORIZE_URL: DOWN }],
  ['with everything kept in the database', KEPT],
])('no secret leaves %s', async (_, settings) => {
  const isKept = settings.DATABASE_URL === '';
  const bot = await startBot({ settings: { ...settings, LOG_LEVEL: 'trace' }, waits: isKept });
  const answers: string[] = [];
  const post = async (body: unknown, headers = {}) => {
    const { status, text } = await bot.post(body, { 'content-type': 'application/json', ...headers });
    answers.push(`${status} ${text}`);
  };
  const press = (value: object) => post(bot.activity('', { value, replyToId: 'card' }));

  for (const text of [...SAID, 'connect']) await post(bot.activity(text));
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
  // As Latin-1, which loses no byte.
  const files = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');

  expect(answers.length).toBeGreaterThan(14);
  if (isKept) expect(files).toContain('Corp_Wired_Access'); // The kept post proves that the search works.
  const places = {
    log: bot.log.join('\n'),
    replies: JSON.stringify(bot.replies).replaceAll('canary-host', ''),
    answers: answers.join('\n'),
    files,
    posts: JSON.stringify(bot.posts()),
  };
  for (const [where, all] of Object.entries(places))
    for (const leak of LEAKS) expect(all, where).not.toContain(leak);
});
