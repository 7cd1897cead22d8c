import { isMacAddress } from '../../src/domain/device-address.ts';
import { stateOf } from '../../src/domain/session.ts';
import { ownCopy } from '../../src/domain/text.ts';
import type { Nac } from '../../src/nac.ts';
import type { BaseParts } from '../dialog.ts';
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

export type ExplainParts = Pick<BaseParts, 'findEndpoint' | 'clock' | 'onError'> & {
  nac: Pick<Nac, 'history' | 'hasNoSessions'>;
  /** The last answers about devices, by the address that was asked for. */
  lastKnown: Pick<Map<string, LastKnown>, 'get'> & { set(asked: string, known: LastKnown): unknown };
};

/** More would take slots from lookups. */
const MAX_DEVICES = 5;

/**
 * Explains answers without a running session by the attempts and records of the worst devices, and by whether the NAC has any
 * session; others by the last known state. Never rejects; what is late is left out.
 */
export async function explain(answers: Answers, person: string, bot: ExplainParts): Promise<Answers> {
  const noted = answers.map((answer) => withLastKnown(answer, bot));
  const asked = worstFirst(noted.filter(isExplained)).slice(0, MAX_DEVICES);
  if (asked.length === 0) return noted;
  // The address that knew no session is asked how many it has, under the same account.
  let node: string | undefined;
  for (const { outcome } of answers) if (outcome.kind === 'no session') node ??= outcome.node;
  try {
    const [explained, isNobodySeen] = await Promise.all([
      Promise.all(asked.map((answer) => explainOne(answer, person, bot))),
      node === undefined ? undefined : bot.nac.hasNoSessions(node, person),
    ]);
    return noted.map((answer) => {
      const whole = explained[asked.indexOf(answer)] ?? answer;
      return isNobodySeen && whole.outcome.kind === 'no session' ? { ...whole, isNobodySeen } : whole;
    });
  } catch (error) {
    bot.onError(error);
    return noted;
  }
}

/** Notes what was found, and adds what was known of a device about which the NAC is silent. */
function withLastKnown(answer: DeviceAnswer, { lastKnown, clock }: ExplainParts): DeviceAnswer {
  const { asked, outcome } = answer;
  const isAnswered = outcome.kind === 'found' || outcome.kind === 'no session';
  // What one person's own account may see is nobody else's.
  if (isAnswered && !isOwn(answer)) {
    const said = joinLines([[verdictOf(answer).words], placeText(recordOf(answer))], ', ');
    lastKnown.set(asked, { at: clock.now(), said: ownCopy(said) });
  }
  const known = isTransient(answer) ? lastKnown.get(asked) : undefined;
  return known ? { ...answer, lastKnown: known } : answer;
}

async function explainOne(answer: DeviceAnswer, person: string, bot: ExplainParts): Promise<DeviceAnswer> {
  const { address, outcome } = answer;
  if (!isMacAddress(address)) return answer; // The NAC lists attempts and records by MAC address alone.
  const node = 'node' in outcome ? outcome.node : undefined;
  const [attempts, endpoint] = await Promise.all([
    bot.nac.history?.(address, person, node),
    outcome.kind === 'no session' ? bot.findEndpoint?.(address, person) : undefined,
  ]);
  return { ...answer, ...(attempts && { attempts }), ...(endpoint && { endpoint }) };
}

const EXPLAINED = ['rejected', 'suppressed', 'did not finish', 'no session', 'ended'];

function isExplained({ outcome }: DeviceAnswer): boolean {
  return EXPLAINED.includes(outcome.kind === 'found' ? stateOf(outcome.record) : outcome.kind);
}
