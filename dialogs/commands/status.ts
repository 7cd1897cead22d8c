import type { CredentialOutcome, Held, NotConnected } from '../../src/credentials/exchanges.ts';
import type { Owner, Vault } from '../../src/credentials.ts';
import type { TlsMode } from '../../src/http/trust.ts';
import type { SystemState } from '../../src/ops/health.ts';
import type { ServerTls } from '../../src/store/postgres.ts';
import { code, lines, paragraphs, type Reader, type Table, wordsFor } from '../format/words.ts';
import { timeAndAge } from '../lookup/facts.ts';
import { sayExchangeFault } from '../lookup/verdict.ts';
import type { Bot, Command } from './command.ts';
import { countJobs, countLines, type JobCount } from './posts.ts';

const WORDS = {
  well: (now: string) => `All is well, as of ${now}.`,
  unknown: (now: string) => `No fault known, as of ${now}.`,
  unwell: (names: string, now: string) => `⚠ Not well: ${names}. As of ${now}:`,
  serviceName: "the bot's account",
  service: "The bot's account:",
  own: 'Your own account:',
  tls: 'TLS:',
  noDatabase: 'Posts: not known, because the database does not answer.',
  rest: (left: string) => `the NAC refused these credentials; they rest for ${left} more`,
  nobody: '; it shows no session for anyone, so its monitoring node may get no logs',
  notConnected: ({ unknown }: NotConnected) =>
    unknown
      ? 'not known: what people connected with cannot be read now'
      : `not connected; ${code('connect')} changes that`,
};

export const status: Command = {
  name: 'status',
  summary: 'tells how the other systems are and which credentials I hold',
  examples: ['status'],
  details: [
    'Tells how NAC, webhook, chat and database are and since when, then which credentials are held and until when.',
  ],
  async answer({ person, isPersonal, arrivedAt, reader, say }, bot) {
    const { vault, nac, settings, onError } = bot;
    const service = await readAccount(vault, { kind: 'service' });
    const isOwnShown = settings.canSignIn && isPersonal;
    const own = isOwnShown ? await readAccount(vault, { kind: 'person', id: person }) : undefined;
    const jobs = await countJobs(bot).catch((error: unknown) => void onError(error));
    const rest = nac.restsUntil();
    const systems = sayStates(bot, reader);
    const health = lines(
      sayHeadline(systems, service, rest, jobs, reader.time(arrivedAt)),
      ...systems.map(({ line }) => line),
      ...(jobs ? countLines(jobs, reader) : [WORDS.noDatabase]),
    );
    const resting = rest === undefined ? [] : [WORDS.rest(reader.timeLeft(rest))];
    const modes = Object.entries(settings.tls).map(
      ([name, mode]) => `${name}: ${wordsFor(mode, TLS, undefined)}`,
    );
    await say(
      paragraphs(
        health,
        lines(WORDS.service, ...resting, ...sayAccount(service, reader)),
        ...(own ? [lines(WORDS.own, ...sayAccount(own, reader))] : []),
        lines(WORDS.tls, ...modes, ...DATABASE_TLS[settings.databaseTls]),
      ),
    );
  },
};

/** One line that says whether all is well, and if not, what is not. `jobs`: undefined if the database did not answer. */
function sayHeadline(
  systems: readonly SystemLine[],
  { issued }: Account,
  rest: number | undefined,
  jobs: readonly JobCount[] | undefined,
  now: string,
): string {
  const isAway = systems.some(({ name, health }) => name === 'database' && health !== 'well');
  const missing = Object.entries(issued).filter(([, { kind }]) => !['held', 'not configured'].includes(kind));
  const unwell = [
    ...systems
      .filter(({ health }) => health === 'unwell')
      .map(({ name, why }) => (why ? `${name} (${why})` : name)),
    ...(rest === undefined ? [] : [WORDS.serviceName]),
    ...missing.map(([name]) => name),
    ...(jobs ?? []).filter(({ dead }) => dead > 0).map(({ name }) => name.toLowerCase()),
    ...(jobs || isAway ? [] : ['posts']),
  ];
  if (unwell.length > 0) return WORDS.unwell(unwell.join(', '), now);
  return systems.every(({ health }) => health === 'well') ? WORDS.well(now) : WORDS.unknown(now);
}

