import type { Dialog } from '../dialog.ts';
import { code, line, lines, paragraphs } from '../format/line.ts';
import { linePart, linesPart, type Message, messageOf } from '../format/message.ts';
import { EXAMPLE, exampleButton } from '../lookup/no-address.ts';

const WORDS = {
  intro: line`I ask the network access control system (NAC) about devices. Commands:`,
  outro: line`A MAC address alone is a lookup too. More about a command: ${'help lookup'}`,
  mention: line`Here, mention me first: ${`@bot lookup ${EXAMPLE}`}`,
};

/** `help` and `help NAME`, written from the dialogs. */
export function createHelp(dialogs: () => readonly Dialog[]): Dialog {
  return {
    name: 'help',
    aliases: ['commands', 'what can you', 'what do you', 'how do i', 'how does this', 'who are you'],
    summary: 'says what I can do',
    examples: ['help', 'help lookup'],
    details: ['Lists the commands, or explains one of them.'],
    async answer({ text, isPersonal, isAdmin, say }) {
      const name = text.trim().replace(/\s+/g, ' ').toLowerCase();
      const dialog = dialogs().find((each) => each.name === name || each.aliases?.includes(name));
      const place = isPersonal ? 'personal' : 'shared';
      const useful = dialogs().filter(
        ({ only = place, forAdmins = false }) => only === place && (isAdmin || !forAdmins),
      );
      await say(dialog ? about(dialog) : overview(useful, isPersonal));
    },
  };
}

function overview(dialogs: readonly Dialog[], isPersonal: boolean): Message {
  const parts = [
    linePart(WORDS.intro),
    linesPart(dialogs.map(({ name, summary }) => line`${name}: ${[summary]}`)),
    linePart(WORDS.outro),
    ...(isPersonal ? [] : [linePart(WORDS.mention)]),
  ];
  return messageOf(parts, [exampleButton()]);
}

function about({ name, summary, details, examples }: Dialog): string {
  return paragraphs(
    `${code(name)}: ${summary}.`,
    lines(...details),
    lines('For example:', ...examples.map(code)),
  );
}
