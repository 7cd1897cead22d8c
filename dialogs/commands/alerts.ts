import type { Threads } from '../../src/store/threads.ts';
import type { Dialog } from '../dialog.ts';
import { code, lines, paragraphs, shorten } from '../format/markdown.ts';
import type { Message, Place } from '../format/message.ts';

const WORDS = {
  saved: (name: string) => `Alerts for ${code(name)} are answered here from now on.`,
  moved: (name: string, who: string) =>
    `Alerts for ${code(name)} no longer come here: ${code(who)} has taken the name for another place.`,
  stopped: (name: string) => `Alerts for ${code(name)} are no longer answered.`,
  unknown: (name: string) => `No place has the name ${code(name)}.`,
  none: 'No place has a name yet.',
  off: 'Alerts are off: the bot has no ALERTS_TOKEN, so monitoring systems cannot send any. The name is kept.',
  badName: (name: string) =>
    `${code(name)} cannot be a name. A name has up to 64 letters, digits, dots, hyphens and underscores, and no spaces.`,
  known: 'Names that have a place:',
  ways: lines(
    `${code('alerts here as NAME')} names this place, so that monitoring systems can send alerts to it.`,
    `${code('alerts list')} lists the names; ${code('alerts stop NAME')} removes a name.`,
  ),
};

export type AlertsOptions = {
  /** Whether monitoring systems can send alerts. */
  areAlertsOn: boolean;
  threads: Threads<Place>;
  /** Says something in another place. */
  sayLater(place: Place, message: Message): Promise<void>;
};

/** Names the places where the answers to monitoring systems' alerts go. */
export function createAlerts({ areAlertsOn, threads, sayLater }: AlertsOptions): Dialog {
  return {
    name: 'alerts',
    summary: 'names this place for monitoring systems, for administrators',
    forAdmins: true,
    examples: ['alerts here as core-network', 'alerts list', 'alerts stop core-network'],
    details: ['A name has up to 64 letters, digits, dots, hyphens and underscores.'],
    async answer({ text, place, name: who, say }) {
      const [, verb = '', name = ''] =
        /^(here as|stop|list)\s*([\p{L}\p{N}._-]{0,64})$/iu.exec(text.trim()) ?? [];
      if (/^here as$/i.test(verb) && name !== '') {
        const before = await threads.find(name);
        await threads.save(name, place);
        if (before && conversationKey(before) !== conversationKey(place))
          await sayLater(before, { text: WORDS.moved(name, who) });
        return say(areAlertsOn ? WORDS.saved(name) : WORDS.off);
      }
      if (/^stop$/i.test(verb) && name !== '') {
        return say((await threads.remove(name)) ? WORDS.stopped(name) : WORDS.unknown(name));
      }
      const [, badName] = /^(?:here as|stop)\s+(\S.*)$/is.exec(text.trim()) ?? [];
      if (badName !== undefined) return say(paragraphs(WORDS.badName(shorten(badName)), WORDS.ways));
      if (!/^list$/i.test(verb)) return say(WORDS.ways);
      const names = await threads.names();
      await say(
        names.length === 0 ? paragraphs(WORDS.none, WORDS.ways) : lines(WORDS.known, ...names.map(code)),
      );
    },
  };
}

function conversationKey({ reference }: Place): string {
  return reference.conversation.id;
}
