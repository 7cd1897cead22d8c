import type { Dialog } from '../dialog.ts';
import { line, lines, toMarkdown, toPlain } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import {
  addressRuns,
  button,
  card,
  heading,
  type Message,
  readersOf,
  richText,
  runs,
} from '../format/message.ts';
import { nameOf } from '../lookup/device-answer.ts';
import type { RecentLookup, RecentLookups } from '../lookup/told.ts';

const WORDS = {
  title: 'Last lookups here',
  none: line`No lookups here yet, as far as I remember. Send me a MAC address to begin.`,
};

export function createRecent({ recent }: { recent: Pick<RecentLookups, 'of'> }): Dialog {
  return {
    name: 'recent',
    aliases: ['history'],
    summary: 'shows the last lookups of this conversation',
    examples: ['recent'],
    details: ['Lists the last ten devices with their verdicts and ages. I forget them when I am restarted.'],
    async answer({ place, format, say }) {
      await say(listMessage(recent.of(readersOf(place)), format));
    },
  };
}

function listMessage(lookups: readonly RecentLookup[], format: Format): Message {
  if (lookups.length === 0) return { text: toMarkdown(WORDS.none) };
  const title = `${WORDS.title}:`;
  const rows = lookups.map(({ verdict, at, ...device }) =>
    toMarkdown(line`${nameOf(device)}: ${[verdict]}, ${[format.age(at)]}`),
  );
  const devices = lookups.map(({ verdict, ...device }) => toPlain(line`${nameOf(device)}: ${[verdict]}`));
  const elements = lookups.map(({ asked, address, verdict, at }) => ({
    type: 'Container',
    style: 'emphasis',
    spacing: 'Small',
    items: [
      richText(addressRuns(address, asked)),
      richText(runs([`${verdict}, ${format.age(at)}`], { isSubtle: true }), 'None'),
    ],
    selectAction: button(`${asked}: ${verdict}`, 'lookup', asked),
  }));
  return {
    text: lines(title, ...rows),
    summary: [title, ...devices].join('\n'),
    card: card([heading(WORDS.title), ...elements]),
  };
}
