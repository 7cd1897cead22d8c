import { readAddresses } from '../src/domain/device-address.ts';
import { answersInTime, finishFields } from './commands/fields.ts';
import { MAX_ADDRESSES, type Turn } from './dialog.ts';
import { finishLookup, type ReportParts, startLookups } from './lookup/device-lookups.ts';
import * as texts from './lookup/question.ts';
import { adviseAgain, progressMessage } from './render/answer.ts';
import { numberText } from './render/device.ts';
import * as card from './render/message.ts';
import { messageOf } from './render/message.ts';

/** Someone chose "Look up devices" on a message's menu, or pressed a button on the resulting card. */
type ExtensionCall = Pick<
  Turn,
  'text' | 'isCut' | 'person' | 'place' | 'key' | 'number' | 'arrivedAt' | 'begunAt' | 'formatter'
> & {
  unseen: readonly texts.Unseen[];
  /** Whether the button asks for every field of a device. If so, nothing is posted. */
  isForFields: boolean;
};

/** The title in the menu, the manifest and the card's window. */
export const EXTENSION_TITLE = 'Look up devices';

/** Time limits from the call's arrival: the client shows an error after five seconds, so a progress card comes first. */
const ASK_MS = 3500;
const POST_MS = 4300;

const WORDS = {
  none: 'I see no MAC address in this message.',
  late: 'The NAC has not answered for every device yet. Nothing was posted. Please look up again in a moment.',
};

/** Returns a card within five seconds. The message was written for others, so doubtful digits are offered, not looked up. */
export async function answerExtension(
  call: ExtensionCall,
  bot: ReportParts,
): Promise<card.Element | undefined> {
  const { text, isCut, unseen, isForFields, person, place, number, arrivedAt, begunAt, formatter } = call;
  const { addresses: all, suspects, ...others } = readAddresses(text, 'addressed');
  const isNone = all.length === 0;
  const remarks = [
    ...(isCut ? [texts.onlyFirstPart(isNone)] : []),
    ...(all.length > MAX_ADDRESSES ? [texts.firstOnly(all.length)] : []),
    ...texts.notesOn({ ...others, suspects: [] }),
  ];
  if (isNone && remarks.length === 0 && suspects.length > 0) return texts.didYouMean(suspects).card;
  const [reason = unseen.length > 0 ? texts.CANNOT_SEE : WORDS.none] = remarks;
  if (isNone) return cardOf(reason);
  const addresses = all.slice(0, MAX_ADDRESSES);
  const waitMs = bot.limits.take(person, addresses.length);
  if (waitMs > 0) return cardOf(texts.tooOften(waitMs));

  const lookups = startLookups(addresses, person, bot.nac.lookUp);
  const by = isForFields ? 'fields' : 'menu';
  const lookup = { number, by, person, place, askedAt: arrivedAt } as const;
  const answers = await answersInTime(lookups.finished, begunAt + ASK_MS, lookup, bot);
  if (answers === undefined) {
    const devices = lookups.soFar();
    const notes = [...remarks, WORDS.late, ...numberText(lookup.number, devices.answers, undefined)];
    return progressMessage(devices, formatter, { isOnTheWay: false, notes }).card;
  }
  if (isForFields) return finishFields(answers, lookup, formatter, bot).card;
  const notes = [...remarks, ...adviseAgain(answers)];
  const due = { explainBy: begunAt + ASK_MS, postBy: begunAt + POST_MS };
  return (await finishLookup(answers, { ...call, by: 'menu' }, { notes, due }, bot)).card;
}

function cardOf(words: string): card.Element | undefined {
  return messageOf([card.linePart([words])]).card;
}
