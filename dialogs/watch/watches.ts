import type { MacAddress } from '../../src/domain/mac-address.ts';
import { join, standingOf, type Watch } from '../../src/domain/watch.ts';
import type { Watches } from '../../src/store/watches.ts';
import type { Turn } from '../dialog.ts';
import { type ReportParts, reportNumber } from '../lookup/report.ts';
import { fingerprintOf } from '../lookup/told.ts';
import type { DeviceAnswer } from '../render/device.ts';
import { conversationOf, isTargetedPlace, type Place, placeForAll, threadOf } from '../render/message.ts';
import { verdictOf } from '../render/verdict.ts';
import { type Line, toBare } from '../render/words.ts';

/** Who asked, by the id that is the same in all conversations, and where. */
export type Asker = { id: string; place: Place };
export type DeviceWatch = Watch<Asker, DeviceAnswer>;

export type WatchParts = ReportParts & {
  watches: Watches<DeviceWatch>;
  /** Whether a person may still use the bot at a place that was stored. */
  isStillAllowed(place: Place): Promise<boolean>;
};

/** The verdict before the NAC has answered. */
export const NOT_KNOWN: Line = ['not known'];
/** The most watches of one person, and of all. */
export const [MAX_OWN, MAX_ALL] = [5, 100];

const keyOf = (address: string, place: Place) => `${address} ${fingerprintOf([threadOf(place)])}`;
export const addressOf = (key: string) => key.slice(0, 17) as MacAddress;
/** The ids are the chat service's; the name is foreign. */
export function userOf({ place }: Asker) {
  const { id = '', name = '' } = Object(place.reference.user);
  return { id: String(id), name: String(name || id) };
}

/** Those who asked and were not erased since. */
export const askersOf = ({ askers }: DeviceWatch): Asker[] =>
  askers.filter((asker) => asker?.place?.reference?.user !== undefined);

export const nodeOf = ({ outcome }: DeviceAnswer) => ('node' in outcome ? outcome.node : undefined);

/** Begins, joins or renews a watch. */
export function begin(
  address: MacAddress,
  answer: DeviceAnswer | undefined,
  { person: id, place }: Pick<Turn, 'person' | 'place'>,
  bot: WatchParts,
): Promise<'begun' | 'too many of yours' | 'too many'> {
  const { watches } = bot;
  const asker = { id, place };
  const key = keyOf(address, place);
  const isSame = (other: Asker) => other?.id === id;
  const standing = answer && standingOf(answer.outcome);
  const verdict = answer && standing ? verdictOf(answer).heading : NOT_KNOWN;
  const first = { standing, verdict, node: answer && nodeOf(answer) };
  return watches.alone(async () => {
    const all = await watches.all();
    const own = all.filter(({ data }) => askersOf(data).some(isSame));
    const isKnown = (rows: typeof all) => rows.some((row) => row.key === key);
    if (own.length >= MAX_OWN && !isKnown(own)) return 'too many of yours';
    if (all.length >= MAX_ALL && !isKnown(all)) return 'too many';
    await watches.change(key, (before, now) => join(before, asker, isSame, first, now));
    auditWatch('begin', key, [asker], verdict, bot);
    return 'begun';
  });
}

/** The watches of a thread that the readers of a place may see. */
export async function watchesAt(place: Place, { watches }: WatchParts) {
  const places = [place, placeForAll(place)];
  const rows = await watches.all();
  return rows.filter(({ key }) => places.some((each) => keyOf(addressOf(key), each) === key));
}

/** Stops a watch, or a person's part in it. */
export async function stop(key: string, by: Asker, isOwn: boolean, bot: WatchParts): Promise<void> {
  await bot.watches.change(key, (watch) => {
    const askers = watch && isOwn ? askersOf(watch).filter(({ id }) => id !== by.id) : [];
    return watch && askers.length > 0 ? { ...watch, askers } : undefined;
  });
  auditWatch('stop', key, [by], undefined, bot);
}

/** Writes the audit lines of a watch: one for each person who asked; of a stop, for the one who stopped it. */
export function auditWatch(
  event: 'begin' | 'stop' | 'end',
  key: string,
  askers: readonly Asker[],
  verdict: Line | undefined,
  { audit, clock }: WatchParts,
): void {
  for (const { id: person, place } of askers)
    audit({
      number: reportNumber(key),
      by: 'watch',
      event,
      person,
      conversation: conversationOf(place),
      private: isTargetedPlace(place) ? true : undefined,
      asked: addressOf(key),
      address: addressOf(key),
      verdict: verdict && toBare(verdict),
      answeredAt: new Date(clock.now()).toISOString(),
    });
}
