import { LRUCache } from 'lru-cache';
import { isMacAddress } from '../../src/domain/device-address.ts';
import { stateOf } from '../../src/domain/session.ts';
import { ownCopy } from '../../src/domain/text.ts';
import type { FindEndpoint } from '../../src/nac/endpoints.ts';
import type { HasNoSessions, History } from '../../src/nac/optional-calls.ts';
import { verdictOf, worstFirst } from '../render/describe.ts';
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

/** More would take slots from lookups. */
const MAX_DEVICES = 5;
const MAX_KNOWN = 10_000;

/** Explains answers without a running session: by the device's last attempts, its own record, and whether the NAC has sessions. */
export class Explanations {
  readonly #options: ExplainOptions;
  readonly #known = new LRUCache<string, LastKnown>({ max: MAX_KNOWN });

  constructor(options: ExplainOptions) {
    this.#options = options;
  }

  /** Notes what was found, and adds what was known of devices about which the NAC is silent. */
  withLastKnown(answers: Answers): Answers {
    const now = this.#options.now();
    const noted: DeviceAnswer[] = [];
    for (const answer of answers) {
      const { asked, outcome } = answer;
      const isAnswered = outcome.kind === 'found' || outcome.kind === 'no session';
      // What one person's own account may see is nobody else's.
      if (isAnswered && !isOwn(answer)) {
        const said = joinLines([[verdictOf(answer).words], placeText(recordOf(answer))], ', ');
        this.#known.set(asked, { at: now, said: ownCopy(said) });
      }
      const lastKnown = !isAnswered && isTransient(answer) ? this.#known.get(asked) : undefined;
      noted.push(lastKnown ? { ...answer, lastKnown } : answer);
    }
    return noted;
  }

  /** Adds attempts and records, about the worst devices. Never rejects; what is late is left out. */
  async explain(answers: Answers, person: string): Promise<Answers> {
    const { hasNoSessions, onError } = this.#options;
    const all = answers.filter(isExplained);
    // The address that knew no session is asked how many it has, under the same account.
    let node: string | undefined;
    for (const { outcome } of answers) if (outcome.kind === 'no session') node ??= outcome.node;
    if (all.length === 0 && node === undefined) return answers;
    const asked = worstFirst(all).slice(0, MAX_DEVICES);
    try {
      const [explained, isNobodySeen] = await Promise.all([
        Promise.all(asked.map((answer) => this.#explainOne(answer, person))),
        node === undefined ? undefined : hasNoSessions(node, person),
      ]);
      return answers.map((answer) => {
        const { isNobodySeen: _, ...whole } = explained[asked.indexOf(answer)] ?? answer;
        return isNobodySeen && whole.outcome.kind === 'no session' ? { ...whole, isNobodySeen } : whole;
      });
    } catch (error) {
      onError(error);
      return answers;
    }
  }

  async #explainOne(answer: DeviceAnswer, person: string): Promise<DeviceAnswer> {
    const { history, findEndpoint } = this.#options;
    const { address, outcome } = answer;
    if (!isMacAddress(address)) return answer; // The NAC lists attempts and records by MAC address alone.
    const node = 'node' in outcome ? outcome.node : undefined;
    const [attempts, endpoint] = await Promise.all([
      history?.(address, person, node),
      outcome.kind === 'no session' ? findEndpoint?.(address, person) : undefined,
    ]);
    return { ...answer, ...(attempts && { attempts }), ...(endpoint && { endpoint }) };
  }
}

const EXPLAINED = ['rejected', 'suppressed', 'did not finish', 'no session', 'ended'];

function isExplained({ outcome }: DeviceAnswer): boolean {
  return EXPLAINED.includes(outcome.kind === 'found' ? stateOf(outcome.record) : outcome.kind);
}
