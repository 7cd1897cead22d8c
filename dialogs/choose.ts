import { distance } from 'fastest-levenshtein';
import { findDeviceAddresses, guessMacAddresses, isMacAddress } from '../src/domain/device-address.ts';
import { findMacAddresses } from '../src/domain/mac-address.ts';
import { firstPart } from '../src/domain/text.ts';
import type { Bot, Command } from './commands/command.ts';
import type { Turn } from './dialog.ts';
import * as card from './format/card.ts';
import { type Message, withButtons } from './format/message.ts';
import { line, toMarkdown } from './format/words.ts';
import {
  EXAMPLE as ADDRESS,
  cannotSee,
  nearAddress,
  offerDoubtful,
  offerQuoted,
  onlyFirstPart,
  type Unseen,
} from './lookup/question.ts';
import { isThanks } from './thanks.ts';

const EXAMPLE = `lookup ${ADDRESS}`;
const WORDS = {
  welcome: "You're welcome.",
  admins: 'This command is for the administrators of the bot.',
  greeting: line`Hello! Send me a MAC address, and I ask the NAC about it: ${EXAMPLE}. Type ${'help'} for all I can do.`,
  nearest: (name: string) => line`I don't know that command. Did you mean ${name}?`,
  unknown: line`I don't know that command, and I see no MAC address in your message.`,
  example: line`Try ${EXAMPLE}, or ${'help'} for all I can do.`,
};

export type Sent = Pick<
  Turn,
  'text' | 'isCut' | 'person' | 'name' | 'isAdmin' | 'isPersonal' | 'showsCards' | 'submission'
> & {
  /** What stands beside the person's own words: a quote, a forwarded message, a card, a code snippet. Empty if nothing does. */
  quoted: string;
  unseen: readonly Unseen[];
  isOverheard?: boolean;
};

type Said = Pick<Turn, 'text' | 'addresses' | 'beside' | 'faults' | 'isAsked'>;
export type Choice = Said & { dialog: Command; isCommand: boolean };

/**
 * Returns a function that chooses the dialog for a message. A card's button names its dialog. For a typed message, the
 * first match decides:
 * 1. An address after a command that takes IP addresses.
 * 2. A MAC address anywhere means `lookup`, except after a command that takes addresses. After `connect` it may be a
 *    password. Digits that may be any number mean an address after a command only.
 * 3. Any other command in front, in upper or lower case.
 * 4. Thanks, and the like, get a word in a personal chat, and nothing elsewhere. Then a dialog that claims the message; but
 *    beside a quoted address, "again" may mean that one.
 * 5. A mistyped address means `lookup`.
 * 6. MAC addresses in the quoted text: `lookup`, if the message says nothing else, only `lookup`, or only a question like
 *    "what is this?". Other words ask nothing of a quote, so its addresses are offered, as unclear ones are.
 * 7. A message with nothing that can be read gets told so.
 * 8. `lookup` in front, without an address.
 * A message too long to be searched whole, that asks for nothing in what was searched, gets told so; a command for
 * administrators answers everyone else with one sentence.
 */
export function createChooser(dialogs: readonly Command[], bot: Bot): (sent: Sent) => Choice {
  const findCommand = createCommandSearch(dialogs);
  const byName = (name: unknown) => dialogs.find((each) => each.name === name);
  const lookup = byName('lookup');
  const unknown = (text: string) => saying(unknownMessage(dialogs, text));

  function choose(sent: Sent): Choice {
    const { text, quoted, unseen, submission } = sent;
    if (submission) {
      const { dialog, text: typed } = submission.data;
      // A button of ours holds a few kilobytes; a forged one need not be searched whole.
      const behind = typeof typed === 'string' ? firstPart(typed).text : text;
      return choiceOf(byName(dialog) ?? unknown(behind), behind);
    }
    const isAsked = !sent.isOverheard;
    const behind = isAsked ? findCommand(text) : undefined; // People say "connect" to one another, too.
    if (behind?.dialog.takesIpAddresses && behind.addresses.length > 0) return behind;
    const free = { text, ...macAddressesIn(text), isCommand: false, isAsked };
    const isTaken = behind?.dialog.takesAddresses?.(behind.text);
    if (lookup && !isTaken && free.addresses.length > 0) return { dialog: lookup, ...free };
    const isBare = sent.isPersonal && quoted === '' && !behind && BARE_IP.test(text);
    const bare = isBare && lookup ? choiceOf(lookup, text) : undefined;
    if (bare?.addresses.some((address) => !isMacAddress(address))) return bare;
    if (behind && behind.dialog !== lookup) return behind;
    if (quoted === '' && unseen.length === 0 && !behind && isThanks(text))
      return { dialog: saying(sent.isPersonal ? WORDS.welcome : undefined), ...free };
    const claiming = behind ? undefined : dialogs.find((each) => each.claims?.(sent, bot));
    const quotedAddresses = findMacAddresses(quoted);
    // "again" beside a quote may mean the quoted device, so its address is offered.
    if (claiming && (claiming !== lookup || quotedAddresses.length === 0))
      return { dialog: claiming, ...free };
    if (lookup && guessMacAddresses(text).length > 0) return { dialog: lookup, ...free };
    if (behind && behind.faults.length > 0) return behind;
    const isForQuote = asksForQuote(behind?.text ?? text, behind !== undefined);
    if (lookup && quotedAddresses.length > 0) {
      const fromQuote = { text: quoted, addresses: quotedAddresses, isAsked: false };
      if (isForQuote) return { ...free, ...fromQuote, dialog: lookup };
      if (!nearAddress(text)) return { ...free, dialog: saying(offerQuoted(quotedAddresses)) };
    }
    if (isForQuote && unseen.length > 0) return { ...free, dialog: saying(toMarkdown(cannotSee(unseen))) };
    const offered = isForQuote ? (offerDoubtful(quoted) ?? nearAddress(quoted)) : undefined;
    if (offered) return { ...free, dialog: saying(offered) };
    return behind ?? { dialog: unknown(text), ...free };
  }

  return (sent) => {
    const chosen = choose(sent);
    const { dialog, addresses, isCommand } = chosen;
    const isInVain = addresses.length === 0 && (!isCommand || dialog.name === 'lookup');
    if (sent.isCut && isInVain) return { ...chosen, dialog: saying(onlyFirstPart(true)) };
    return dialog.forAdmins && !sent.isAdmin ? { ...chosen, dialog: saying(WORDS.admins) } : chosen;
  };
}

