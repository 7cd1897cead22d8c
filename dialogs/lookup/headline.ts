import type { DeviceAddress } from '../../src/domain/device-address.ts';
import type { Format } from '../format/locale.ts';
import type { DeviceAnswer } from './device-answer.ts';
import { verdictOf } from './verdict.ts';

const WORDS = {
  progress: (answered: string, all: string) => `${answered} of ${all} answered so far.`,
  result: (all: string, verdicts: string) => `${all} devices: ${verdicts}.`,
};

/** The kinds of answers that the headline counts, in this order. */
const KINDS = [
  'connected',
  'connected, posture pending',
  'connected, not compliant',
  'session found',
  'web login: waiting',
  'posture: waiting',
  'onboarding: waiting',
  'device management: waiting',
  'portal: waiting',
  'quarantined',
  'rejected',
  'ended',
  'no session',
  'no device',
  'failed',
] as const;

/** A count of each kind of answer; how many are answered while some are not. */
export function sayHeadline(
  answers: readonly DeviceAnswer[],
  waiting: readonly DeviceAddress[],
  format: Format,
): string {
  const all = format.number(answers.length + waiting.length);
  if (waiting.length > 0) return WORDS.progress(format.number(answers.length), all);
  const kinds = answers.map((answer) => kindOfAnswer(answer, format));
  const counts = KINDS.map((kind) => [kind, kinds.filter((each) => each === kind).length] as const);
  const verdicts = counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${format.number(count)} ${kind}`);
  return WORDS.result(all, verdicts.join(', '));
}

function kindOfAnswer(answer: DeviceAnswer, format: Format): (typeof KINDS)[number] {
  switch (answer.outcome.kind) {
    case 'found': {
      const { words } = verdictOf(answer, format);
      return KINDS.find((kind) => kind === words) ?? 'session found';
    }
    case 'no session':
      return 'no session';
    case 'zero':
    case 'unspecified':
    case 'loopback':
    case 'broadcast':
    case 'multicast':
      return 'no device';
    case 'refused':
    case 'resting':
    case 'paused':
    case 'given up':
    case 'busy':
    case 'disconnected':
    case 'forbidden':
    case 'fault':
    case 'unusable':
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
      return 'failed';
  }
}
