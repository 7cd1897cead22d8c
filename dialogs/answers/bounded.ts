import type { Format } from '../format/locale.ts';
import { code } from '../format/markdown.ts';

/**
 * What the tokens of one question may take, in characters: ten posts to the room, or six messages in chat, hold them and what is
 * said beside them. The answers of a NAC have some kilobytes.
 */
const MOST_CHARACTERS = 80_000;

/** What stands around a token in chat: a code span, and the line's end. */
const AROUND = 6;

/** A longer token is left out, because it would fill a post alone. Real tokens have under 100 characters. */
const LONGEST_TOKEN = 1000;

/** A device's answer, as far as its tokens go. */
type Answer = {
  address: string;
  outcome: { kind: string; tokens?: readonly string[] };
  /** How many tokens have no place in the answer; undefined: none. */
  tokensLeftOut?: number;
};

/** Leaves out tokens that have no place in the answer to one question. The devices with the most lose theirs. */
export function bounded<Each extends Answer>(answers: readonly Each[]): Each[] {
  const wishes = answers.map(({ outcome }) =>
    (outcome.tokens ?? []).filter(({ length }) => length <= LONGEST_TOKEN),
  );
  const share = shareOf(wishes.map(costOf));
  return answers.map((answer, index) => withTokens(answer, firstWithin(wishes[index] ?? [], share)));
}

/** The most that each device's tokens may take. What modest devices leave is shared by the others. */
function shareOf(costs: readonly number[]): number {
  let left = MOST_CHARACTERS;
  let sharers = costs.length;
  for (const cost of costs.toSorted((one, other) => one - other)) {
    if (cost > left / sharers) return left / sharers;
    left -= cost;
    sharers--;
  }
  return MOST_CHARACTERS;
}

function firstWithin(tokens: readonly string[], most: number): readonly string[] {
  let left = most;
  const end = tokens.findIndex((token) => {
    left -= token.length + AROUND;
    return left < 0;
  });
  return end === -1 ? tokens : tokens.slice(0, end);
}

function costOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, { length }) => sum + length + AROUND, 0);
}

function withTokens<Each extends Answer>(answer: Each, tokens: readonly string[]): Each {
  const { outcome } = answer;
  const tokensLeftOut = (outcome.tokens?.length ?? 0) - tokens.length;
  if (tokensLeftOut === 0) return answer;
  return { ...answer, outcome: { ...outcome, tokens }, tokensLeftOut };
}

/** Says how many tokens were left out, and where they are shown; empty if none were. @param mark how a command is shown */
export function sayTokensLeftOut(
  answers: readonly Answer[],
  format: Format,
  mark: (text: string) => string = code,
): string[] {
  const cut = answers.filter(({ tokensLeftOut = 0 }) => tokensLeftOut > 0);
  const [first] = cut;
  if (first === undefined) return [];
  const count = cut.reduce((sum, { tokensLeftOut = 0 }) => sum + tokensLeftOut, 0);
  const tokens = count === 1 ? '1 token is' : `${format.number(count)} tokens are`;
  return [`${tokens} left out here; ${mark(`fields ${first.address}`)} shows what the NAC says.`];
}
