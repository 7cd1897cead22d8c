import { readAddresses } from '../src/domain/device-address.ts';
import { settlesWithin } from '../src/domain/timing.ts';
import { MAX_ADDRESSES, type Turn } from './dialog.ts';
import { type ReportParts, startLookups } from './lookup/device-lookups.ts';
import * as replies from './lookup/replies.ts';
import { auditAnswers, finishLookup, reportNumber } from './lookup/report.ts';
import { numberText, stillAsking } from './render/answer.ts';
import * as card from './render/message.ts';
import { notesOn, type Sent } from './route.ts';

/** Someone chose "Look up devices" on a message's menu, or pressed a button on the resulting card. */
type ExtensionCall = Pick<Turn, 'text' | 'person' | 'place' | 'key' | 'arrivedAt' | 'begunAt'> &
  Pick<Sent, 'isCut' | 'hasUnseen'> & { by: 'menu' | 'fields' };

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
export async function answerExtension(call: ExtensionCall, bot: ReportParts) {
  const { text, isCut, hasUnseen, person, key, place, begunAt } = call;
  const { limits, nac, clock, formatterFor, onError } = bot;
  const { addresses: all, suspects, ...others } = readAddresses(text, 'addressed');
  const isNone = all.length === 0;
  const remarks = [
    ...(isCut ? [replies.onlyFirstPart(isNone)] : []),
    ...(all.length > MAX_ADDRESSES ? [replies.firstOnly(all.length)] : []),
    ...notesOn(others),
  ];
  if (isNone && remarks.length === 0 && suspects.length > 0) return replies.didYouMean(suspects).card;
  const [reason = hasUnseen ? replies.CANNOT_SEE : WORDS.none] = remarks;
  if (isNone) return cardOf(reason);
  const addresses = all.slice(0, MAX_ADDRESSES);
  const waitMs = limits.take(person, addresses.length);
  if (waitMs > 0) return cardOf(replies.tooOften(waitMs));

  const lookups = startLookups(addresses, person, nac.lookUp);
  if (!(await settlesWithin(lookups.finished, begunAt + ASK_MS - clock.steady()))) {
    lookups.finished.then((late) => auditAnswers(call, late, bot)).catch(onError);
    const devices = lookups.soFar();
    const notes = [...remarks, WORDS.late, ...numberText(() => reportNumber(key), devices.answers)];
    return stillAsking(devices, formatterFor(place), { notes }).card;
  }
  const answers = await lookups.finished;
  return (await finishLookup(answers, { ...call, notes: remarks, until: begunAt + POST_MS }, bot)).card;
}

const cardOf = (words: string) => card.messageOf([card.linesPart([[words]])]).card;
