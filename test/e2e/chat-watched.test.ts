import { afterEach, expect, it, vi } from 'vitest';
import { metricsOf, opsPort, readyzOf } from '../serve.ts';
import { APP_PASSWORD, openSignedStage, type SignedStage } from '../stage.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';

let stage: SignedStage;
afterEach(() => stage.close());

async function open(prepare?: Parameters<typeof openSignedStage>[1]): Promise<void> {
  stage = await openSignedStage({ OPS_PORT: await opsPort() }, prepare);
}

const readyz = () => readyzOf(stage.bot);
const metrics = () => metricsOf(stage.bot);

const warnings = () =>
  stage.log.map((line) => JSON.parse(line)).filter(({ level }: { level: number }) => level >= 40);

it('a bot whose client secret is wrong says so at its start with the cure, and shows it at /readyz and /metrics', async () => {
  await open((authority) => Object.assign(authority, { clientSecret: 'another' }));
  expect(warnings().map(({ msg }) => msg)).toEqual([
    'the bot gets no token, so nobody gets an answer: MicrosoftAppPassword is wrong; set the value of a client secret, not its id',
  ]);
  for (const text of ['help', LOOKUP])
    expect(await stage.say(text, { id: text })).toMatchObject({ status: 200, texts: [] });
  expect(stage.carried).toEqual([]);
  expect(await readyz()).toMatchObject({ status: 'ready', parts: { chat: 'failing' } });
  const counted = await metrics();
  expect(counted['nac_lookup_bot_app_token_requests_total{outcome="refused"}']).toBeGreaterThan(1);
  expect(counted['nac_lookup_bot_app_token_requests_total{outcome="issued"}']).toBe(0);
  expect(counted['nac_lookup_bot_replies_total{outcome="no token"}']).toBeGreaterThan(0);
  expect(counted['nac_lookup_bot_replies_total{outcome="sent"}']).toBe(0);
  expect(warnings()).toHaveLength(1);

  Object.assign(stage.authority, { clientSecret: APP_PASSWORD });
  await vi.waitFor(() => expect(stage.replies).toHaveLength(2), 40_000);
  expect(stage.replies.map(({ replyToId }) => replyToId).toSorted()).toEqual(['help', LOOKUP]);
  expect(new Set(stage.carried)).toEqual(new Set([`Bearer ${stage.authority.tokens.at(-1)}`]));
  expect(stage.actions()).toMatchObject({ nac: 1, posts: 1 });
  expect(await readyz()).toMatchObject({ status: 'ready', parts: { chat: 'ok' } });
  expect((await metrics())['nac_lookup_bot_replies_total{outcome="sent"}']).toBe(2);
  expect(stage.log.join('\n')).not.toContain(APP_PASSWORD);
});

it('a bot whose replies the chat service does not take warns once, and says when they arrive again; its metrics name nobody', async () => {
  await open();
  expect(await readyz()).toMatchObject({ parts: { chat: 'ok' } });
  stage.refuse({ status: 503 }, { status: 503 });
  expect((await stage.say('help')).texts).toEqual([expect.stringContaining('Commands')]);
  await vi.waitFor(() => expect(stage.log.join('\n')).toContain('replies reach the chat service again'));
  expect(warnings()).toMatchObject([{ outcome: 'failed', msg: expect.stringContaining('do not reach') }]);

  await stage.say(LOOKUP);
  await stage.say('alerts here as night');
  const counted = await metrics();
  const own = Object.keys(counted).filter((name) => !/^(?:process|nodejs)_/.test(name));
  expect(own.filter((name) => !name.startsWith('nac_lookup_bot_'))).toEqual([]);
  expect(own.find((name) => name.includes('build_info'))).toMatch(
    /\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\}$/,
  );
  expect(counted).toMatchObject({
    nac_lookup_bot_database_up: 1,
    'nac_lookup_bot_replies_total{outcome="failed"}': 2,
    'nac_lookup_bot_replies_total{outcome="sent"}': 3,
    'nac_lookup_bot_lookup_duration_seconds_count{outcome="found"}': 1,
    'nac_lookup_bot_posts_total{outcome="posted"}': 1,
    'nac_lookup_bot_app_token_requests_total{outcome="issued"}': 1,
    'nac_lookup_bot_jobs{queue="post",state="dead"}': 0,
    'nac_lookup_bot_oldest_due_job_seconds{queue="post"}': 0,
    nodejs_eventloop_lag_p99_seconds: expect.any(Number),
  });
  expect(counted.nac_lookup_bot_database_commit_duration_seconds_count).toBeGreaterThan(0);
  expect(JSON.stringify(counted)).not.toMatch(/AA:BB|alex/);
});
