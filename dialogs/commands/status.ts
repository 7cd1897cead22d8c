import type { CredentialOutcome, IssuedName } from '../../src/credentials/exchanges.ts';
import { isFailing, isUnknown, type Part } from '../../src/domain/part.ts';
import type { ServerTls } from '../../src/store/postgres.ts';
import * as card from '../render/message.ts';
import { exchangeFaultText } from '../render/outcomes.ts';
import { type Formatter, type Line, line, shorten, timeAndAge } from '../render/words.ts';
import { countWatches } from '../watch/watches.ts';
import type { Bot, Command } from './command.ts';

const UNTAKEN = 'The room has not taken these posts, the oldest first:';
const HANDLED = { send: 'will be tried again', drop: 'dropped' };

/** The status in groups of lines: one sentence for everybody, all parts for administrators. */
export const status: Command = {
  summary: 'tells whether all is well',
  async answer({ isAdmin, text, arrivedAt, formatter, say }, bot) {
    const { vault, settings, health, onError } = bot;
    const [verb] = /^(?:send|drop)\b/.exec(text.trim().toLowerCase()) ?? [];
    const isTaken = isAdmin && (verb === 'send' || verb === 'drop');
    const handled = isTaken ? [`${await handleUntaken(verb, bot)} ${HANDLED[verb]}.`] : [];
    const issuing = ISSUED.map(async (name) => issuedRow(name, await vault.issued(name), formatter));
    const issued = await Promise.all(issuing);
    const jobs = await countJobs(bot).catch((error: unknown) => void onError(error));
    const counts = (jobs ?? []).filter(({ queue, waiting, dead }) => queue === 'post' || waiting + dead > 0);
    const parts = RANKS.flatMap((isMeant) => health.parts().filter(isMeant));
    const [rows, queues] = [parts.map((each) => partRow(each, bot, formatter)), counts.map(queueRow)];
    const faults = [...rows, ...issued, ...queues].flatMap(({ fault }) => fault ?? []);
    const well = parts.some(isUnknown) ? 'All is well as far as I know' : 'All is well';
    const first = faults.length > 0 ? `⚠ Not well: ${faults.join(', ')}` : well;
    const headline = `${first}, as of ${formatter.time(arrivedAt)}.`;
    if (!isAdmin) return say(headline);
    const untaken = jobs ? await untakenPosts(bot, formatter) : [];
    const watches = jobs && settings.canWatch ? [`Watches: ${(await countWatches(bot)).count}.`] : [];
    const modes = Object.entries(settings.tls).map(
      ([name, { kind }]) => `${name}: ${kind === 'insecure' ? INSECURE : kind}`,
    );
    const groups: Line[][] = [
      toLines([...handled, headline, ...rows, ...queues, ...watches]),
      ...(untaken.length > 0 ? [[[UNTAKEN], ...untaken]] : []),
      toLines(issued),
      toLines(['TLS:', ...modes, ...DATABASE_TLS[settings.databaseTls]]),
    ];
    const hasUntaken = untaken.length > 0 || jobs?.some(({ dead }) => dead > 0);
    await say(card.withButtons(groups, hasUntaken ? UNTAKEN_BUTTONS : []));
  },
};

const UNTAKEN_BUTTONS = [card.button('Send again', 'status', 'send'), card.button('Drop', 'status', 'drop')];

const toLines = (rows: ReadonlyArray<Row | string>) =>
  rows.map((row): Line => [typeof row === 'string' ? row : row.text]);

/** The worst first. */
const RANKS = [isFailing, isUnknown, ({ state }: Part) => state === 'ok'];
const ISSUED: readonly IssuedName[] = ['API key', 'ticket'];

/** A line of the status. `fault`: its words among what is not well. */
type Row = { text: string; fault?: string | undefined };

function partRow(part: Part, { nac }: Bot, formatter: Formatter): Row {
  const { state, since, at, why = state, cure } = part;
  const name = part.part.replace(/\bnac\b/, 'NAC');
  const seen = at === undefined ? '' : ` (${formatter.age(at)})`;
  if (!isFailing(part)) return { text: `${name}: ${state}${seen}` };
  const isDated = since !== undefined && !name.endsWith('certificate');
  const when = isDated ? ` since ${formatter.clock(since)}` : '';
  const restsUntil = part.part === 'nac' ? nac.restsUntil() : undefined;
  const rest = restsUntil && `its credentials rest for ${formatter.timeLeft(restsUntil)} more`;
  const text = [`${name}: ${state}${when}`, cure, rest].filter(Boolean).join('; ');
  return { text, fault: `${name} (${why}${when})` };
}

function issuedRow(name: IssuedName, outcome: CredentialOutcome, formatter: Formatter): Row {
  if (outcome.kind === 'not configured') return { text: `${name}: not configured` };
  if (outcome.kind === 'held') {
    const since = timeAndAge(outcome.since, formatter);
    return { text: `${name}: held since ${since}, until ${formatter.time(outcome.until)}` };
  }
  if (outcome.kind !== 'resting')
    return { text: `${name}: ${exchangeFaultText(name, outcome)}`, fault: name };
  const left = formatter.timeLeft(outcome.until);
  return { text: `${name}: refused; not asked again for ${left}`, fault: name };
}

function queueRow({ queue, waiting, dead }: JobCounts[number]): Row {
  const text = `${NAMES[queue]}: ${waiting} waiting, ${dead} given up.`;
  return { text, fault: dead > 0 ? NAMES[queue].toLowerCase() : undefined };
}

const INSECURE = '⚠ insecure: its certificate is not checked';
const DATABASE_TLS: Readonly<Record<ServerTls, readonly string[]>> = {
  'none needed': [],
  TLS: ['database: TLS'],
  'unchecked TLS': [`database: ${INSECURE}; DATABASE_URL needs sslmode=verify-full`],
  'no TLS': ['database: ⚠ insecure: no TLS; DATABASE_URL needs sslmode=verify-full'],
};

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
