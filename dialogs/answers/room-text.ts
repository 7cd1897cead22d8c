import type { Format } from '../format/locale.ts';
import { sayTokensLeftOut } from './bounded.ts';
import { type DeviceAnswer, tokensOf } from './device-answer.ts';

/** The post for the room: each device with tokens, its address and each token literally on a line of its own. */
export function roomText(answers: readonly DeviceAnswer[], format: Format): string | undefined {
  const blocks = answers.flatMap((answer) => {
    const tokens = tokensOf(answer);
    return tokens.length > 0 ? [[answer.address, ...tokens].join('\n')] : [];
  });
  return blocks.length > 0
    ? [...blocks, ...sayTokensLeftOut(answers, format, String)].join('\n\n')
    : undefined;
}
