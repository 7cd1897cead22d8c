import type { CredentialOutcome } from '../../src/credentials/exchanges.ts';
import type { Vault } from '../../src/credentials.ts';
import { isFailing, isUnknown, type Part } from '../../src/domain/part.ts';
import type { Held, NotConnected } from '../../src/domain/secret.ts';
import type { TlsMode } from '../../src/http/trust.ts';
import type { ServerTls } from '../../src/store/postgres.ts';
import type { Turn } from '../dialog.ts';
import { timeAndAge } from '../render/device.ts';
import { exchangeFaultText } from '../render/faults.ts';
import * as card from '../render/message.ts';
import { type Formatter, type Line, line, shorten, type Wording, wordingFor } from '../render/words.ts';
import { countWatches } from '../watch/watches.ts';
import type { Bot, Command } from './command.ts';

const WORDS = {
  well: (now: string) => `All is well, as of ${now}.`,
  unknown: (now: string) => `All is well as far as I know, as of ${now}.`,
  unwell: (names: string, now: string) => `⚠ Not well: ${names}. As of ${now}.`,
  service: "The bot's account:",
  own: 'Your own account:',
  tls: 'TLS:',
  untaken: 'The room has not taken these posts, the oldest first:',
  send: (count: number) => `${count} will be tried again.`,
  drop: (count: number) => `${count} dropped.`,
  noDatabase: 'Posts: not known, because the database does not answer.',
  rest: (left: string) => `the NAC refused these credentials; they rest for ${left} more`,
  notConnected: ({ unknown }: NotConnected): Line =>
    unknown
      ? ['not known: what people connected with cannot be read now']
      : line`not connected; ${'connect'} changes that`,
};

export const status: Command = {
  name: 'status',
  summary: 'tells whether all is well',
  examples: ['status'],
  details: [
    'Tells whether NAC, webhook, chat and database work, and since when not.',
    'Administrators see each part, the credentials that I hold, how each system is trusted, and the posts that the room did not take.',
  ],
  async answer(turn, bot) {
    const { isAdmin, text, say } = turn;
    const [verb] = /^(?:send|drop)\b/.exec(text.trim().toLowerCase()) ?? [];
    const done: Line[][] = [];
    if (isAdmin && (verb === 'send' || verb === 'drop'))
      done.push([[WORDS[verb](await handleUntaken(verb, bot))]]);
    const { groups, hasUntaken } = await statusLines(turn, bot);
    await say(card.withGroups([...done, ...groups], hasUntaken ? UNTAKEN_BUTTONS : []));
  },
};

const UNTAKEN_BUTTONS = [card.button('Send again', 'status', 'send'), card.button('Drop', 'status', 'drop')];

/** The status in groups of lines: one sentence for everybody, all parts for administrators. */
async function statusLines({ person, isPersonal, isAdmin, arrivedAt, formatter }: Turn, bot: Bot) {
  const { vault, nac, settings, health, onError } = bot;
  const { time, timeLeft } = formatter;
  const service = await readAccount(vault, undefined);
  const isOwnShown = settings.canSignIn && isPersonal;
  const own = isOwnShown ? await readAccount(vault, person) : undefined;
  const jobs = await countJobs(bot).catch((error: unknown) => void onError(error));
  const parts = RANKS.flatMap((isMeant) => health.parts().filter(isMeant));
  const headline = headlineOf(parts, service, jobs, formatter, time(arrivedAt));
  const ownLines = own ? [[[WORDS.own], ...accountLines(own, formatter)]] : [];
  if (!isAdmin) return { groups: [toLines([headline]), ...ownLines], hasUntaken: false };
  const untaken = jobs ? await untakenPosts(bot, formatter) : [];
  const counts = jobs ? countLines(jobs) : [WORDS.noDatabase];
  if (jobs && settings.canWatch) counts.push(`Watches: ${(await countWatches(bot)).count}.`);
  const rest = nac.restsUntil();
  const rows = parts.map((part) => rowOf(part, nac.pausedUntil(), formatter));
  const modes = Object.entries(settings.tls).map(
    ([name, mode]) => `${name}: ${wordingFor(mode, TLS, undefined)}`,
  );
  const groups: Line[][] = [
    toLines([headline, ...rows, ...counts]),
    ...(untaken.length > 0 ? [[[WORDS.untaken], ...untaken]] : []),
    [
      ...toLines([WORDS.service, ...(rest === undefined ? [] : [WORDS.rest(timeLeft(rest))])]),
      ...accountLines(service, formatter),
    ],
    ...ownLines,
    toLines([WORDS.tls, ...modes, ...DATABASE_TLS[settings.databaseTls]]),
  ];
  const hasUntaken = untaken.length > 0 || jobs?.some(({ dead }) => dead > 0) === true;
  return { groups, hasUntaken };
}

const toLines = (texts: readonly string[]) => texts.map((text): Line => [text]);

/** The worst first. */
const RANKS = [isFailing, isUnknown, ({ state }: Part) => state === 'ok'];

const nameOf = ({ part }: Part) => part.replace(/\bnac\b/, 'NAC');

/** One sentence: all is well, or the parts that are not. `jobs`: undefined if the database did not answer. */
function headlineOf(
  parts: readonly Part[],
  { issued }: Account,
  jobs: JobCounts | undefined,
  { clock }: Formatter,
  now: string,
): string {
  const missing = Object.entries(issued).filter(([, { kind }]) => !['held', 'not configured'].includes(kind));
  const faultText = (part: Part) => {
    const { state, why = state, since } = part;
    return `${nameOf(part)} (${why}${hasSince(part) ? ` since ${clock(since ?? 0)}` : ''})`;
  };
  const unwell = [
    ...parts.filter(isFailing).map(faultText),
    ...missing.map(([name]) => name),
    ...(jobs ?? []).filter(({ dead }) => dead > 0).map(({ queue }) => NAMES[queue].toLowerCase()),
  ];
  if (unwell.length > 0) return WORDS.unwell(unwell.join(', '), now);
  return parts.some(isUnknown) ? WORDS.unknown(now) : WORDS.well(now);
}

