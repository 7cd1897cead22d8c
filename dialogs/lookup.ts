import { faultOf, findMacAddresses, kindOf, type MacAddress, type MacFault } from '../src/mac-address.ts';
import type { Lookup } from '../src/nac/lookup.ts';
import type { PostToRoom } from '../src/webhook/sender.ts';
import type { Dialog } from './dialog.ts';
import { type DeviceAnswer, roomText, sayAnswers } from './lookup-answer.ts';
import { code, paragraphs } from './markdown.ts';

export type LookupOptions = { lookUp: Lookup; post: PostToRoom };

/** The most addresses in one message. */
export const MAX_ADDRESSES = 20;

const EXAMPLE = `For example: ${code('lookup AA:BB:CC:DD:EE:FF')}`;
const WORDS = {
  missing: 'Which device? Give me its MAC address, in any spelling.',
  tooMany: (count: number) =>
    `That message holds ${count} MAC addresses; I take at most ${MAX_ADDRESSES} at once. Please send them in smaller groups.`,
  badCharacter: (character: string) =>
    `That is no MAC address: ${code(character)} is not one of 0-9 and A-F.`,
  wrongLength: (digits: number) =>
    `That is no MAC address: it has ${digits} hexadecimal ${digits === 1 ? 'digit' : 'digits'}, and a MAC address has 12.`,
  wrongGroups:
    'That is no MAC address that I can read: its 12 digits are not grouped as in any spelling I know.',
};

/** Looks up every MAC address of a message, posts what was found to the room, and answers the asker. */
export function createLookup({ lookUp, post }: LookupOptions): Dialog {
  async function answerFor(address: MacAddress, person: string): Promise<DeviceAnswer> {
    const kind = kindOf(address);
    return { address, outcome: kind === 'device' ? await lookUp(address, person) : { kind } };
  }

  return {
    name: 'lookup',
    summary: 'asks the NAC for the session of a device',
    examples: ['lookup AA:BB:CC:DD:EE:FF', 'lookup aabb.ccdd.eeff, 00-11-22-33-44-55', 'AABBCCDDEEFF'],
    details: [
      `Takes up to ${MAX_ADDRESSES} MAC addresses in any spelling, anywhere in the message.`,
      'Tells you what the NAC knows, and posts the tokens it finds to the room.',
    ],
    async answer({ text, person, say, formatTime }) {
      const addresses = findMacAddresses(text);
      if (addresses.length === 0) return say(paragraphs(sayFault(faultOf(text)), EXAMPLE));
      if (addresses.length > MAX_ADDRESSES) return say(WORDS.tooMany(addresses.length));
      const answers = await Promise.all(addresses.map((address) => answerFor(address, person)));
      const news = roomText(answers);
      await say(sayAnswers(answers, news === undefined ? undefined : await post(news), formatTime));
    },
  };
}

function sayFault(fault: MacFault): string {
  switch (fault.kind) {
    case 'missing':
      return WORDS.missing;
    case 'bad character':
      return WORDS.badCharacter(fault.character);
    case 'wrong length':
      return WORDS.wrongLength(fault.digits);
    case 'wrong groups':
      return WORDS.wrongGroups;
  }
}
