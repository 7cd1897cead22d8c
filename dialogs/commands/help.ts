import { EXAMPLE, exampleButton } from '../lookup/replies.ts';
import * as card from '../render/message.ts';
import { line } from '../render/words.ts';
import type { Command } from './command.ts';

const WORDS = {
  intro: line`I ask the network access control system (NAC) about devices. I only read. Commands:`,
  outro: line`A MAC address alone is a lookup too.`,
  mention: line`Here, mention me first: ${`@bot lookup ${EXAMPLE}`}`,
  hello: line`Hello! I ask the network access control system (NAC) about devices. I only read. Three things to try:`,
  address: line`Send me a MAC address, in any spelling: ${`lookup ${EXAMPLE}`}`,
  log: line`Paste some lines of a log: I find every address in them, up to 20.`,
  help: line`Type ${'help'} for all I can do.`,
};

/** The common commands have a button. More would not fit a phone's screen. */
const COMMON = ['lookup', 'fields', 'recent', 'status'];

export const help: Command = {
  summary: 'says what I can do',
  async answer(turn, { commands, settings }) {
    const all = Object.entries(commands).map(([name, command]) => ({ name, example: name, ...command }));
    const useful = all.filter(({ isUseful }) => isUseful?.(turn, settings) ?? true);
    const common = useful.filter(({ name }) => COMMON.includes(name));
    const buttons = common.map(({ name, example }) =>
      card.button(example, name, example.slice(name.length + 1)),
    );
    const list = useful.map(({ example, summary }) => line`${example}: ${[summary]}`);
    const mention = turn.isPersonal ? [] : [[WORDS.mention]];
    await turn.say(card.withButtons([[WORDS.intro], list, [WORDS.outro], ...mention], buttons));
  },
};

/** The bot's first message after its installation. */
export function welcomeMessage(isPersonal: boolean): card.Message {
  return card.withButtons(
    [[WORDS.hello], [WORDS.address], [WORDS.log], [WORDS.help], ...(isPersonal ? [] : [[WORDS.mention]])],
    [exampleButton(), card.button('Help', 'help', ''), card.button('Status', 'status', '')],
  );
}