/** Returns a test: does a text begin with a slash and one of these dialogs' commands? */
export function createSlashTest(dialogs: readonly Command[]): (text: string) => boolean {
  const findCommand = createCommandSearch(dialogs);
  return (text) => /^\s*\//.test(text) && findCommand(text) !== undefined;
}

/** What a phone's keyboard puts behind a sentence. */
const FULL_STOP = /(?<![.!…])[.!…]\s*$/;

/** An address that is typed right behind a command: `lookup00:1B:54:00:00:03`. */
const GLUED = '[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}|[0-9a-f]{4}(?:\\.[0-9a-f]{4}){2}';

/** Finds the command at the start of a text, with an optional slash before it and an optional colon after it. */
function createCommandSearch(dialogs: readonly Command[]) {
  const commands = dialogs.flatMap((dialog) =>
    [dialog.name, ...(dialog.aliases ?? [])].map((name) => {
      const words = name.replaceAll(' ', '[\\s-]+');
      return {
        dialog,
        pattern: new RegExp(`^\\s*[/!]?${words}(?:(?![\\p{L}\\p{N}_-])|(?=${GLUED}))[:,]?\\s*`, 'iu'),
      };
    }),
  );
  return (text: string) => {
    for (const { dialog, pattern } of commands) {
      const [command] = pattern.exec(text) ?? [];
      if (command !== undefined) return choiceOf(dialog, text.slice(command.length).replace(FULL_STOP, ''));
    }
    return undefined;
  };
}

function choiceOf(dialog: Command, text: string): Choice {
  const found = dialog.takesIpAddresses ? findDeviceAddresses(text) : macAddressesIn(text);
  return { dialog, text, ...found, isCommand: true, isAsked: true };
}

const macAddressesIn = (text: string) => ({ addresses: findMacAddresses(text), beside: [], faults: [] });

/** One IP address, and nothing else. */
const BARE_IP = /^\s*[[\]\da-f.:%]+\s*\??\s*$/i;

/** Whether words ask for what stands beside them: none, a question of pronouns ("what is this?"), or such words as a command. */
function asksForQuote(text: string, isCommand: boolean): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return /^[\s\p{P}]*$/u.test(text);
  const isQuestion = /\?\s*$/.test(text) || QUESTIONS.has(words[0] ?? '');
  return (isCommand || isQuestion) && words.every((word) => POINTING.has(word) || QUESTIONS.has(word));
}

const QUESTIONS: ReadonlySet<string> = new Set(['what', 'which', 'where', 'who', 'whose']);

const POINTING: ReadonlySet<string> = new Set(
  'this that these those it them is are and the quoted one ones device devices address please'.split(' '),
);

/** Has no name and takes no command: it says one message, or nothing. */
function saying(message?: Message | string): Command {
  const answer: Command['answer'] = async ({ say }) => (message ? say(message) : undefined);
  return { name: '', summary: '', examples: [], details: [], answer };
}

/**
 * Answers a greeting; suggests the nearest command, at most two letters and half of its letters off; says what an address
 * lacks, or names an example and help. Keeps no text after `connect`, which may be a password.
 */
function unknownMessage(dialogs: readonly Command[], text: string): Message {
  const help = card.button('help', 'help', '');
  if (/^(|hi|hello|hey|hallo|good (morning|afternoon|evening))[^\p{L}\p{N}]*$/iu.test(text.trim()))
    return withButtons([WORDS.greeting], [help]);
  const [typed = '', word = ''] = /^\W*(\w+)/.exec(text) ?? [];
  const [nearest] = dialogs
    .map(({ name }) => ({ name, letters: distance(word.slice(0, 32).toLowerCase(), name) }))
    .filter(({ name, letters }) => letters <= 2 && letters * 2 <= name.length)
    .sort((one, other) => one.letters - other.letters);
  if (nearest === undefined) return nearAddress(text) ?? withButtons([WORDS.unknown, WORDS.example], [help]);
  const { name } = nearest;
  const behind = text.slice(typed.length).trim();
  const rest = name !== 'connect' && /^[\w .:-]{0,45}$/.test(behind) ? behind : '';
  const command = card.button(`${name} ${rest}`.trim(), name, rest);
  return withButtons([WORDS.nearest(name), WORDS.example], [command]);
}