/** A certificate's state says its own day. */
const hasSince = ({ part, since }: Part) => since !== undefined && !part.endsWith('certificate');

function rowOf(part: Part, pausedUntil: number | undefined, formatter: Formatter): string {
  const { state, since = 0, at, cure } = part;
  const isNac = part.part === 'nac';
  const seen =
    state === 'ok' && at !== undefined && part.part !== 'database' ? ` (${formatter.age(at)})` : '';
  const begun = isFailing(part) && hasSince(part) ? ` since ${timeAndAge(since, formatter)}` : '';
  const paused =
    isNac && pausedUntil !== undefined && `left alone for ${formatter.timeLeft(pausedUntil)} more`;
  return [`${nameOf(part)}: ${state}${seen}${begun}`, paused, isFailing(part) && cure]
    .filter(Boolean)
    .join('; ');
}

export const DATABASE_TLS: Readonly<Record<ServerTls, readonly string[]>> = {
  'none needed': [],
  TLS: ['database: TLS'],
  'unchecked TLS': [
    'database: ⚠ insecure: its certificate is not checked; DATABASE_URL needs sslmode=verify-full',
  ],
  'no TLS': ['database: ⚠ insecure: no TLS; DATABASE_URL needs sslmode=verify-full'],
};

export const TLS: Wording<TlsMode, undefined, string> = {
  verify: () => 'verify',
  ca: () => 'ca (an authority of its own)',
  pin: ({ fingerprints: { length } }) => `pin (${length} ${length === 1 ? 'certificate' : 'certificates'})`,
  insecure: () => '⚠ insecure: its certificate is not checked',
};

type Account = Awaited<ReturnType<typeof readAccount>>;

async function readAccount(vault: Vault, person: string | undefined) {
  const issued = [vault.issued('API key', person), vault.issued('ticket', person)] as const;
  const [apiKey, ticket] = await Promise.all(issued);
  const basic = person === undefined ? vault.service() : await vault.basic(person); // Last, because a refused exchange forgets the person's account.
  return { basic, issued: { 'API key': apiKey, ticket } };
}

function accountLines({ basic, issued }: Account, formatter: Formatter): Line[] {
  if (basic.kind === 'not connected') return [WORDS.notConnected(basic)];
  return [
    [`Basic: ${heldText(basic, formatter)}`],
    ['API key: ', ...credentialLine('API key', issued['API key'], formatter)],
    ['ticket: ', ...credentialLine('ticket', issued.ticket, formatter)],
  ];
}

function credentialLine(name: 'API key' | 'ticket', outcome: CredentialOutcome, formatter: Formatter): Line {
  if (outcome.kind === 'held') return [heldText(outcome, formatter)];
  if (outcome.kind === 'not configured') return ['not configured'];
  if (outcome.kind === 'not connected') return WORDS.notConnected(outcome);
  if (outcome.kind === 'resting')
    return [`refused; not asked again for ${formatter.timeLeft(outcome.until)}`];
  return [exchangeFaultText(name, outcome)];
}

function heldText({ since, until }: Held, formatter: Formatter): string {
  const end = until === undefined ? '' : `, until ${formatter.time(until)}`;
  return `held since ${timeAndAge(since, formatter)}${end}`;
}

const MAX_LISTED = 5;
const NAMES = { post: 'Posts', lookup: 'Lookups', reply: 'Answers', alert: 'Alerts' } as const;
const QUEUES = ['post', 'lookup', 'reply', 'alert'] as const;

/** Tries jobs that were given up, and waiting posts, again now if they can be read; or drops them. Returns how many. */
async function handleUntaken(verb: 'send' | 'drop', { jobs }: Bot): Promise<number> {
  let count = 0;
  for (const name of QUEUES) {
    const waiting = name === 'post' ? await jobs.post.list('waiting') : [];
    for (const { key, data } of [...(await jobs[name].list('dead')), ...waiting]) {
      if (verb === 'drop') await jobs[name].settle(key);
      else if (data === undefined || !(await jobs[name].revive(key))) continue;
      count++;
    }
  }
  return count;
}

/** The oldest posts that the room has not taken, first those that were given up, each in a line. */
async function untakenPosts({ jobs }: Bot, formatter: Formatter): Promise<Line[]> {
  const all = [
    ...(await jobs.post.list('dead', MAX_LISTED)),
    ...(await jobs.post.list('waiting', MAX_LISTED)),
  ];
  return all.slice(0, MAX_LISTED).map(({ data, at, reason }) => {
    const about = shorten(data?.text.split('\n', 1)[0] ?? '');
    return line`${[`${formatter.time(at)}: `]}${about} (${reason ?? 'waiting'})`;
  });
}

type JobCounts = Awaited<ReturnType<typeof countJobs>>;

/** Counts the jobs of each queue. Watches are counted one by one elsewhere. */
export const countJobs = ({ jobs }: Pick<Bot, 'jobs'>) =>
  Promise.all(QUEUES.map(async (queue) => ({ queue, ...(await jobs[queue].count()) })));

function countLines(counts: JobCounts): string[] {
  return counts
    .filter(({ queue, waiting, dead }) => queue === 'post' || waiting + dead > 0)
    .map(({ queue, waiting, dead }) => `${NAMES[queue]}: ${waiting} waiting, ${dead} given up.`);
}
