import { describe, expect, it, vi } from 'vitest';
import type { KeptJobs } from '../../../dialogs/commands/posts.ts';
import { createStatus, type StatusOptions } from '../../../dialogs/commands/status.ts';
import type { CredentialOutcome, Held, NotConnected } from '../../../src/credentials/exchanges.ts';
import type { Vault } from '../../../src/credentials.ts';
import type { HttpFault } from '../../../src/domain/outcome.ts';
import { Secret } from '../../../src/domain/secret.ts';
import type { TlsMode } from '../../../src/http/trust.ts';
import { IDLE_SYSTEMS, noKeptJobs, services } from '../all-dialogs.ts';
import { talk } from '../talk.ts';

const HELD: Held = { kind: 'held', credential: new Secret('canary'), since: 1000, until: undefined };
const OK = { kind: 'ok', since: 3000, at: 8000 } as const;
const UNSEEN = { kind: 'not asked yet' } as const;
const VERIFY = 'DATABASE_URL needs sslmode=verify-full';
const UNCHECKED = '⚠ insecure: its certificate is not checked';
const tls = (NAC: TlsMode) => ({ tls: { NAC } });
const ELSEWHERE = 'to another address, and the bot does not send the password there';
const NOBODY = 'it shows no session for anyone, so its monitoring node may get no logs';
const silent = (fault: HttpFault): CredentialOutcome => ({ kind: 'no answer', fault });
const timedOut = silent({ kind: 'timed out', timeoutMs: 4000, begun: false });
const distrusted = silent({ kind: 'untrusted', reason: 'wrong pin' });
const redirected = (reason: 'another origin' | 'too many' | 'no address') =>
  ({ kind: 'redirected', reason }) as const;
const SERVICE =
  'Basic: held since <1 s> (<1 s> ago)  \nAPI key: held since <1 s> (<1 s> ago), until <9 s>  \nticket: not configured';

