import { EXAMPLE, exampleButton } from '../lookup/question.ts';
import * as card from '../render/message.ts';
import { code, line, lines, paragraphs } from '../render/words.ts';
import type { Command } from './command.ts';

const WORDS = {
  intro: line`I ask the network access control system (NAC) about devices. I only read. Commands:`,
  outro: line`A MAC address alone is a lookup too. More about a command: ${'help lookup'}`,
  mention: line`Here, mention me first: ${`@bot lookup ${EXAMPLE}`}`,
  hello: line`Hello! I ask the network access control system (NAC) about devices. I only read. Three things to try:`,
  address: line`Send me a MAC address, in any spelling: ${`lookup ${EXAMPLE}`}`,
  log: line`Paste some lines of a log: I find every address in them, up to 20.`,
  help: line`Type ${'help'} for all I can do.`,
};

/** The common commands have a button. More would not fit a phone's screen. */
const COMMON = ['lookup', 'fields', 'recent', 'status'];

export const help: Command = {
  name: 'help',
  summary: 'says what I can do',
  examples: ['help', 'help lookup'],
  details: ['Lists the commands, or explains one of them.'],
  async answer(turn, { commands, settings }) {
    const all = Object.values(commands);
    const command = all.find(({ name }) => name === turn.text.toLowerCase());
    const useful = all.filter(({ isUseful }) => isUseful?.(turn, settings) ?? true);
    await turn.say(command ? about(command) : overview(useful, turn.isPersonal));
  },
};

function overview(commands: readonly Command[], isPersonal: boolean): card.Message {
  const common = commands.filter(({ name }) => COMMON.includes(name));
  const buttons = common.map(({ name, examples: [first = name] }) =>
    card.button(first, name, first.slice(name.length + 1)),
  );
  const list = commands.map(({ name, examples: [first = name], summary }) => line`${first}: ${[summary]}`);
  const mention = isPersonal ? [] : [[WORDS.mention]];
  return card.withGroups([[WORDS.intro], list, [WORDS.outro], ...mention], buttons);
}

function about({ name, summary, details, examples }: Command): string {
  return paragraphs(
    `${code(name)}: ${summary}.`,
    lines(...details),
    lines('For example:', ...examples.map(code)),
  );
}

/** The bot's first message after its installation. */
export function welcomeMessage(isPersonal: boolean): card.Message {
  return card.withButtons(
    [WORDS.hello, WORDS.address, WORDS.log, WORDS.help, ...(isPersonal ? [] : [WORDS.mention])],
    [exampleButton(), card.button('Help', 'help', ''), card.button('Status', 'status', '')],
  );
}
