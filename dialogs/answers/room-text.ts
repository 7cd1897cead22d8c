import { toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { type DeviceAnswer, tokensOf } from './device-answer.ts';
import { sharedFault } from './shared-fault.ts';
import { verdictOf } from './verdict.ts';

/** The post for the room: each device with tokens, its address and each token literally on a line of its own. */
export function roomText(answers: readonly DeviceAnswer[]): string | undefined {
  const blocks = answers.flatMap((answer) => {
    const tokens = tokensOf(answer);
    return tokens.length > 0 ? [[answer.address, ...tokens].join('\n')] : [];
  });
  return blocks.length > 0 ? blocks.join('\n\n') : undefined;
}

/**
 * The post for an alert. It also has a sentence for each device without tokens, and what faults
 * share, because nobody else would be told.
 */
export function alertRoomText(answers: readonly DeviceAnswer[], format: Format): string {
  const blocks = answers.map((answer) => {
    const tokens = tokensOf(answer);
    if (tokens.length > 0) return [answer.address, ...tokens].join('\n');
    const { words, meaning } = verdictOf(answer, format);
    if (answer.outcome.kind === 'found') return `${answer.address}: ${words}, without tokens.`;
    return `${answer.address}: ${words}.${meaning ? ` ${toPlain(meaning)}` : ''}`;
  });
  const shared = sharedFault(answers, format);
  return [...blocks, ...(shared ? [toPlain(shared)] : [])].join('\n\n');
}