describe('status', () => {
  it('says first that all is well, then how each system is, which credentials are held, and the TLS modes', async () => {
    expect(await paragraphsOf({})).toEqual([
      'All is well, as of <10 s>.  \nNAC: ok (<8 s> ago)  \nwebhook: ok (<8 s> ago)  \nchat: ok (<8 s> ago)  \ndatabase: ok  \nPosts: 2 waiting, 0 given up.',
      `The bot's account:  \n${SERVICE}`,
      `TLS:  \nNAC: verify  \nwebhook: ${UNCHECKED}`,
    ]);
  });

  it('names all that is not well in its first line, and says the worst system first, with since when', async () => {
    const [health] = await paragraphsOf({
      seen: () => ({
        nac: OK,
        webhook: { kind: 'failing', since: 2000, at: 8000, why: 'not found' },
        chat: UNSEEN,
      }),
      apiKey: { kind: 'no answer', fault: { kind: 'unreachable', code: 'ECONNREFUSED' } },
      nacRestsUntil: () => 20_000,
      kept: noKeptJobs({ Posts: keptPosts(async () => ({ waiting: 2, dead: 1 })) }),
    });
    const [headline, ...lines] = health?.split('  \n') ?? [];
    const unwell = "webhook (not found since <2 s>), the bot's account, API key, posts";
    expect(headline).toBe(`⚠ Not well: ${unwell}. As of <10 s>:`);
    expect(lines.join()).toMatch(
      /^webhook: failing since <2 s> .*,chat: .*,NAC: ok .*,database: ok,Posts: 2 /,
    );
  });

  it.each<[Changes, string]>([
    [{ seen: () => ({ nac: OK, webhook: UNSEEN, chat: OK }) }, 'No fault known, as of <10 s>.'],
    [{ database: () => 'opening' }, 'No fault known, as of <10 s>.'],
    [{ database: () => 'does not answer' }, '⚠ Not well: database. As of <10 s>:'],
    [{ apiKey: { kind: 'not configured' } }, 'All is well, as of <10 s>.'],
  ])('does not call well what it does not know: %j', async (changes, headline) => {
    expect((await paragraphsOf(changes))[0]?.split('  \n')[0]).toBe(headline);
  });

  it.each<[Partial<StatusOptions>, string]>([
    [tls({ kind: 'ca', pem: '' }), 'NAC: ca (an authority of its own)'],
    [tls({ kind: 'pin', fingerprints: ['A'] }), 'NAC: pin (1 certificate)'],
    [tls({ kind: 'pin', fingerprints: ['A', 'B'] }), 'NAC: pin (2 certificates)'],
    [{ databaseTls: 'TLS' }, 'database: TLS'],
    [{ databaseTls: 'unchecked TLS' }, `database: ${UNCHECKED}; ${VERIFY}`],
    [{ databaseTls: 'no TLS' }, `database: ⚠ insecure: no TLS; ${VERIFY}`],
  ])("names an upstream's or the database's TLS mode: %j", async (changes, words) => {
    expect(await paragraphsOf({ tls: {}, ...changes })).toContain(`TLS:  \n${words}`);
  });

  it.each<[CredentialOutcome, string]>([
    [{ kind: 'resting', until: 5000 }, 'refused; not asked again for <until 5 s>'],
    [{ kind: 'refused' }, 'refused by the SERVICE: user name or password is wrong'],
    [{ kind: 'forbidden' }, 'refused by the SERVICE: this account is not allowed'],
    [redirected('another origin'), `the SERVICE redirected ${ELSEWHERE}`],
    [redirected('too many'), 'the SERVICE redirected more than 5 times'],
    [redirected('no address'), 'the SERVICE redirected without an address'],
    [{ kind: 'fault', status: 502 }, 'the SERVICE reported a fault (HTTP status 502)'],
    [{ kind: 'no credential' }, 'the SERVICE answered without a key'],
    [silent({ kind: 'cut off' }), 'the SERVICE answered without a key'],
    [timedOut, 'the SERVICE did not answer within 4 s (time-out)'],
    [distrusted, 'not asked, because the certificate of the SERVICE does not match its pin'],
    [silent({ kind: 'unreachable', code: 'ECONNREFUSED' }), 'the SERVICE could not be reached'],
  ])('says why there is no API key: %j', async (apiKey, words) => {
    const told = words.replace('SERVICE', 'authorization service');
    expect((await paragraphsOf({ apiKey }))[1]).toContain(`  \nAPI key: ${told}  \n`);
  });

  it("says how long the bot's account rests at the NAC", async () => {
    const rest = 'the NAC refused these credentials; they rest for <until 7 s> more';
    const [, account] = await paragraphsOf({ nacRestsUntil: () => 7000 });
    expect(account).toBe(`The bot's account:  \n${rest}  \n${SERVICE}`);
  });

  it.each<[Held | NotConnected, string]>([
    [HELD, SERVICE],
    [{ kind: 'not connected' }, 'not connected; `connect` changes that'],
    [{ kind: 'not connected', unknown: true }, 'not known: what people connected with cannot be read now'],
  ])("shows a person's own credentials in a personal chat: %j", async (own, words) => {
    const paragraphs = await paragraphsOf({ signIn: true, own });
    expect(paragraphs[2]).toBe(`Your own account:  \n${words}`);
    expect(paragraphs.join()).not.toContain('canary');
  });

  it.each([
    ['in a shared place', { signIn: true, own: HELD }, false],
    ['if people cannot connect', { signIn: false, own: HELD }, true],
  ])("does not mention a person's own credentials %s", async (_, changes, isPersonal) => {
    const [deed] = await talk([stage(changes)], 'status', { isPersonal });
    expect(deed).toMatchObject({ text: expect.not.stringContaining('Your own') });
  });

  it.each([
    ['ok', '⚠ Not well: posts. As of <10 s>:'],
    ['opening', 'No fault known, as of <10 s>.'],
    ['cannot be opened', '⚠ Not well: database. As of <10 s>:'],
  ])('names the posts that it cannot count, but not beside a database: %s', async (database, headline) => {
    const kept = noKeptJobs({ Posts: keptPosts(() => Promise.reject(new Error('no database'))) });
    const onError = vi.fn();
    const [health] = await paragraphsOf({ kept, database: () => database, onError });
    expect(health?.split('  \n')[0]).toBe(headline);
    expect(health).toMatch(/\nPosts: not known, because the database does not answer\.$/);
    expect(onError).toHaveBeenCalledOnce();
  });

  const paused = { nacPausedUntil: () => 12_000 };
  const failing = { kind: 'failing', since: 2000, at: 8000 } as const;

  it.each([
    ['failing since <2 s> (<2 s> ago); left alone for <until 12 s> more', failing, paused],
    ['ok (<8 s> ago); left alone for <until 12 s> more', OK, paused],
    [`ok (<8 s> ago); ${NOBODY}`, OK, { seesNobody: () => true }],
  ])('says why the NAC is not well: %s', async (words, nac, changes) => {
    const [health] = await paragraphsOf({ seen: () => ({ nac, webhook: OK, chat: OK }), ...changes });
    const [headline, line] = health?.split('  \n') ?? [];
    expect(headline).toMatch(/^⚠ Not well: NAC(?: \(failing since <2 s>\))?\./);
    expect(line).toBe(`NAC: ${words}`);
  });
});

type Changes = Partial<StatusOptions> & { apiKey?: CredentialOutcome; own?: Held | NotConnected };

async function paragraphsOf(changes: Changes): Promise<string[]> {
  const [deed] = await talk([stage(changes)], 'status', { arrivedAt: 10_000 });
  return deed?.kind === 'said' ? deed.text.split('\n\n') : [];
}

function stage({ apiKey = { ...HELD, until: 9000 }, own = { kind: 'not connected' }, ...changes }: Changes) {
  const vault: Vault = {
    ...services().vault,
    apiKey: async () => apiKey,
    basic: async ({ kind }) => (kind === 'service' ? HELD : own),
  };
  return createStatus({
    vault,
    ...IDLE_SYSTEMS,
    tls: { NAC: { kind: 'verify' }, webhook: { kind: 'insecure' } },
    seen: () => ({ nac: OK, webhook: OK, chat: OK }),
    kept: noKeptJobs({ Posts: keptPosts(async () => ({ waiting: 2, dead: 0 })) }),
    onError: () => {},
    ...changes,
  });
}

function keptPosts(count: KeptJobs['count']): KeptJobs {
  return { ...noKeptJobs().Posts, count };
}
