import type { Format } from '../format/locale.ts';
import { sayTokensLeftOut } from './bounded.ts';
import { countTokens, type DeviceAnswer, tokensOf } from './device-answer.ts';

/** The post for the room: each device with tokens, its address and each token literally on a line of its own. */
export function roomText(answers: readonly DeviceAnswer[], format: Format): string | undefined {
  const blocks = answers
    .filter((answer) => countTokens(answer) > 0)
    .map((answer) => [answer.address, ...tokensOf(answer)].join('\n'));
  return blocks.length > 0
    ? [...blocks, ...sayTokensLeftOut(answers, format, String)].join('\n\n')
    : undefined;
}
