import { type DeviceAddress, isMacAddress } from '../../src/domain/device-address.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import { standingOf, WATCHED_MS } from '../../src/domain/watch.ts';
import type { Turn } from '../dialog.ts';
import { ask } from '../lookup/asking.ts';
import { tooOften } from '../lookup/question.ts';
import { finishLookup } from '../lookup/report.ts';
import { describe, explanationText, firstLine } from '../render/describe.ts';
import { type DeviceAnswer, isDevice } from '../render/device.ts';
import { verdictOf } from '../render/verdict.ts';
import { joinLines, type Line, line, shorten } from '../render/words.ts';
import { watchesMessage } from '../watch/messages.ts';
import { readWatchRequest } from '../watch/request.ts';
import * as watches from '../watch/watches.ts';
import type { Bot, Command } from './command.ts';

const { MAX_OWN, MAX_ALL, addressOf } = watches;
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
    const isThere = ({ outcome }: DeviceAnswer) => standingOf(outcome) === 'connected';
    const there = readWatchRequest(text) === 'connects' ? answers.filter(isThere) : [];
    if (there.length > 0) {
      const asker = { ...turn, by: submission ? 'press' : 'message' } as const;
      const closing = { notes: [], due: { explainBy: due, postBy: due } };
      await say(await finishLookup(key, there, asker, closing, bot));
    }
    const said: Watched[] = [];
    for (const asked of first) {
      const answer = answers.find((each) => each.asked === asked);
      if (!answer || !there.includes(answer)) said.push(await watchOne(asked, answer, turn, bot));
    }
    const rest = addresses.slice(MAX_OWN, MAX_OWN + MAX_NAMED).join(', ');
    const others = [...(rest === '' ? [] : [WORDS.rest(rest)]), ...notes.map((note) => [note])];
    said.push(...others.map((each) => ({ said: each })));
    if (said.length > 0) await say(watchesMessage(said));
  },
};

type Watched = Parameters<typeof watchesMessage>[0][number];

/** @param answer undefined: the NAC has not answered yet */
async function watchOne(
  asked: DeviceAddress,
  answer: DeviceAnswer | undefined,
  turn: Turn,
  bot: Bot,
): Promise<Watched> {
  const { reader } = turn;
  const heading = answer ? verdictOf(answer).heading : watches.NOT_KNOWN;
  if (answer && !isDevice(answer)) {
    const described = describe(answer, reader);
    return { said: firstLine(described.name, heading, explanationText(described)) };
  }
  const address = answer?.address ?? asked;
  if (!isMacAddress(address)) return { said: WORDS.noMac(address, heading) };
  const begun = await watches.begin(address, answer, turn, bot);
  if (begun !== 'begun') return { said: WORDS[begun](address) };
  const until = reader.clock(bot.clock.now() + WATCHED_MS);
  return { address, said: line`Watching ${address} until ${[until]}. Now: ${heading}.` };
}

export const watching: Command = {
  name: 'watching',
  summary: 'lists the devices that are watched here',
  examples: ['watching'],
  details: ['Says who asked, and until when. Everyone here can stop a watch.'],
  async answer({ place, reader, say }, bot) {
    const { clock } = bot;
    const rows = await watches.watchesAt(place, bot);
    const said = rows.map(({ key, data, now }) => {
      const names = watches.askersOf(data).map((asker) => line`${shorten(watches.userOf(asker).name)}`);
      const until = `${reader.clock(clock.now() + data.until - now)}, asked by `;
      const said = line`Watching ${addressOf(key)} until ${[until]}${joinLines(names, ', ')}. Last: ${data.verdict}.`;
      return { address: addressOf(key), said };
    });
    await say(said.length > 0 ? watchesMessage(said) : WORDS.nothing);
  },
};

export const unwatch: Command = {
  name: 'unwatch',
  summary: 'stops watching a device',
  examples: ['unwatch 00:1B:54:00:00:03', 'unwatch'],
  details: ['With an address, for everyone here. Without one, it stops what you have asked for here.'],
  async answer({ addresses, person, place, say }, bot) {
    const isOwn = addresses.length === 0;
    const rows = await watches.watchesAt(place, bot);
    const stopped = rows.filter(({ key, data }) =>
      isOwn ? watches.askersOf(data).some(({ id }) => id === person) : addresses.includes(addressOf(key)),
    );
    for (const { key } of stopped) await watches.stop(key, { id: person, place }, isOwn, bot);
    const all = new Set<DeviceAddress>(stopped.map(({ key }) => addressOf(key)));
    const said: Line[] = [
      ...[...all].map((address) => line`Stopped watching ${address}.`),
      ...addresses.filter((address) => !all.has(address)).map(WORDS.notWatched),
    ];
    await say(said.length === 0 ? WORDS.nothing : watchesMessage(said.map((each) => ({ said: each }))));
  },
};
