import { createLookup } from '../../../dialogs/commands/lookup.ts';
import { createExplanations, type ExplainOptions } from '../../../dialogs/lookup/explain.ts';
import { createKeptLookups } from '../../../dialogs/lookup/kept-lookups.ts';
import { createReport, reportNumber } from '../../../dialogs/lookup/report.ts';
import { createRecentLookups } from '../../../dialogs/lookup/told.ts';
import type { Lookup, LookupOutcome } from '../../../src/domain/outcome.ts';
import { readSessionOutcome } from '../../../src/nac/session-call.ts';
import { type SessionFields, sessionXml } from '../../../src/sandbox/session-xml.ts';
import type { Delivery } from '../../../src/webhook/delivery.ts';
import { services } from '../all-dialogs.ts';
import { answerTo } from '../talk.ts';

export const NONE: LookupOutcome = { kind: 'no session' };
export const DOWN: LookupOutcome = {
  kind: 'no answer',
  fault: { kind: 'unreachable', code: 'ECONNREFUSED' },
};

/** When the tests' messages arrive. */
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
  delivery?: Delivery;
  nacLink?: string | undefined;
};

/** The lookup dialog with a NAC and a room that follow a script. */
export function stageLookup({ outcomes = {}, delivery = POSTED, nacLink, ...script }: Script = {}) {
  const posts: Array<{ key: string; text: string }> = [];
  const isOne = (each: NonNullable<Script['outcomes']>): each is LookupOutcome => 'kind' in each;
  const lookUp: Lookup = async (address) => (isOne(outcomes) ? outcomes : (outcomes[address] ?? NONE));
  const bot = services({
    lookUp: script.lookUp ?? lookUp,
    nacLink,
    now: () => NOW,
    async deliver({ id: key, text }) {
      posts.push({ key, text });
      return delivery;
    },
  });
  const recent = createRecentLookups();
  const off = { history: async () => undefined, findEndpoint: undefined };
  const explanations = createExplanations({ ...bot, ...off, ...script.explain });
  const report = createReport({ ...bot, explanations, remember: recent.note });
  const jobs = {
    put: async () => 'put' as const,
    change: async () => true,
    defer: async () => {},
    settle: async () => {},
  };
  const kept = createKeptLookups({ ...bot, jobs, report });
  const dialog = { ...createLookup({ ...bot, kept, report, recent }), now: bot.now };
  return { dialog, answer: (text: string) => answerTo([dialog], text), posts };
}
