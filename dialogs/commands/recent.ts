import type { RecentLookups } from '../../src/recent-lookups.ts';
import type { Dialog } from '../dialog.ts';
import { button, card, heading, richText, runs } from '../format/card.ts';
import { line, toMarkdown } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { lines } from '../format/markdown.ts';
import type { Message } from '../format/message.ts';
import { conversationOf } from '../format/message.ts';

const WORDS = {
  title: 'Last lookups here',
  none: line`No lookups here yet, as far as I remember. Send me a MAC address to begin.`,
  one: (address: string, verdict: string, age: string) => line`${address}: ${[verdict]}, ${[age]}`,
};

/** Lists the last lookups of a conversation, each to be looked up again by a tap. */
export function createRecent({ recent }: { recent: Pick<RecentLookups, 'of'> }): Dialog {
  return {
    name: 'recent',
    aliases: ['history'],
    summary: 'shows the last lookups of this conversation',
    examples: ['recent'],
    details: [
      'Lists the last ten devices, with what came of them and when. I forget them when I am restarted.',
    ],
    async answer({ place, format, say }) {
      await say(listMessage(recent.of(conversationOf(place)), format));
    },
  };
}

function listMessage(lookups: ReturnType<RecentLookups['of']>, format: Format): Message {
  if (lookups.length === 0) return { text: toMarkdown(WORDS.none) };
  const rows = lookups.map(({ address, verdict, at }) => WORDS.one(address, verdict, format.age(at)));
  const rowElements = lookups.map(({ address, verdict, at }) => ({
    type: 'Container',
    style: 'emphasis',
    spacing: 'Small',
    items: [
      richText(runs(line`${address}`, { fontType: 'Monospace', weight: 'Bolder' })),
      richText(runs([`${verdict}, ${format.age(at)}`], { isSubtle: true }), 'None'),
    ],
    selectAction: button(`${address}: ${verdict}`, 'lookup', address),
  }));
  return {
    text: lines(`${WORDS.title}:`, ...rows.map(toMarkdown)),
    summary: [`${WORDS.title}:`, ...lookups.map(({ address, verdict }) => `${address}: ${verdict}`)].join(
      '\n',
    ),
    card: card([heading(WORDS.title), ...rowElements]),
  };
}
