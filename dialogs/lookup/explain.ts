import { LRUCache } from 'lru-cache';
import { type Attempt, HISTORY_MS } from '../../src/domain/attempts.ts';
import { isMacAddress } from '../../src/domain/device-address.ts';
import { groupOf, noteNone, type Sightings, seesNobody } from '../../src/domain/outcome.ts';
import { stateOf } from '../../src/domain/session.ts';
import { ownCopy } from '../../src/domain/text.ts';
import type { FindEndpoint } from '../../src/nac/endpoints.ts';
import type { History } from '../../src/nac/history.ts';
import { type DeviceAnswer, isOwn, isPassing, type LastKnown, recordOf } from '../render/device.ts';
import { placeOf } from '../render/facts.ts';
import { verdictOf } from '../render/verdict.ts';
import { joinLines } from '../render/words.ts';

type Answers = readonly DeviceAnswer[];

export type ExplainOptions = {
  now: () => number;
  onError(error: unknown): void;
  /** Undefined: turned off. */
  history: History | undefined;
  /** Undefined: there is no administration node to ask. */
  findEndpoint: FindEndpoint | undefined;
};

export type Explanations = ReturnType<typeof createExplanations>;

/** More would take the NAC's places from lookups. */
const MOST_DEVICES = 5;
/** How many devices are remembered until the process ends. */
const MOST_KNOWN = 10_000;
const RECENTLY_MS = 10 * 60_000;
/** An attempt that is no older shows that the NAC sees somebody. */
const RECENT_MS = 3_600_000;

/** What explains answers without a running session: the device's last attempts, its own record, and whether the NAC sees anyone. */
export function createExplanations({ history, findEndpoint, now, onError }: ExplainOptions) {
  let sightings: Sightings = [];
  let answeredAt = Number.NEGATIVE_INFINITY;
  const known = new LRUCache<string, LastKnown>({ max: MOST_KNOWN });

  /** Says of each device without a session whether the NAC sees nobody at present. */
  function mark(answers: Answers): Answers {
    const isNobodySeen = seesNobody(sightings, now());
    return answers.map(({ isNobodySeen: _, ...answer }) =>
      isNobodySeen && answer.outcome.kind === 'no session' ? { ...answer, isNobodySeen } : answer,
    );
  }

  /** What the bot knew before, of the devices that the NAC does not answer about now. */
  function remind(answer: DeviceAnswer): DeviceAnswer {
    if (!isPassing(answer)) return answer;
    const lastKnown = known.get(answer.asked);
    const isNacKnown = now() - answeredAt < RECENTLY_MS;
    return { ...answer, ...(lastKnown && { lastKnown }), ...(isNacKnown && { isNacKnown }) };
  }

  function remember(answer: DeviceAnswer): void {
    const { asked, outcome } = answer;
    const isAnswered = ['found', 'none'].includes(groupOf(outcome));
    if (isAnswered) answeredAt = now();
    if (!isAnswered || isOwn(answer)) return; // What one person's own account may see is nobody else's.
    const { words } = verdictOf(answer);
    const said = ownCopy(joinLines([[words], ...placeOf(recordOf(answer))], ', '));
    known.set(asked, { at: now(), said });
  }

  return {
    /** Notes what a question found. @param question the same for all that belongs to one question, or to one alert */
    note(answers: Answers, asker: string, question: string): Answers {
      const kinds = answers.map(({ outcome }) => outcome.kind);
      if (kinds.includes('found')) sightings = [];
      else if (kinds.includes('no session'))
        sightings = noteNone(sightings, { key: question, asker, at: now() });
      for (const answer of answers) remember(answer);
      return mark(answers).map(remind);
    },
    /** Adds attempts and records, about the worst devices. Never rejects; what is late is left out. */
    async explain(answers: Answers, person: string): Promise<Answers> {
      const asked = worst(answers);
      if (asked.length === 0) return answers;
      const attemptsOf = async ({ address }: DeviceAnswer) =>
        isMacAddress(address) ? history?.(address, person, HISTORY_MS) : undefined;
      const endpointOf = async ({ address, outcome }: DeviceAnswer) =>
        isMacAddress(address) && outcome.kind === 'no session' ? findEndpoint?.(address, person) : undefined;
      try {
        const told = await Promise.all(
          asked.map((answer) => Promise.all([attemptsOf(answer), endpointOf(answer)])),
        );
        const isRecent = ({ at = 0 }: Attempt) => now() - at < RECENT_MS;
        if (told.some(([attempts]) => attempts?.some(isRecent))) sightings = [];
        return mark(
          answers.map((answer) => {
            const [attempts, endpoint] = told[asked.indexOf(answer)] ?? [];
            return { ...answer, ...(attempts && { attempts }), ...(endpoint && { endpoint }) };
          }),
        );
      } catch (error) {
        onError(error);
        return answers;
      }
    },
    seesNobody: () => seesNobody(sightings, now()),
  };
}

/** The devices that are asked about, the worst first. The NAC lists attempts and records by MAC address alone. */
function worst(answers: Answers): DeviceAnswer[] {
  const byState = Map.groupBy(answers, ({ address, outcome }) => {
    if (!isMacAddress(address)) return undefined;
    return outcome.kind === 'found' ? stateOf(outcome.record).kind : outcome.kind;
  });
  const states = ['rejected', 'no session', 'ended'] as const;
  return states.flatMap((state) => byState.get(state) ?? []).slice(0, MOST_DEVICES);
}
