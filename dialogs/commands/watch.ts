import { isMacAddress } from '../../src/domain/device-address.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import { standingOf, WATCHED_MS } from '../../src/domain/watch.ts';
import { MAX_ADDRESSES, type Turn } from '../dialog.ts';
import { startLookups } from '../lookup/device-lookups.ts';
import { tooOften } from '../lookup/replies.ts';
import { finishLookup } from '../lookup/report.ts';
import { type DeviceAnswer, isDevice } from '../render/device.ts';
import * as card from '../render/message.ts';
import { joinLines, type Line, line, shorten } from '../render/words.ts';
import * as watches from '../watch/watches.ts';
import type { Bot, Command } from './command.ts';

const WORDS = {
  'too many of yours': (address: string) =>
    line`I do not watch ${address}, because you watch ${watches.MAX_OWN} devices already: stop one with ${'unwatch'}.`,
  'too many': (address: string) =>
    line`I do not watch ${address}, because ${watches.MAX_ALL} devices are watched already: please ask again later.`,
  noMac: (address: string, verdict: Line) =>
    line`I do not watch ${address}, because the NAC names no device with it now (${verdict}): please give me the MAC address.`,
  rest: (addresses: string) =>
    line`I watch ${watches.MAX_OWN} devices of a message. Not watched: ${addresses}.`,
  off: 'Watching devices is off; an operator can allow it.',
  nothing: 'Nothing is watched here.',
};

export const watch: Command = {
  isUseful: (_, { canWatch }) => canWatch,
  summary: 'tells you when a device connects, or no longer is connected',
  example: 'watch 00:1B:54:00:00:03',
  async answer(turn, bot) {
    const { text, addresses, notes, person, begunAt, submission, say } = turn;
    const { limits, nac, clock, timing, settings, commands } = bot;
    if (!settings.canWatch) return commands.lookup.answer({ ...turn, notes: [WORDS.off, ...notes] }, bot);
    const first = addresses.slice(0, watches.MAX_OWN);
    const waitMs = limits.take(person, first.length);
    if (waitMs > 0) return say(tooOften(waitMs));
    const lookups = startLookups(first, person, nac.lookUp);
    const until = begunAt + timing.turnMs;
    await settlesWithin(lookups.finished, until - clock.steady());
    const { answers, waiting } = lookups.soFar();
    const fault = { kind: 'timed out', timeoutMs: timing.turnMs, begun: false } as const;
    const outcome = { kind: 'no answer', fault } as const;
    const late = waiting.map((address) => ({ asked: address, address, outcome }));
    const lines: card.Part[] = [];
    const over: DeviceAnswer[] = [];
    for (const each of [...answers, ...late]) {
      const isMet = text === 'connects' && standingOf(each.outcome) === 'connected';
      if (isMet || !isDevice(each)) over.push(each);
      else lines.push(await watchOne(each, turn, bot));
    }
    if (over.length > 0) {
      const by = submission ? 'press' : 'message';
      await say(await finishLookup(over, { ...turn, by, notes: [], until }, bot));
    }
    const rest = addresses.slice(watches.MAX_OWN, MAX_ADDRESSES);
    if (rest.length > 0) lines.push(linePart(WORDS.rest(rest.join(', '))));
    lines.push(...notes.map((note) => linePart([note])));
    if (lines.length > 0) await say(card.messageOf(lines));
  },
};

async function watchOne(answer: DeviceAnswer, turn: Turn, bot: Bot): Promise<card.Part> {
  const { person: id, place, formatter } = turn;
  const { address } = answer;
  const first = watches.stateBy(answer);
  if (!isMacAddress(address)) return linePart(WORDS.noMac(address, first.verdict));
  const begun = await watches.begin(address, first, { id, place }, bot);
  if (begun !== 'begun') return linePart(WORDS[begun](address));
  const until = formatter.clock(bot.clock.now() + WATCHED_MS);
  return linePart(line`Watching ${address} until ${[until]}. Now: ${first.verdict}.`, address);
}

function linePart(text: Line, watched?: string): card.Part {
  const stop = watched && { type: 'ActionSet', actions: [card.button('Stop', 'unwatch', watched)] };
  return { text: [text], elements: [card.richText(card.runs(text)), ...(stop ? [stop] : [])] };
}

export const watching: Command = {
  isUseful: (_, { canWatch }) => canWatch,
  summary: 'lists the devices that are watched here',
  async answer({ place, formatter, say }, bot) {
    if (!bot.settings.canWatch) return say(WORDS.off);
    const all = await watches.watchesAt(place, bot);
    const lines = all.map(({ address, askers, verdict, since, now }) => {
      const names = askers.map((asker) => line`${shorten(card.askerOf(asker.place).name)}`);
      const until = formatter.clock(bot.clock.now() + since + WATCHED_MS - now);
      const by = joinLines(names, ', ');
      return linePart(line`Watching ${address} until ${[until]}, asked by ${by}. Last: ${verdict}.`, address);
    });
    await say(lines.length > 0 ? card.messageOf(lines) : WORDS.nothing);
  },
};

export const unwatch: Command = {
  isUseful: (_, { canWatch }) => canWatch,
  summary: 'stops watching a device',
  example: 'unwatch 00:1B:54:00:00:03',
  async answer({ addresses, person: id, place, say }, bot) {
    const isOwn = addresses.length === 0;
    const all = await watches.watchesAt(place, bot);
    const stopped = all.filter(({ address, askers }) =>
      isOwn ? askers.some((each) => each.id === id) : addresses.includes(address),
    );
    for (const each of stopped) await watches.stop(each, { id, place }, isOwn, bot);
    const lines = stopped.map(({ address }) => line`Stopped watching ${address}.`);
    await say(lines.length > 0 ? card.messageOf([card.linesPart(lines)]) : WORDS.nothing);
  },
};
