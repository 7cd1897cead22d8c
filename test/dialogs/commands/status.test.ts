import { describe, expect, it, vi } from 'vitest';
import { exchangeFaultText } from '../../../dialogs/render/outcomes.ts';
import type { ExchangeFault } from '../../../src/credentials/exchanges.ts';
import type { HttpFault } from '../../../src/domain/outcome.ts';

import { closedUrl } from '../../serve.ts';
import { type BotOptions, FAST, NO_DATABASE, startBot } from '../../start-bot.ts';

const EMPTY = '<sessionCount><count>0</count></sessionCount>';
const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const AT = { at: '2026-01-15T14:05:00Z' };
const CLOCK = '14:05 UTC';
const NOW = `15 Jan, ${CLOCK}`;
const AS_OF = `as of ${NOW}.`;
const NO_TICKET = { TICKET_URL: '', TICKET_USERNAME: '', TICKET_PASSWORD: '' };

async function statusOf(options: BotOptions, ...before: string[]): Promise<string[]> {
  const bot = await startBot({ ...AT, ...options });
  for (const text of before) await bot.say(text);
  return (await bot.say('status')).texts[0]?.split('\n\n') ?? [];
}

const linesOf = (paragraph = '') => paragraph.split('  \n');

describe('the health in a status', () => {
  it('comes first, then the credentials and the TLS modes', async () => {
    const bot = await startBot({ ...AT, settings: { ...NO_TICKET, PERSONAL_SIGN_IN: '' } });
    await bot.say(LOOKUP);
    await bot.clock.skip(60_000);
    const text = await bot.ask('status');
    const [health, issued, tls] = text.split('\n\n');
    expect(text).not.toMatch(/ST-|[0-9a-f]{8}-[0-9a-f]{4}/); // No credential.
    expect(linesOf(health)).toEqual([
      'All is well, as of 15 Jan, 14:06 UTC.',
      'NAC: ok (1 minute ago)',
      'webhook: ok (1 minute ago)',
      'chat: ok (1 minute ago)',
      'database: ok (1 minute ago)',
      'Posts: 0 waiting, 0 given up.',
      'Watches: 0.',
    ]);
    expect(linesOf(issued)).toEqual([
      expect.stringMatching(/^API key: held since 15 Jan, 14:06 UTC \(now\), until .* UTC$/),
      'ticket: not configured',
    ]);
    expect(linesOf(tls).slice(0, 3)).toEqual(['TLS:', 'NAC: verify', 'webhook: verify']);
  });

  it('names what is not well, and since when, the worst system first', async () => {
    let status = 503;
    const settings = { AUTHORIZE_URL: await closedUrl() };
    const bot = await startBot({ ...AT, timing: { posts: FAST.timing.posts }, settings, room: () => status });
    await bot.say(LOOKUP);
    await bot.clock.skip(24 * 3_600_000);
    await bot.replied(2);
    status = 404;
    await bot.say(LOOKUP);
    const [headline, ...lines] = (await bot.say('status')).texts[0]?.split('\n') ?? [];
    const since = 'webhook (not found since 15 Jan, 14:05 UTC)';
    expect(headline).toBe(`⚠ Not well: ${since}, API key, posts, as of 16 Jan, 14:05 UTC.`);
    expect(lines.join()).toMatch(
      /^webhook: failing since .*; make a new webhook .*,NAC: ok .*,chat: ok .*,database: ok .*,Posts: 0 waiting, 1 given up/,
    );
  });

  const AWAY = `database (cannot be opened since ${CLOCK})`;
  const like = (pattern: string) => expect.stringMatching(pattern);
  it.each<[string, BotOptions, string[], ...lines: string[]]>([
    ['a webhook that was not asked', {}, [], `All is well as far as I know, as of ${NOW}.`],
    ['a database that is away', NO_DATABASE, [], `⚠ Not well: ${AWAY}, ${AS_OF}`],
    [
      'a NAC that is left alone',
      { nac: () => 0 },
      [1, 2, 3, 4, 5].map((number) => `00:1B:54:00:00:0${number}`),
      `⚠ Not well: NAC (unreachable since ${CLOCK}), ${AS_OF}`,
      like(`^NAC: failing since ${CLOCK}; .*check NAC_URL`),
    ],
    [
      'a NAC without a session',
      { nac: (_, path) => (path.endsWith('ActiveCount') ? EMPTY : undefined) },
      [LOOKUP],
      like('^⚠ Not well: NAC sessions .no active session at all since'),
      like(`^NAC sessions: no active session at all since ${CLOCK}; its monitoring node may have`),
    ],
  ])('begins with what is known of %s', async (_, options, before, headline, ...lines) => {
    const [health] = await statusOf(options, ...before);
    expect(linesOf(health)[0]).toEqual(headline);
    expect(linesOf(health)).toEqual(expect.arrayContaining(lines));
  });
});

