import {
  type DeviceAddress,
  type Gateway,
  isMacAddress,
  readDeviceAddress,
  sortPasted,
} from '../../src/domain/device-address.ts';
import { endsWithin } from '../../src/domain/timing.ts';
import { alertHeadSchema, withHead } from '../alerts/alert-answer.ts';
import { type Dialog, MAX_ADDRESSES, type Services, type Turn } from '../dialog.ts';
import { type Message, threadOf } from '../format/message.ts';
import { isPosting, stillAsking } from '../lookup/answer.ts';
import { type Asking, ask, isPassing } from '../lookup/device-answer.ts';
import type { KeptLookups, Question } from '../lookup/kept-lookups.ts';
import { noAddress, offerRest, onlyFirstPart, sayBeside, sayGateways, tooOften } from '../lookup/question.ts';
import type { Report } from '../lookup/report.ts';
import { type AskedBefore, type RecentLookups, shownBeforeSchema } from '../lookup/told.ts';

export type LookupOptions = Pick<Services, 'lookUp' | 'limits' | 'now' | 'timing'> & {
  kept: Pick<KeptLookups, 'keepForLater' | 'handOver' | 'answerIn' | 'goOn' | 'end' | 'isEnded'>;
  report: Report;
  recent: Pick<RecentLookups, 'ask' | 'meant'>;
};

export function createLookup(options: LookupOptions): Dialog {
  const join = createPresses();
  return {
    name: 'lookup',
    aliases: ['look up', 'find', 'whois', 'who is', 'mac', 'session'],
    summary: 'asks the NAC for the session of a device',
    examples: [
      'lookup AA:BB:CC:DD:EE:FF',
      'lookup aabb.ccdd.eeff, 00-1B-54-00-00-07',
      'AABBCCDDEEFF',
      'lookup 198.51.100.23',
    ],
    takesIpAddresses: true,
    claims: ({ text }) => isFollowUp(text),
    details: [
      `Takes up to ${MAX_ADDRESSES} MAC addresses in any spelling, anywhere in the message.`,
      'Takes IP addresses too (IPv4 or IPv6), after the command.',
      'Shows what the NAC knows, and posts the tokens to the room.',
    ],
    async answer(turn) {
      const press = pressOf(turn);
      const begin = (goesOn: GoesOn) => answerTurn(turn, press, { ...options, goesOn });
      await (press ? join(turn, press, begin) : begin(() => {}));
    },
  };
}

type Asked = Turn & Question & { cardId: string | undefined; gateways: readonly Gateway[] };

async function answerTurn(turn: Turn, press: Press | undefined, options: TurnOptions): Promise<void> {
  const { limits, recent } = options;
  const { text, addresses, person, reader, say } = turn;
  const thread = threadOf(turn.place);
  const before = recent.meant(thread);
  const meant = addresses.length > 0 ? addresses : followUp(text, before);
  const { devices, gateways } = sortPasted(text, meant);
  if (devices.length === 0)
    return say(sayGateways(gateways)[0] ?? (isFollowUp(text) ? nothingMeant(before) : noAddress(text)));
  const first = devices.slice(0, MAX_ADDRESSES);
  const waitMs = limits.take(person, first.length);
  if (waitMs > 0) return say(tooOften(waitMs, reader));
  const left = Math.min(devices.length - first.length, MAX_ADDRESSES);
  if (left > 0) await say(offerRest(devices, limits.waitFor(person, left), reader));
  recent.ask(thread, first, options.now());
  const by = turn.submission ? 'press' : 'message';
  const asked = { ...turn, by, addresses: first, gateways, was: press?.was, cardId: press?.cardId } as const;
  await answerAll(asked, options);
}

async function answerAll(asked: Asked, options: TurnOptions): Promise<void> {
  const { lookUp, kept, now, timing } = options;
  const { addresses, person, cardId, arrivedAt, reader } = asked;
  const asking = ask(addresses, person, lookUp);
  const answering = conclude(asked, asking, options);
  answering.catch(() => {}); // Prevents an unhandled rejection until the answer is awaited.
  const isAnswered = (ms: number) => endsWithin(answering, arrivedAt + ms - now());
  /** Says in the message with this id, else in a new one, that the bot is still asking. Returns the id of that message. */
  const sayAsking = async (id: string | undefined, isKept: boolean) => {
    const message = underAlert(asked, stillAsking(asking, reader, { isKept }));
    if (await isReplaced(asked, id, message)) return id;
    return (await asked.sayOnce(message, isKept))?.id; // A later try would come after the answer.
  };
  const tellStillBusy = async () => {
    const saidId = await sayAsking(messageId, true);
    if (saidId !== messageId) await kept.answerIn(asked, saidId); // The turn ends once the database knows.
    return saidId;
  };

  const showsProgress = cardId !== undefined || addresses.length > 1;
  const isQuick = await isAnswered(timing.progressMs);
  const isSlow = !isQuick && (showsProgress || isPosting(asking));
  const messageId = isSlow ? await sayAsking(cardId, false) : cardId;
  let isUnsure = false;
  if (!isQuick && !(await isAnswered(timing.turnMs))) {
    const put = await kept.handOver(asked, messageId);
    if (put === 'put') {
      const told = tellStillBusy();
      const shown = told.catch(() => messageId); // Its error is the turn's to handle.
      options.goesOn(kept.goOn(asked, answering, shown));
      return void (await told);
    }
    if (put === 'known') return; // The job's own answer will come.
    isUnsure = put === undefined; // A database that hangs may still make the job.
  }
  const answer = await answering;
  if (answer && !(await isReplaced(asked, messageId, answer))) await asked.say(answer);
  if (isUnsure) await kept.end(asked.key);
}

