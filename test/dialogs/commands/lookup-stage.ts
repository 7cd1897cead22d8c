import { finishLookup, reportNumber, startLookups } from '../../../dialogs/lookup/device-lookups.ts';
import { type ExplainOptions, Explanations } from '../../../dialogs/lookup/explain.ts';
import { createRecentLookups } from '../../../dialogs/lookup/recent.ts';
import { createFormatters } from '../../../dialogs/render/words.ts';
import { readAddresses } from '../../../src/domain/device-address.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { readSessionOutcome } from '../../../src/nac/reading/session.ts';
import { type SessionFields, sessionXml } from '../../../src/sandbox/session-xml.ts';
import type { Delivery, Room } from '../../../src/webhook/posts.ts';
import { PLACE } from '../talk.ts';

export const NONE: LookupOutcome = { kind: 'no session' };
const UNREACHABLE = { kind: 'unreachable', code: 'ECONNREFUSED' } as const;
export const DOWN: LookupOutcome = { kind: 'no answer', fault: UNREACHABLE };

/** When the tests' messages arrive. */
export const NOW = Date.UTC(2026, 0, 15, 14, 5);

const QUESTION = { key: 'message-1', number: reportNumber('message-1'), arrivedAt: NOW };

/** What an answer says at its end if something is wrong, under the key of the tests' messages. */
export const REPORT = `Report number ${QUESTION.number}. Tell it to the bot's operator.`;

export function found(fields: Partial<SessionFields> = {}): LookupOutcome {
  const text = sessionXml({ auth_acs_timestamp: '2026-01-15T12:05:00.000Z', ...fields });
  return readSessionOutcome({ kind: 'answered', status: 200, headers: {}, text }) as LookupOutcome;
}

export const POSTED: Delivery = { outcome: { kind: 'posted' }, partly: false, isQueued: false };
export const NOT_POSTED: Delivery = { ...POSTED, outcome: { kind: 'not found', final: true } };

export type Script = {
  /** The NAC's answers by address, or one answer for every device. Other devices have no session. */
  outcomes?: Readonly<Record<string, LookupOutcome>> | LookupOutcome;
  /** Default: the NAC does not tell the attempts. */
  explain?: Partial<ExplainOptions>;
  delivery?: Delivery;
  nacLink?: string | undefined;
};

export function onError(error: unknown): never {
  throw error;
}

const clock = { now: () => NOW, steady: () => NOW };

/** A lookup's answer and its post, if the NAC and the room follow a script. */
export function stageLookup({ outcomes = {}, delivery = POSTED, nacLink, explain }: Script = {}) {
  const posts: Array<{ key: string; text: string }> = [];
  const isOne = (each: NonNullable<Script['outcomes']>): each is LookupOutcome => 'kind' in each;
  const lookUp = async (address: string) => (isOne(outcomes) ? outcomes : (outcomes[address] ?? NONE));
  const off = { history: undefined, findEndpoint: undefined, hasNoSessions: async () => undefined };
  const post: Room['post'] = async (key, text) => {
    posts.push({ key, text });
    return delivery;
  };
  const bot = {
    room: { post },
    clock,
    onError,
    audit: () => {},
    formatterFor: createFormatters({ ...clock, nacLink, downSince: () => undefined }),
    recent: createRecentLookups(clock.steady),
    explanations: new Explanations({ ...off, now: clock.now, onError, ...explain }),
  };
  const asker = { ...QUESTION, place: PLACE, person: 'alex', by: 'message' as const };
  return {
    posts,
    async answer(text: string) {
      const { addresses } = readAddresses(text, 'asked');
      const answers = await startLookups(addresses, asker.person, lookUp).finished;
      return finishLookup(answers, asker, { notes: [] }, bot);
    },
  };
}
