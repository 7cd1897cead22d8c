import { createLookup } from '../../../dialogs/commands/lookup.ts';
import type { Services } from '../../../dialogs/dialog.ts';
import type { Message } from '../../../dialogs/format/message.ts';
import { createExplanations, type ExplainOptions } from '../../../dialogs/lookup/explain.ts';
import { createKeptLookups, type LookupJob, lookupJobSchema } from '../../../dialogs/lookup/kept-lookups.ts';
import { createReport, reportNumber } from '../../../dialogs/lookup/report.ts';
import { createRecentLookups } from '../../../dialogs/lookup/told.ts';
import type { Lookup, LookupOutcome } from '../../../src/domain/outcome.ts';
import { readSessionOutcome } from '../../../src/nac/session-call.ts';
import { type SessionFields, sessionXml } from '../../../src/sandbox/session-xml.ts';
import type { Delivery } from '../../../src/webhook/posts.ts';
import { services } from '../all-dialogs.ts';
import { expectWellFormed } from '../cards.ts';
import { answerTo, converse, type Deed, deedOf, readable, talk } from '../talk.ts';

export const NONE: LookupOutcome = { kind: 'no session' };
export const DOWN: LookupOutcome = {
  kind: 'no answer',
  fault: { kind: 'unreachable', code: 'ECONNREFUSED' },
};

/** The arrival time of the tests' messages. */
export const NOW = Date.UTC(2026, 0, 15, 14, 5);

/** What an answer says at its end if something is wrong, under the key of the tests' messages. */
export const REPORT = `Report number ${reportNumber('message-1')}. Tell it to whoever runs the bot.`;

export function found(fields: Partial<SessionFields> = {}): LookupOutcome {
  const text = sessionXml({ auth_acs_timestamp: '2026-01-15T12:05:00.000Z', ...fields });
  return readSessionOutcome({ kind: 'answered', status: 200, headers: {}, text }) as LookupOutcome;
}

export const POSTED: Delivery = { outcome: { kind: 'posted' }, partly: false, kept: false };
export const NOT_POSTED: Delivery = { ...POSTED, outcome: { kind: 'not found', final: true } };

export type Script = {
  /** The NAC's answers by address, or one answer for every device. Other devices have no session. */
  outcomes?: Readonly<Record<string, LookupOutcome>> | LookupOutcome;
  lookUp?: Lookup;
  /** Default: the NAC does not tell the attempts. */
  explain?: Partial<ExplainOptions>;
  delivery?: Delivery | Promise<Delivery>;
  put?: () => Promise<'put' | 'known' | 'full'>;
  settle?(): Promise<unknown>;
  canReplaceLater?: boolean;
  nacLink?: string | undefined;
  /** How long the limits say to wait (milliseconds). */
  waitMs?: number;
  /** How long the limits say to wait for the next addresses (milliseconds). */
  nextMs?: number;
  now?: () => number;
  bot?: Partial<Services>;
};

const never = () => {};

/** The lookup dialog with a NAC, a room and a chat service that follow a script. */
export function stageLookup(script: Script = {}) {
  const { outcomes = {}, delivery = POSTED, canReplaceLater = true, now = () => NOW } = script;
  const posts: Array<{ key: string; text: string }> = [];
  const jobs: Array<{ key: string; job: LookupJob }> = [];
  const changed: Array<{ key: string; job: LookupJob }> = [];
  const settled: string[] = [];
  const later: Deed[] = [];
  const errors: unknown[] = [];
  const audited: Array<Record<string, unknown>> = [];
  const recent = createRecentLookups();
  const isOne = (each: NonNullable<Script['outcomes']>): each is LookupOutcome => 'kind' in each;
  const note = (deed: Deed, message: Message) => {
    expectWellFormed(message);
    later.push(deed);
  };
  const lookUp: Lookup = async (address) => (isOne(outcomes) ? outcomes : (outcomes[address] ?? NONE));
  const bot = services({
    lookUp: script.lookUp ?? lookUp,
    limits: { ...services().limits, take: () => script.waitMs ?? 0, waitFor: () => script.nextMs ?? 0 },
    audit: (entry) => void audited.push({ ...entry }),
    nacLink: script.nacLink,
    now,
    onError: (error) => void errors.push(error),
    room: {
      async post(key, text) {
        posts.push({ key, text });
        return delivery;
      },
    },
    async sayLater(_place, message, id) {
      const isReplaced = id !== undefined && canReplaceLater;
      note(isReplaced ? { ...readable(message), kind: 'replaced', id } : deedOf(message), message);
      return isReplaced ? id : undefined;
    },
    ...script.bot,
  });
  const off = { history: async () => undefined, findEndpoint: undefined };
  const explanations = createExplanations({ ...bot, ...off, ...script.explain });
  const report = createReport({ ...bot, explanations, remember: recent.note });
  const kept = createKeptLookups({
    ...bot,
    jobs: {
      async put(key, job, when) {
        const put = (await script.put?.()) ?? 'put';
        if (put === 'put') jobs.push({ key, job });
        if (typeof when === 'object') when.then(({ kind }) => kind === 'done' && settled.push(key), never);
        return put;
      },
      change: async (key, job) => changed.push({ key, job }) > 0,
      async settle(key) {
        await script.settle?.();
        settled.push(key);
      },
    },
    report,
  });
  const dialog = { ...createLookup({ ...bot, kept, report, recent }), now };
  const ask = (text: string) => talk([dialog], text);
  const answer = (text: string) => answerTo([dialog], text);
  const begin = (text: string, changes: Parameters<typeof converse>[2] = {}) =>
    converse([dialog], text, changes);
  const noted = { posts, jobs, changed, settled, later, errors, recent, audited };
  return {
    bot,
    report,
    dialog,
    /** Does a job as it comes back from the database. */
    resume(job: LookupJob, key: string, ageMs = 0) {
      const data = lookupJobSchema.parse(JSON.parse(JSON.stringify(job)));
      return kept.resume({ data, key, seq: 1, ageMs });
    },
    supersede: kept.supersede,
    ask,
    answer,
    begin,
    ...noted,
  };
}