/** Keeps devices that the NAC did not answer as a separate job, posts, and returns the answer; none if an edit came before. */
async function conclude(turn: Asked, asking: Asking, { kept, report }: LookupOptions) {
  const answers = await asking.all;
  if (kept.isEnded(turn.key)) return undefined;
  const left = answers.filter(isPassing);
  const later = left.length > 0 ? await kept.keepForLater(turn, left) : undefined;
  const notes = [
    ...(turn.isCut ? [onlyFirstPart()] : []),
    ...(later ? [later.note] : []),
    ...sayBeside(asking.addresses, turn),
    ...sayGateways(turn.gateways),
  ];
  const unfinished = later?.isKept ? left : [];
  return underAlert(turn, await report(turn.key, answers, turn, { notes, unfinished }));
}

/** Keeps the head of an alert's message if a press on it asks. */
function underAlert({ submission, reader }: Turn, message: Message): Message {
  const head = submission && alertHeadSchema.safeParse(submission.data.alert).data;
  return head ? withHead(message, head, reader) : message;
}

async function isReplaced({ replace }: Turn, id: string | undefined, message: Message): Promise<boolean> {
  return id !== undefined && replace(id, message);
}

/** A press of a button that edits the message on which it stands. */
type Press = NonNullable<ReturnType<typeof pressOf>>;

/** Undefined: no press, or one that edits nothing. The button's data is untrusted; the message's id is the chat service's. */
export function pressOf({ submission }: Pick<Turn, 'submission'>) {
  const was = submission && shownBeforeSchema.safeParse(submission.data.was).data;
  return submission?.cardId && was ? { cardId: submission.cardId, was } : undefined;
}

/** Gets what goes on after a turn, which never rejects. */
type GoesOn = (rest: Promise<void>) => void;
type TurnOptions = LookupOptions & { goesOn: GoesOn };

/** Returns a function that runs a press's turn. A press that equals one under way joins it, and ends with that one's turn. */
function createPresses() {
  const underWay = new Map<string, Promise<void>>();
  return ({ place, text }: Turn, { cardId }: Press, begin: (goesOn: GoesOn) => Promise<void>) => {
    const key = JSON.stringify([place.reference.conversation.id, cardId, text]);
    const twin = underWay.get(key);
    if (twin) return twin;
    let rest: Promise<void> | undefined;
    const turn = begin((goingOn) => (rest = goingOn));
    underWay.set(key, turn);
    const end = () => underWay.delete(key);
    turn.then(() => rest).then(end, end);
    return turn;
  };
}

const AGAIN = /^\s*(?:and\s+)?(?:(?:try )?again|once more|one more time|retry|repeat)(?:,?\s+please)?\W*$/i;
/** The last pairs of an address: "and :08?". */
const TAIL = /^\s*(?:(?:and|or|also|what about|how about)\s+)?((?::[0-9a-f]{2}){1,5})\W*$/i;

function nothingMeant({ length }: readonly AskedBefore[]): string {
  const why =
    length > 0 ? 'The first device of the last answer has no MAC address.' : 'I remember no lookup here.';
  return `${why} Please send me the whole address.`;
}

/** Edits remember a follow-up by its whole text, which marks and spaces could make long. */
const isFollowUp = (text: string) => text.length <= 100 && (AGAIN.test(text) || TAIL.test(text));

/** What a follow-up means: the last answer's devices, or its first device's address with other last pairs. */
function followUp(text: string, recent: readonly AskedBefore[]): DeviceAddress[] {
  const devices = recent.filter(({ at }) => at === recent[0]?.at).reverse();
  if (AGAIN.test(text)) return devices.flatMap(({ asked }) => readDeviceAddress(asked));
  const [, tail = ''] = TAIL.exec(text) ?? [];
  const [address] = devices.flatMap((device) => readDeviceAddress(device.address));
  if (tail === '' || address === undefined || !isMacAddress(address)) return [];
  return readDeviceAddress(`${address.slice(0, -tail.length)}${tail}`);
}
