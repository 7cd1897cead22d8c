import { type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import { standingOf, WATCHED_MS } from '../../src/domain/watch.ts';
import type { Turn } from '../dialog.ts';
import { ask } from '../lookup/asking.ts';
import { tooOften } from '../lookup/question.ts';
import { finishLookup } from '../lookup/report.ts';
import * as card from '../render/card.ts';
import { verdictOf } from '../render/describe.ts';
import { type DeviceAnswer, isDevice } from '../render/device.ts';
import { type Message, messageOf } from '../render/message.ts';
import { stopButton } from '../render/watch-button.ts';
import { joinLines, type Line, line, shorten } from '../render/words.ts';
import { readWatchRequest } from '../watch/request.ts';
import * as watches from '../watch/watches.ts';
import type { Bot, Command } from './command.ts';

const { MAX_OWN, MAX_ALL } = watches;
const MAX_NAMED = 20;

const WORDS = {
  'too many of yours': (address: string) =>
    line`I do not watch ${address}, because you watch ${MAX_OWN} devices already: stop one with ${'unwatch'}.`,
  'too many': (address: string) =>
    line`I do not watch ${address}, because ${MAX_ALL} devices are watched already: please ask again later.`,
  noMac: (address: string, verdict: Line) =>
    line`I do not watch ${address}, because the NAC names no device with it now (${verdict}): please give me the MAC address.`,
  rest: (addresses: string) => line`I watch ${MAX_OWN} devices of a message. Not watched: ${addresses}.`,
  nothing: 'Nothing is watched here.',
  notWatched: (address: string) => line`${address} is not watched here.`,
};

export const watch: Command = {
  name: 'watch',
  summary: 'tells you when a device connects, or no longer is connected',
  examples: ['watch 00:1B:54:00:00:03', 'tell me when 00:1B:54:00:00:03 connects'],
  details: [
    `Watches devices for 8 hours: ${MAX_OWN} a person, and ${MAX_ALL} in all.`,
    'Says the change here, and mentions all who asked. An IP address means the device that has it now.',
  ],
  async answer(turn, bot) {
    const { text, addresses, notes, person, place, key, begunAt, submission, reader, say } = turn;
    const { limits, nac, recent, clock, timing } = bot;
    const first = addresses.slice(0, MAX_OWN);
    const waitMs = limits.take(person, first.length);
    if (waitMs > 0) return say(tooOften(waitMs, reader));
    recent.ask(place, first);
    const asking = ask(first, person, nac.lookUp);
    const due = begunAt + timing.turnMs;
    await settlesWithin(asking.all, due - clock.steady());
    const answers = asking.answered();
    const isOver = (each: DeviceAnswer) =>
      !isDevice(each) || (standingOf(each.outcome) === 'connected' && readWatchRequest(text) === 'connects');
    const over = answers.filter(isOver);
    if (over.length > 0) {
      const asker = { ...turn, by: submission ? 'press' : 'message' } as const;
      const closing = { notes: [], due: { explainBy: due, postBy: due } };
      await say(await finishLookup(key, over, asker, closing, bot));
    }
    const said: SaidOfDevice[] = [];
    for (const asked of first) {
      const answer = answers.find((each) => each.asked === asked);
      if (!answer || !over.includes(answer)) said.push(await watchOne(asked, answer, turn, bot));
    }
    const rest = addresses.slice(MAX_OWN, MAX_OWN + MAX_NAMED).join(', ');
    if (rest !== '') said.push({ said: WORDS.rest(rest) });
    said.push(...notes.map((note) => ({ said: [note] })));
    if (said.length > 0) await say(devicesMessage(said));
  },
};

/** `address`: it is watched, and can be stopped. */
type SaidOfDevice = { said: Line; address?: string };

function devicesMessage(all: readonly SaidOfDevice[]): Message {
  const parts = all.map(({ said, address }) => {
    const stop = address === undefined ? [] : [{ type: 'ActionSet', actions: [stopButton(address)] }];
    return card.linePart(said, [card.richText(card.runs(said)), ...stop]);
  });
  return messageOf(parts);
}

/** @param answer undefined: the NAC has not answered yet */
async function watchOne(
  asked: DeviceAddress,
  answer: DeviceAnswer | undefined,
  turn: Turn,
  bot: Bot,
): Promise<SaidOfDevice> {
  const heading = answer ? verdictOf(answer).heading : watches.NOT_KNOWN;
  const address = answer?.address ?? asked;
  if (!isMacAddress(address)) return { said: WORDS.noMac(address, heading) };
  const begun = await watches.begin(address, answer, turn, bot);
  if (begun !== 'begun') return { said: WORDS[begun](address) };
  const until = turn.reader.clock(bot.clock.now() + WATCHED_MS);
  return { address, said: line`Watching ${address} until ${[until]}. Now: ${heading}.` };
}

export const watching: Command = {
  name: 'watching',
  summary: 'lists the devices that are watched here',
  examples: ['watching'],
  details: ['Says who asked, and until when. Everyone here can stop a watch.'],
  async answer({ place, reader, say }, bot) {
    const all = await watches.watchesAt(place, bot);
    const said = all.map(({ address, askers, verdict, since, now }) => {
      const names = askers.map((asker) => line`${shorten(watches.userOf(asker).name)}`);
      const end = `${reader.clock(bot.clock.now() + since + WATCHED_MS - now)}, asked by `;
      return {
        address,
        said: line`Watching ${address} until ${[end]}${joinLines(names, ', ')}. Last: ${verdict}.`,
      };
    });
    await say(said.length > 0 ? devicesMessage(said) : WORDS.nothing);
  },
};

export const unwatch: Command = {
  name: 'unwatch',
  summary: 'stops watching a device',
  examples: ['unwatch 00:1B:54:00:00:03', 'unwatch'],
  details: ['With an address, for everyone here. Without one, it stops what you have asked for here.'],
  async answer({ addresses, person, place, say }, bot) {
    const isOwn = addresses.length === 0;
    const all = await watches.watchesAt(place, bot);
    const stopped = all.filter(({ address, askers }) =>
      isOwn ? askers.some(({ id }) => id === person) : addresses.includes(address),
    );
    for (const each of stopped) await watches.stop(each, { id: person, place }, isOwn, bot);
    const devices = new Set<DeviceAddress>(stopped.map(({ address }) => address));
    const said: Line[] = [
      ...[...devices].map((address) => line`Stopped watching ${address}.`),
      ...addresses.filter((address) => !devices.has(address)).map(WORDS.notWatched),
    ];
    await say(said.length > 0 ? devicesMessage(said.map((each) => ({ said: each }))) : WORDS.nothing);
  },
};