export const DATABASE_TLS: Readonly<Record<ServerTls, readonly string[]>> = {
  'none needed': [],
  TLS: ['database: TLS'],
  'unchecked TLS': [
    'database: ⚠ insecure: its certificate is not checked; DATABASE_URL needs sslmode=verify-full',
  ],
  'no TLS': ['database: ⚠ insecure: no TLS; DATABASE_URL needs sslmode=verify-full'],
};

export const TLS: Table<TlsMode, undefined, string> = {
  verify: () => 'verify',
  ca: () => 'ca (an authority of its own)',
  pin: ({ fingerprints: { length } }) => `pin (${length} ${length === 1 ? 'certificate' : 'certificates'})`,
  insecure: () => '⚠ insecure: its certificate is not checked',
};

type Account = Awaited<ReturnType<typeof readAccount>>;

async function readAccount(vault: Vault, owner: Owner) {
  const [apiKey, ticket] = await Promise.all([vault.apiKey(owner), vault.ticket(owner)]);
  const basic = await vault.basic(owner); // Last, because a refused exchange forgets the person's account.
  return { basic, issued: { 'API key': apiKey, ticket } };
}

function sayAccount({ basic, issued }: Account, reader: Reader): string[] {
  if (basic.kind === 'not connected') return [WORDS.notConnected(basic)];
  return [
    `Basic: ${sayHeld(basic, reader)}`,
    `API key: ${sayCredential('API key', issued['API key'], reader)}`,
    `ticket: ${sayCredential('ticket', issued.ticket, reader)}`,
  ];
}

function sayCredential(name: 'API key' | 'ticket', outcome: CredentialOutcome, reader: Reader): string {
  if (outcome.kind === 'held') return sayHeld(outcome, reader);
  if (outcome.kind === 'not configured') return 'not configured';
  if (outcome.kind === 'not connected') return WORDS.notConnected(outcome);
  if (outcome.kind === 'resting') return `refused; not asked again for ${reader.timeLeft(outcome.until)}`;
  return sayExchangeFault(name, outcome);
}

function sayHeld({ since, until }: Held, reader: Reader): string {
  const end = until === undefined ? '' : `, until ${reader.time(until)}`;
  return `held since ${timeAndAge(since, reader)}${end}`;
}

const WORST_FIRST = ['unwell', 'not known', 'well'] as const;

type SystemLine = { name: string; health: (typeof WORST_FIRST)[number]; line: string; why?: string };

/** The other systems as the bot last saw them, the worst first, each with since when or how long ago. */
function sayStates({ health: seen, database, nac: calls, explanations }: Bot, reader: Reader): SystemLine[] {
  const { nac, webhook, chat } = seen.seen();
  const [state, pausedUntil] = [database.state(), calls.pausedUntil()];
  const paused = pausedUntil === undefined ? '' : `; left alone for ${reader.timeLeft(pausedUntil)} more`;
  const blind = explanations.seesNobody() ? WORDS.nobody : '';
  const health = state === 'ok' ? 'well' : state === 'opening' ? 'not known' : 'unwell';
  const systems: SystemLine[] = [
    sayState('NAC', nac, reader, paused + blind),
    sayState('webhook', webhook, reader),
    sayState('chat', chat, reader),
    { name: 'database', health, line: `database: ${state}` },
  ];
  return WORST_FIRST.flatMap((rank) => systems.filter((each) => each.health === rank));
}

/** @param fault what else is wrong, behind a semicolon */
function sayState(name: string, state: SystemState, reader: Reader, fault = ''): SystemLine {
  if (state.kind === 'not asked yet') return { name, health: 'not known', line: `${name}: not asked yet` };
  if (state.kind === 'ok') {
    const health = fault === '' ? 'well' : 'unwell';
    return { name, health, line: `${name}: ok (${reader.age(state.at)})${fault}` };
  }
  const why = `${state.why ?? 'failing'} since ${reader.clock(state.since)}`;
  const line = `${name}: failing since ${timeAndAge(state.since, reader)}${fault}`;
  return { name, health: 'unwell', line, why };
}