it.each([
  ['Send again', '2 will be tried again.', 2],
  ['Drop', '2 dropped.', 0],
])('untaken posts are listed for administrators, with a button: %s', async (button, done, taken) => {
  let status = 503;
  const bot = await startBot({ ...AT, room: () => status });
  await bot.say(LOOKUP);
  await bot.clock.skip(24 * 3_600_000);
  await bot.replied(2);
  await bot.say('lookup 00:1B:54:00:00:01');
  const text = await bot.ask('status');
  expect(text).toMatch(/05 UTC: .*AA:BB:CC:DD:EE:FF .*\(failed, for 24 hours\)/);
  expect(text).toMatch(/05 UTC: .*00:1B:54:00:00:01 .*\(waiting\)/);
  status = 200;
  expect((await bot.press(button)).texts[0]).toContain(done);
  await vi.waitFor(() => expect(bot.posts()).toHaveLength(taken));
  expect(await bot.ask('status')).toContain('Posts: 0 waiting, 0 given up');
});

it.each([
  ['verify-full', 'TLS'],
  ['no-verify', '⚠ insecure: its certificate is not checked; DATABASE_URL needs sslmode=verify-full'],
  ['disable', '⚠ insecure: no TLS; DATABASE_URL needs sslmode=verify-full'],
])('a status names the TLS modes, and that of a database with sslmode=%s', async (sslmode, words) => {
  const DATABASE_URL = `postgres://bot@0.0.0.0:1/bot?sslmode=${sslmode}`;
  const paragraphs = await statusOf({ settings: { DATABASE_URL, NAC_TLS: 'insecure' }, waits: false });
  const tls = linesOf(paragraphs.at(-1));
  expect(tls).toEqual(expect.arrayContaining([expect.stringMatching(/^NAC: ⚠ /), `database: ${words}`]));
});

const noAnswer = (fault: HttpFault) => ({ kind: 'no answer', fault }) as const;
const WRONG_PIN = noAnswer({ kind: 'untrusted', reason: 'wrong pin' });
const TIMED_OUT = noAnswer({ kind: 'timed out', timeoutMs: 5000, begun: false });
const NOT_SENT = 'the bot does not send the password there';
const SERVICE = 'the authorization service';

it.each<[ExchangeFault, string]>([
  [{ kind: 'refused' }, `refused by ${SERVICE}: user name or password is wrong`],
  [{ kind: 'forbidden' }, `refused by ${SERVICE}: this account is not allowed`],
  [{ kind: 'redirected' }, `${SERVICE} redirected to another address, and ${NOT_SENT}`],
  [{ kind: 'fault', status: 502 }, `${SERVICE} reported a fault (HTTP status 502)`],
  [{ kind: 'no credential' }, `${SERVICE} answered without one`],
  [noAnswer({ kind: 'unreachable', code: 'x' }), `${SERVICE} could not be reached`],
  [WRONG_PIN, `not asked, because the bot does not trust the certificate of ${SERVICE} (wrong pin)`],
  [TIMED_OUT, `${SERVICE} did not answer within 5 s (time-out)`],
])('an API key is not issued: %j', (fault, words) => {
  expect(exchangeFaultText('API key', fault)).toBe(words);
});
