import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNac } from '../../src/sandbox/nac.ts';
import { answer, opsPort, serve } from '../serve.ts';
import { openSignedStage, openStage, type SignedStage, type Stage } from '../stage.ts';
import { buttonsOf, pressing } from './cards.ts';

const DOWN = 'http://127.0.0.1:1';
const SECRET_KEY = Buffer.from('canary-key-'.padEnd(32, 'k')).toString('base64');
const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const TYPED = { username: 'alex', password: 'canary-typed' };
const ISSUED = { APIKey: 'canary-issued-key', serviceTicket: 'canary-issued-ticket' };

/** One recognisable value for each secret. */
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

/** Parts of each secret, as it is and as HTTP Basic encodes it. */
const LEAKS = [
  'canary',
  SECRET_KEY,
  Buffer.from('sandbox:canary').toString('base64').slice(0, 16),
  Buffer.from('alex:canary').toString('base64').slice(0, 12),
];

const openRefused = (changes = {}) => openStage({ ...CANARIES, ...changes }, { waits: false });

/** All systems accept the canaries, except the room: its posts stay in the database. */
async function openAccepted(): Promise<SignedStage> {
  const accounts = [{ username: 'sandbox', password: CANARIES.NAC_PASSWORD }, TYPED];
  const issuer = await serve((_, response) => answer(response, 200, {}, JSON.stringify(ISSUED)));
  const urls = {
    NAC_URL: await serve(createNac({ accounts }).server),
    AUTHORIZE_URL: issuer,
    TICKET_URL: issuer,
  };
  const changes = { ...urls, DATABASE_URL: '', WEBHOOK_TOKEN: 'answers-500', OPS_PORT: await opsPort() };
  return openSignedStage({ ...CANARIES, ...changes });
}

/** Says and sends everything with a secret at hand. Returns the HTTP answers. */
async function talk(stage: Stage | SignedStage, bearer: string): Promise<string[]> {
  const answers: string[] = [];
  const post = async (body: unknown, headers = {}) => {
    const sent = { 'content-type': 'application/json', authorization: `Bearer ${bearer}`, ...headers };
    const { status, text } = await stage.post(body, sent);
    answers.push(`${status} ${text}`);
  };
  for (const text of [LOOKUP, 'lookup 00:1B:54:00:05:00', 'help', 'disconnect', 'canary', 'connect'])
    await post(stage.activity(text));
  const form = stage.replies.at(-1);
  const { value, ...press } = pressing(form && buttonsOf(form)[0], form?.id ?? '');
  await post(stage.activity('', { ...press, value: { ...Object(value), ...TYPED } }));
  for (const text of [LOOKUP, 'status']) await post(stage.activity(text));
  for (const body of ['{"canary-body": ', stage.activity('help', { serviceUrl: 'https://canary.example' })])
    await post(body);
  await post('canary-body', { 'content-encoding': 'gzip' });
  await post(stage.activity(LOOKUP), { authorization: `Bearer ${bearer}canary` });
  await stage.alert(LOOKUP);
  const { url, opsUrl } = stage.bot;
  const pages = ['healthz', 'readyz', 'nothing'].map((path) => `${url}/${path}`);
  for (const page of opsUrl ? [...pages, `${opsUrl}/metrics`] : pages)
    answers.push(await (await fetch(page)).text());
  return answers;
}

/** Reads the files of the bot's database as Latin-1, which loses no byte. */
function readDatabase({ sandbox }: Stage | SignedStage): string[] {
  const folder = sandbox.environment.DATA_DIR ?? '';
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
}

it.each<[string, () => Promise<Stage | SignedStage>]>([
  ['with secrets that are refused', openRefused],
  [
    'with systems that are down',
    () => openRefused({ NAC_URL: DOWN, WEBHOOK_URL: DOWN, AUTHORIZE_URL: DOWN }),
  ],
  ['with secrets that are accepted', openAccepted],
])('no secret leaves a bot %s', async (_, open) => {
  const stage = await open();
  const signed = 'channel' in stage ? stage : undefined;
  const bearer = signed?.channel.issue({}) ?? 'canary.canary-claims.canary-signature';
  const answers = await talk(stage, bearer);
  await stage.bot.stop();
  const files = readDatabase(stage);
  await stage.close();

  const replies = JSON.stringify(stage.replies);
  if (signed) {
    expect(replies).toContain('API key: issued');
    expect(answers.at(-1)).toContain('nac_lookup_bot_');
    expect(files.join()).toContain('Corp_Wired_Access'); // The stored post proves that the search works.
  }
  const places = { log: stage.log, replies, answers, files, posts: stage.posts() };
  const tokens = [...bearer.split('.').slice(1), ...(signed?.authority.tokens ?? [])];
  for (const [place, texts] of Object.entries(places))
    for (const leak of [...LEAKS, ...tokens]) expect(String(texts), place).not.toContain(leak);
});
