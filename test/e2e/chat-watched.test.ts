import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/sandbox/listen.ts';
import { APP_PASSWORD, openSignedStage, type SignedStage, untilOpen } from '../stage.ts';

let stage: SignedStage;
afterEach(() => stage.close());

/** A stage whose metrics can be read: the value of each series, by its name and labels. */
async function openWatchedStage(prepare?: Parameters<typeof openSignedStage>[1]) {
  const port = await freePort(0);
  stage = await openSignedStage({ OPS_PORT: String(port) }, prepare);
  await untilOpen(stage.bot.url);
  return async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Object.fromEntries(
      text
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
  };
}

async function readyz(): Promise<unknown> {
  const response = await fetch(`${stage.bot.url}/readyz`);
  return { status: response.status, ...((await response.json()) as { parts: object }).parts };
}

const warnings = () =>
  stage.log.map((line) => JSON.parse(line)).filter(({ level }: { level: number }) => level >= 40);

describe('a bot whose client secret is wrong', () => {
  it('says so at its start with the cure, stays ready, and shows it at /readyz and /metrics', async () => {
    const metrics = await openWatchedStage((authority) =>
      Object.assign(authority, { clientSecret: 'another' }),
    );
    expect(warnings().map(({ msg }) => msg)).toEqual([
      'the bot gets no token, so nobody gets an answer: MicrosoftAppPassword is wrong; set the value of a client secret, not its id',
    ]);
    expect(await stage.say('help', { id: 'help-1' })).toMatchObject({ status: 200, texts: [] });
    expect(await readyz()).toMatchObject({ status: 200, chat: 'failing' });
    const counted = await metrics();
    expect(counted['nac_lookup_bot_app_token_requests_total{outcome="refused"}']).toBeGreaterThan(1);
    expect(counted['nac_lookup_bot_app_token_requests_total{outcome="issued"}']).toBe(0);
    expect(counted['nac_lookup_bot_replies_total{outcome="no token"}']).toBeGreaterThan(0);
    expect(counted['nac_lookup_bot_replies_total{outcome="sent"}']).toBe(0);
    expect(warnings()).toHaveLength(1);

    Object.assign(stage.authority, { clientSecret: APP_PASSWORD });
    await vi.waitFor(() => expect(stage.chat.replies).toHaveLength(1), 40_000);
    expect(await readyz()).toMatchObject({ status: 200, chat: 'ok' });
    expect((await metrics())['nac_lookup_bot_replies_total{outcome="sent"}']).toBe(1);
    expect(stage.log.join('\n')).not.toContain(APP_PASSWORD);
  });
});

describe('a bot whose replies the chat service does not take', () => {
  it('warns once, counts them by outcome, and says when they arrive again', async () => {
    const metrics = await openWatchedStage();
    expect(await readyz()).toMatchObject({ chat: 'ok' });
    stage.chat.refusals.push({ status: 503 }, { status: 503 });
    expect((await stage.say('help')).texts).toEqual([expect.stringContaining('Commands')]);
    await vi.waitFor(() => expect(stage.log.join('\n')).toContain('replies reach the chat service again'));
    expect(warnings()).toMatchObject([{ outcome: 'failed', msg: expect.stringContaining('do not reach') }]);
    expect(await metrics()).toMatchObject({
      'nac_lookup_bot_replies_total{outcome="failed"}': 2,
      'nac_lookup_bot_replies_total{outcome="sent"}': 1,
    });
    expect((await stage.say('status')).texts.join()).toMatch(/webhook: .*\n?.*chat: ok/);
  });
});

describe('the metrics', () => {
  it('have one prefix, the release, and the state of the database', async () => {
    const metrics = await openWatchedStage();
    await stage.say('lookup AA:BB:CC:DD:EE:FF');
    await stage.say('alerts here as night');
    const counted = await metrics();
    const own = Object.keys(counted).filter((name) => !/^(?:process|nodejs)_/.test(name));
    expect(own.filter((name) => !name.startsWith('nac_lookup_bot_'))).toEqual([]);
    expect(own.find((name) => name.includes('build_info'))).toMatch(
      /\{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"\}$/,
    );
    expect(counted).toMatchObject({
      nac_lookup_bot_database_up: 1,
      'nac_lookup_bot_lookup_duration_seconds_count{outcome="found"}': 1,
      'nac_lookup_bot_posts_total{outcome="posted"}': 1,
      'nac_lookup_bot_app_token_requests_total{outcome="issued"}': 1,
      'nac_lookup_bot_jobs{queue="post",state="dead"}': 0,
      'nac_lookup_bot_oldest_due_job_seconds{queue="post"}': 0,
      nac_lookup_bot_database_commit_duration_seconds_count: expect.any(Number),
      nodejs_eventloop_lag_p99_seconds: expect.any(Number),
    });
    expect(counted.nac_lookup_bot_database_commit_duration_seconds_count).toBeGreaterThan(0);
    expect(JSON.stringify(counted)).not.toMatch(/AA:BB|alex/);
  });
});

describe('a message with a token that the clock of this machine makes old', () => {
  it('is refused, and the log names the claim and by how much it failed', async () => {
    await openWatchedStage();
    const exp = Math.floor(Date.now() / 1000) - 1000;
    expect(await stage.say('help', {}, { claims: { exp } })).toMatchObject({ status: 401 });
    await vi.waitFor(() =>
      expect(stage.log.join('\n')).toMatch(/exp: over for 1\d{3} s, and 300 s are tolerated/),
    );
  });
});
