import { createHash } from 'node:crypto';
import { lookupName } from '../../src/domain/outcome.ts';
import { endsWithin } from '../../src/domain/timing.ts';
import type { Audit, AuditEntry } from '../../src/ops/audit.ts';
import type { Delivery } from '../../src/webhook/delivery.ts';
import type { Services } from '../dialog.ts';
import type { Format } from '../format/locale.ts';
import { conversationOf, isTargetedPlace, type Place } from '../format/message.ts';
import { countTokens, type DeviceAnswer, isDevice, isOwn } from './device-answer.ts';
import { verdictOf } from './verdict.ts';

/** A lookup, as far as it is the same for all of its devices. Times are milliseconds since 1970. */
export type Audited = {
  number: number;
  by: AuditEntry['by'];
  person?: string | undefined;
  /** Undefined: the room alone is told. */
  place?: Place | undefined;
  /** The alert's name. */
  alert?: string | undefined;
  askedAt: number | undefined;
  /** Undefined: nobody was told, because the NAC took too long. */
  answeredAt: number | undefined;
  /** What became of the room's post, and the devices in it. */
  delivery?: Delivery | undefined;
  news?: readonly DeviceAnswer[];
};

/** Writes the audit lines of a lookup: one for each device of which the NAC can be asked. */
export function auditAnswers(
  audit: Audit,
  { number, by, person, place, alert, askedAt, answeredAt, delivery, news = [] }: Audited,
  answers: readonly DeviceAnswer[],
  format: Format,
): void {
  for (const answer of answers.filter(isDevice)) {
    const { asked, address, outcome } = answer;
    audit({
      number,
      by,
      person,
      conversation: place && conversationOf(place),
      private: place && isTargetedPlace(place) ? true : undefined,
      alert,
      asked,
      address,
      account: accountOf(answer),
      outcome: lookupName(outcome),
      verdict: verdictOf(answer, format).words,
      tokens: countTokens(answer),
      posted: delivery && news.includes(answer) ? postedOf(delivery) : 'nothing',
      askedAt: iso(askedAt),
      answeredAt: iso(answeredAt),
    });
  }
}

/**
 * Returns the answers if they come before `until` (milliseconds since 1970), else undefined: nobody is told of late
 * answers, so they are audited without a time.
 */
export async function answersInTime(
  all: Promise<DeviceAnswer[]>,
  until: number,
  lookup: Omit<Audited, 'answeredAt'>,
  format: Format,
  { audit, now, onError }: Pick<Services, 'audit' | 'now' | 'onError'>,
): Promise<DeviceAnswer[] | undefined> {
  if (await endsWithin(all, until - now())) return all;
  all.then((late) => auditAnswers(audit, { ...lookup, answeredAt: undefined }, late, format)).catch(onError);
  return undefined;
}

/** Whose account the NAC answered; undefined if nobody knows. */
function accountOf(answer: DeviceAnswer): AuditEntry['account'] {
  const { outcome } = answer;
  if ('whose' in outcome) return outcome.whose === 'person' ? 'own' : 'service';
  const isAnswered = ['found', 'no session', 'fault', 'unusable'].includes(outcome.kind);
  return isAnswered ? (isOwn(answer) ? 'own' : 'service') : undefined;
}

function postedOf({ outcome, kept }: Delivery): AuditEntry['posted'] {
  if (outcome.kind === 'posted') return 'yes';
  return kept ? 'later' : 'no';
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/**
 * The six digits by which a person and an operator name the same lookup.
 * @param key the question's. Everything that becomes of the question has the same number, in every process
 */
export function reportNumber(key: string): number {
  return 100_000 + (createHash('sha256').update(key).digest().readUIntBE(0, 6) % 900_000);
}
