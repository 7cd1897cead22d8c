import type { RecentLookup } from '../render/device.ts';
import * as card from '../render/message.ts';
import { type Formatter, line, nameOf } from '../render/words.ts';
import type { Command } from './command.ts';

const MAX_LISTED = 10;

const WORDS = {
  title: 'Last lookups here',
  none: 'No lookups here yet, as far as I remember. Send me a MAC address to begin.',
};

export const recent: Command = {
  summary: 'shows the last lookups of this conversation',
  async answer({ place, formatter, say }, { recent }) {
    await say(recentMessage(recent.of(card.readersOf(place)).slice(0, MAX_LISTED), formatter));
  },
};

export function recentMessage(lookups: readonly RecentLookup[], formatter: Formatter): card.Message {
  if (lookups.length === 0) return { text: WORDS.none };
  const rows = lookups.map(({ asked, address, verdict, said, at }) => {
    const row = line`${nameOf({ asked, address })}: ${said}`;
    const age = `, ${formatter.age(at)}`;
    const items = [
      card.richText(card.addressRuns({ asked, address })),
      card.richText(card.runs([...said, age], { isSubtle: true }), 'None'),
    ];
    const selectAction = card.button(`${asked}: ${verdict}`, 'lookup', asked);
    const element = { type: 'Container', style: 'emphasis', spacing: 'Small', items, selectAction };
    return { text: [[...row, age]], summary: [row], elements: [element] };
  });
  const title = { text: [[`${WORDS.title}:`]], elements: [card.heading(WORDS.title)] };
  return card.messageOf([title, ...rows]);
}
