import type { Dialog } from '../dialog.ts';
import { code, lines, paragraphs } from '../format/markdown.ts';

const WORDS = {
  intro: 'I ask the network access control system (NAC) about devices. Commands:',
  outro: `A MAC address alone is a lookup too. More about a command: ${code('help lookup')}`,
};

/** `help` and `help NAME`, written from the dialogs. */
export function createHelp(dialogs: () => readonly Dialog[]): Dialog {
  return {
    name: 'help',
    aliases: ['commands'],
    summary: 'says what I can do',
    examples: ['help', 'help lookup'],
    details: ['Lists the commands, or explains one of them.'],
    async answer({ text, isPersonal, say }) {
      const name = text.trim().replace(/\s+/g, ' ').toLowerCase();
      const dialog = dialogs().find((each) => each.name === name || each.aliases?.includes(name));
      const place = isPersonal ? 'personal' : 'shared';
      const useful = dialogs().filter(({ only = place }) => only === place);
      await say(dialog ? about(dialog) : overview(useful));
    },
  };
}

function overview(dialogs: readonly Dialog[]): string {
  const commands = dialogs.map(({ name, summary }) => `${code(name)}: ${summary}`);
  return paragraphs(WORDS.intro, lines(...commands), WORDS.outro);
}

function about({ name, summary, details, examples }: Dialog): string {
  return paragraphs(
    `${code(name)}: ${summary}.`,
    lines(...details),
    lines('For example:', ...examples.map(code)),
  );
}
