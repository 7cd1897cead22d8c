import { LRUCache } from 'lru-cache';
import { HISTORY_MS } from '../../src/domain/attempts.ts';
import { isMacAddress } from '../../src/domain/device-address.ts';
import { groupOf } from '../../src/domain/outcome.ts';
import { stateOf } from '../../src/domain/session.ts';
import { ownCopy } from '../../src/domain/text.ts';
import type { FindEndpoint } from '../../src/nac/endpoints.ts';
import type { HasNoSessions, History } from '../../src/nac/optional-calls.ts';
import { verdictOf } from '../render/describe.ts';
import {
  type DeviceAnswer,
  isOwn,
  isTransient,
  type LastKnown,
  placeText,
  recordOf,
} from '../render/device.ts';
import { joinLines } from '../render/words.ts';

type Answers = readonly DeviceAnswer[];

export type ExplainOptions = {
  now: () => number;
  onError(error: unknown): void;
  /** Undefined: turned off. */
  history: History | undefined;
  /** Undefined: there is no administration node to ask. */
  findEndpoint: FindEndpoint | undefined;
  hasNoSessions: HasNoSessions;
};

export type Explanations = ReturnType<typeof createExplanations>;

/** More would take the NAC's places from lookups. */
const MAX_DEVICES = 5;
/** How many devices are remembered until the process ends. */
const MAX_KNOWN = 10_000;
const RECENTLY_MS = 10 * 60_000;

/** What explains answers without a running session: the device's last attempts, its own record, and whether the NAC has sessions. */
export function createExplanations(options: ExplainOptions) {
  const { history, findEndpoint, hasNoSessions, now, onError } = options;
  let isNobodySeen = false;
  let answeredAt = Number.NEGATIVE_INFINITY;
  const known = new LRUCache<string, LastKnown>({ max: MAX_KNOWN });

  /** Asks the address that knew no session whether it has any, under the same account. */
  async function countSessions(answers: Answers, person: string): Promise<void> {
    const node = answers.map(nodeOf).find((each) => each !== undefined);
    const isEmpty = node === undefined ? undefined : await hasNoSessions(node, person);
    if (isEmpty !== undefined) isNobodySeen = isEmpty;
  }

  /** What the bot knew before, of the devices that the NAC does not answer about now. */
  function remind(answer: DeviceAnswer): DeviceAnswer {
    if (!isTransient(answer)) return answer;
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
    const said = ownCopy(joinLines([[words], placeText(recordOf(answer))], ', '));
    known.set(asked, { at: now(), said });
  }

  return {
    /** Notes what was found, and adds what was known of devices about which the NAC is silent. */
    note(answers: Answers): Answers {
      if (answers.some(({ outcome }) => outcome.kind === 'found')) isNobodySeen = false;
      for (const answer of answers) remember(answer);
      return answers.map(remind);
    },
    /** Adds attempts and records, about the worst devices. Never rejects; what is late is left out. */
    async explain(answers: Answers, person: string): Promise<Answers> {
      const asked = worst(answers);
      if (asked.length === 0 && !answers.some(nodeOf)) return answers;
      const attemptsOf = async ({ address }: DeviceAnswer) =>
        isMacAddress(address) ? history?.(address, person, HISTORY_MS) : undefined;
      const endpointOf = async ({ address, outcome }: DeviceAnswer) =>
        isMacAddress(address) && outcome.kind === 'no session' ? findEndpoint?.(address, person) : undefined;
      try {
        const [told] = await Promise.all([
          Promise.all(asked.map((answer) => Promise.all([attemptsOf(answer), endpointOf(answer)]))),
          countSessions(answers, person),
        ]);
        return answers.map(({ isNobodySeen: _, ...answer }, index) => {
          const [attempts, endpoint] = told[asked.indexOf(answers[index] as DeviceAnswer)] ?? [];
          const isBlind = isNobodySeen && answer.outcome.kind === 'no session';
          const more = { ...(attempts && { attempts }), ...(endpoint && { endpoint }) };
          return { ...answer, ...more, ...(isBlind && { isNobodySeen: true as const }) };
        });
      } catch (error) {
        onError(error);
        return answers;
      }
    },
  };
}

/** The devices that are asked about, the worst first. The NAC lists attempts and records by MAC address alone. */
function worst(answers: Answers): DeviceAnswer[] {
  const byState = Map.groupBy(answers, ({ address, outcome }) => {
    if (!isMacAddress(address)) return undefined;
    return outcome.kind === 'found' ? stateOf(outcome.record).kind : outcome.kind;
  });
  const states = ['rejected', 'suppressed', 'did not finish', 'no session', 'ended'] as const;
  return states.flatMap((state) => byState.get(state) ?? []).slice(0, MAX_DEVICES);
}

/** The address of the NAC that knew no session of a device. */
function nodeOf({ outcome }: DeviceAnswer): string | undefined {
  return outcome.kind === 'no session' ? outcome.node : undefined;
}
