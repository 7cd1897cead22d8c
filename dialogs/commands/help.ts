import * as card from '../format/card.ts';
import { type Message, messageOf, withButtons } from '../format/message.ts';
import { code, line, lines, paragraphs } from '../format/words.ts';
import { EXAMPLE, exampleButton } from '../lookup/question.ts';
import type { Command } from './command.ts';

const WORDS = {
  intro: line`I ask the network access control system (NAC) about devices. Commands:`,
  outro: line`A MAC address alone is a lookup too. More about a command: ${'help lookup'}`,
  mention: line`Here, mention me first: ${`@bot lookup ${EXAMPLE}`}`,
  hello: line`Hello! I ask the network access control system (NAC) about devices. Three things to try:`,
  address: line`Send me a MAC address, in any spelling: ${`lookup ${EXAMPLE}`}`,
  log: line`Paste some lines of a log: I find every address in them, up to 20.`,
  help: line`Type ${'help'} for all I can do.`,
  mentionInChannel: line`In a channel, mention me first.`,
};

export const help: Command = {
  name: 'help',
  aliases: ['commands', 'what can you', 'what do you', 'how do i', 'how does this', 'who are you'],
  summary: 'says what I can do',
  examples: ['help', 'help lookup'],
  details: ['Lists the commands, or explains one of them.'],
  async answer({ text, isPersonal, isAdmin, say }, { commands }) {
    const name = text.trim().replace(/\s+/g, ' ').toLowerCase();
    const command = commands.find((each) => each.name === name || each.aliases?.includes(name));
    const place = isPersonal ? 'personal' : 'shared';
    const useful = commands.filter(
      ({ only = place, forAdmins = false }) => only === place && (isAdmin || !forAdmins),
    );
    await say(command ? about(command) : overview(useful, isPersonal));
  },
};

function overview(commands: readonly Command[], isPersonal: boolean): Message {
  const parts = [
    card.linePart(WORDS.intro),
    card.linesPart(commands.map(({ name, summary }) => line`${name}: ${[summary]}`)),
    card.linePart(WORDS.outro),
    ...(isPersonal ? [] : [card.linePart(WORDS.mention)]),
  ];
  return messageOf(parts, [exampleButton()]);
}

function about({ name, summary, details, examples }: Command): string {
  return paragraphs(
    `${code(name)}: ${summary}.`,
    lines(...details),
    lines('For example:', ...examples.map(code)),
  );
}

/** What the bot says about itself after its installation. */
export function welcomeMessage(isPersonal: boolean): Message {
  return withButtons(
    [WORDS.hello, WORDS.address, WORDS.log, WORDS.help, ...(isPersonal ? [] : [WORDS.mentionInChannel])],
    [exampleButton(), card.button('Help', 'help', ''), card.button('Status', 'status', '')],
  );
}
