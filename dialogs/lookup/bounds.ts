import type { DeviceAddress } from '../../src/domain/device-address.ts';
import { SEARCHED } from '../../src/domain/text.ts';
import { MAX_ADDRESSES, PERSON_ADDRESSES, PERSON_MESSAGES } from '../dialog.ts';
import { button } from '../format/card.ts';
import { code } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { type Message, withButtons } from '../format/message.ts';

/**
 * What the tokens of one question may take in chat, in UTF-16 units. Beside them the NAC can make the bot say 40,000. Four
 * messages in chat, or ten posts to the room, hold both. Two messages are left: one offers more addresses, one shows progress.
 */
const MOST_CHARACTERS = 60_000;

/** A line's end in chat, which is longer than in the room. */
const LINE_END = 3;

/** A longer token is left out: posts end between lines, so the one before would stay half empty. Real tokens have under 100. */
const LONGEST_TOKEN = 1000;

/** A device's answer, as far as its tokens go. */
type Answer = {
  address: string;
  outcome: { kind: string; tokens?: readonly string[] };
  tokensLeftOut?: number;
};

/** Leaves out tokens that have no place in the answer to one question. The devices with the most lose theirs. */
export function bounded<Each extends Answer>(answers: readonly Each[]): Each[] {
  const wishes = answers.map(({ outcome }) => {
    const short = (outcome.tokens ?? []).filter(({ length }) => length <= LONGEST_TOKEN);
    return firstWithin(short, MOST_CHARACTERS, costOf);
  });
  const share = shareOf(wishes.map((tokens) => tokens.reduce((sum, token) => sum + costOf(token), 0)));
  return answers.map((answer, index) => withTokens(answer, firstWithin(wishes[index] ?? [], share, costOf)));
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

/** The first items that cost no more together. */
export function firstWithin<Item>(
  items: readonly Item[],
  most: number,
  costOf: (item: Item) => number,
): readonly Item[] {
  let left = most;
  const end = items.findIndex((item) => {
    left -= costOf(item);
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** Chat shows invisible letters as their code points, so a token is never shorter there than in the room. */
function costOf(token: string): number {
  return code(token).length + LINE_END;
}

function withTokens<Each extends Answer>(answer: Each, tokens: readonly string[]): Each {
  const { outcome, tokensLeftOut = 0 } = answer;
  const more = (outcome.tokens?.length ?? 0) - tokens.length;
  if (more === 0) return answer;
  return { ...answer, outcome: { ...outcome, tokens }, tokensLeftOut: tokensLeftOut + more };
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

/** The most addresses that wait behind a button. More would make the card too large. */
const MAX_LEFT = 200;

/** Says that only the beginning of a message was searched. @param inVain whether it holds no address */
export function onlyFirstPart(inVain = false): string {
  const ending = inVain ? ', and found no address there' : '';
  return `That message is long: I searched only its first ${SEARCHED / 1024} KB${ending}.`;
}

/** Says that only the first addresses of a message are looked up. @param all how many the message holds */
export function firstOnly(all: number, format: Format): string {
  return `That message holds ${format.number(all)} addresses. I look up the first ${MAX_ADDRESSES}.`;
}

/**
 * Offers the addresses that one message has too many.
 * @param addresses all of the message's addresses
 * @param waitMs how long until a minute's limit allows the next ones
 */
export function offerRest(addresses: readonly DeviceAddress[], waitMs: number, format: Format): Message {
  const rest = addresses.slice(MAX_ADDRESSES, MAX_ADDRESSES + MAX_LEFT);
  const next = Math.min(rest.length, MAX_ADDRESSES);
  const seconds = format.number(Math.ceil(waitMs / 1000));
  const when = waitMs > 0 ? ` A minute's limit allows more in ${seconds} s.` : '';
  const title = next === 1 ? 'Look up the other one' : `Look up the next ${format.number(next)}`;
  return withButtons(
    [[`${firstOnly(addresses.length, format)}${when}`]],
    [button(title, 'lookup', rest.join(' '))],
  );
}

/** The answer to a person who asks more than a minute allows. @param waitMs until the next minute begins */
export function tooOften(waitMs: number, format: Format): string {
  const seconds = format.number(Math.ceil(waitMs / 1000));
  return `That is more than I answer in a minute (${PERSON_ADDRESSES} addresses or ${PERSON_MESSAGES} messages). Please try again in ${seconds} s.`;
}
