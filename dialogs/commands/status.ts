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
    const { vault, nac, settings, health, onError } = bot;
    const [verb] = /^(?:send|drop)\b/.exec(text.trim().toLowerCase()) ?? [];
    const isTaken = isAdmin && (verb === 'send' || verb === 'drop');
    const handled = isTaken ? [`${await handleUntaken(verb, bot)} ${HANDLED[verb]}.`] : [];
    const asked = ISSUED.map(async (name) => ({ name, outcome: await vault.issued(name) }));
    const issued = await Promise.all(asked);
    const jobs = await countJobs(bot).catch((error: unknown) => void onError(error));
    const parts = RANKS.flatMap((isMeant) => health.parts().filter(isMeant));
    const headline = `${headlineOf(parts, issued, jobs ?? [], formatter)} as of ${formatter.time(arrivedAt)}.`;
    if (!isAdmin) return say(headline);
    const untaken = jobs ? await untakenPosts(bot, formatter) : [];
    const restsUntil = nac.restsUntil();
    const rest = restsUntil && `; its credentials rest for ${formatter.timeLeft(restsUntil)} more`;
    const rows = parts.map((each) => rowOf(each, formatter) + ((each.part === 'nac' && rest) || ''));
    const counts = jobs ? countLines(jobs) : [];
    if (jobs && settings.canWatch) counts.push(`Watches: ${(await countWatches(bot)).count}.`);
    const credentials = issued.map((each) => `${each.name}: ${credentialText(each, formatter)}`);
    const modes = Object.entries(settings.tls).map(
      ([name, { kind }]) => `${name}: ${kind === 'insecure' ? INSECURE : kind}`,
    );
    const groups: Line[][] = [
      toLines([...handled, headline, ...rows, ...counts]),
      ...(untaken.length > 0 ? [[[UNTAKEN], ...untaken]] : []),
      toLines(credentials),
      toLines(['TLS:', ...modes, ...DATABASE_TLS[settings.databaseTls]]),
    ];
    const hasUntaken = untaken.length > 0 || jobs?.some(({ dead }) => dead > 0);
    await say(card.withButtons(groups, hasUntaken ? UNTAKEN_BUTTONS : []));
  },
};

const UNTAKEN_BUTTONS = [card.button('Send again', 'status', 'send'), card.button('Drop', 'status', 'drop')];

const toLines = (texts: readonly string[]) => texts.map((text): Line => [text]);

/** The worst first. */
const RANKS = [isFailing, isUnknown, ({ state }: Part) => state === 'ok'];
const ISSUED: readonly IssuedName[] = ['API key', 'ticket'];
type Issued = { name: IssuedName; outcome: CredentialOutcome };

function sinceText({ part, since }: Part, timeText: (ms: number) => string): string {
  return since === undefined || part.endsWith('certificate') ? '' : ` since ${timeText(since)}`;
}

const nameOf = ({ part }: Part) => part.replace(/\bnac\b/, 'NAC');

function headlineOf(parts: Part[], issued: Issued[], jobs: JobCounts, { clock }: Formatter): string {
  const unwell = [
    ...parts
      .filter(isFailing)
      .map((part) => `${nameOf(part)} (${part.why ?? part.state}${sinceText(part, clock)})`),
    ...issued.flatMap(({ name, outcome }) => (/^(?:held|not configured)$/.test(outcome.kind) ? [] : name)),
    ...jobs.filter(({ dead }) => dead > 0).map(({ queue }) => NAMES[queue].toLowerCase()),
  ];
  if (unwell.length > 0) return `⚠ Not well: ${unwell.join(', ')},`;
  return `All is well${parts.some(isUnknown) ? ' as far as I know' : ''},`;
}

function rowOf(part: Part, formatter: Formatter): string {
  const { state, at, cure = '' } = part;
  const seen = at === undefined ? '' : ` (${formatter.age(at)})`;
  const when = isFailing(part) ? sinceText(part, (ms) => timeAndAge(ms, formatter)) : seen;
  return `${nameOf(part)}: ${state}${when}${cure && `; ${cure}`}`;
}

const INSECURE = '⚠ insecure: its certificate is not checked';
const DATABASE_TLS: Readonly<Record<ServerTls, readonly string[]>> = {
  'none needed': [],
  TLS: ['database: TLS'],
  'unchecked TLS': [`database: ${INSECURE}; DATABASE_URL needs sslmode=verify-full`],
  'no TLS': ['database: ⚠ insecure: no TLS; DATABASE_URL needs sslmode=verify-full'],
};

function credentialText({ name, outcome }: Issued, formatter: Formatter): string {
  if (outcome.kind === 'held') {
    const { since, until } = outcome;
    return `held since ${timeAndAge(since, formatter)}, until ${formatter.time(until)}`;
  }
  if (outcome.kind === 'not configured') return outcome.kind;
  if (outcome.kind === 'resting') return `refused; not asked again for ${formatter.timeLeft(outcome.until)}`;
  return exchangeFaultText(name, outcome);
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
