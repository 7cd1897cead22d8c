import { toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { type DeviceAnswer, tokensOf } from './device-answer.ts';
import { verdictOf } from './verdict.ts';

/** What the room is told: each device that has tokens, its address and then each token, literally, a line each. */
export function roomText(answers: readonly DeviceAnswer[]): string | undefined {
  const blocks = answers.flatMap((answer) => {
    const tokens = tokensOf(answer);
    return tokens.length > 0 ? [[answer.address, ...tokens].join('\n')] : [];
  });
  return blocks.length > 0 ? blocks.join('\n\n') : undefined;
}

/** The same for an alert, where nobody else would be told: the other devices too, with a sentence. */
export function alertRoomText(answers: readonly DeviceAnswer[], format: Format): string {
  const blocks = answers.map((answer) => {
    const tokens = tokensOf(answer);
    if (tokens.length > 0) return [answer.address, ...tokens].join('\n');
    const { words, meaning } = verdictOf(answer, format);
    if (answer.outcome.kind === 'found') return `${answer.address}: ${words}, without tokens.`;
    return `${answer.address}: ${words}.${meaning ? ` ${toPlain(meaning)}` : ''}`;
  });
  return blocks.join('\n\n');
}
