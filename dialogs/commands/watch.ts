import { isMacAddress } from '../../src/domain/device-address.ts';
import { isDevice } from '../../src/domain/outcome.ts';
import { settlesWithin } from '../../src/domain/timing.ts';
import { standingOf, WATCHED_MS } from '../../src/domain/watch.ts';
import { MAX_ADDRESSES, type Turn } from '../dialog.ts';
import { startLookups } from '../lookup/device-lookups.ts';
import { tooOften } from '../lookup/replies.ts';
import { finishLookup } from '../lookup/report.ts';
import { verdictOf } from '../render/describe.ts';
import type { DeviceAnswer } from '../render/device.ts';
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
      const isMet = text === 'connects' && standingOf(each) === 'connected';
      if (isMet || !isDevice(each)) over.push(each);
      else lines.push(await watchOne(each, turn, bot));
    }
    if (over.length > 0) {
      const by = submission ? 'press' : 'message';
      await say(await finishLookup(over, { ...turn, by, notes: [], until }, bot));
    }
    const rest = addresses.slice(watches.MAX_OWN, MAX_ADDRESSES);
    if (rest.length > 0) lines.push(card.linesPart([WORDS.rest(rest.join(', '))]));
    lines.push(...notes.map((note) => card.linesPart([[note]])));
    if (lines.length > 0) await say(card.messageOf(lines));
  },
};

async function watchOne(answer: DeviceAnswer, turn: Turn, bot: Bot): Promise<card.Part> {
  const { person: id, place, formatter } = turn;
  const { address } = answer;
  const { heading } = verdictOf(answer);
  if (!isMacAddress(address)) return card.linesPart([WORDS.noMac(address, heading)]);
  const begun = await watches.begin(answer, { id, place }, bot);
  if (begun !== 'begun') return card.linesPart([WORDS[begun](address)]);
  const until = formatter.clock(bot.clock.now() + WATCHED_MS);
  return withStop(line`Watching ${address} until ${[until]}. Now: ${heading}.`, address);
}

function withStop(text: Line, address: string): card.Part {
  const stop = { type: 'ActionSet', actions: [card.button('Stop', 'unwatch', address)] };
  return { text: [text], elements: [card.richText(card.runs(text)), stop] };
}

export const watching: Command = {
  isUseful: (_, { canWatch }) => canWatch,
  summary: 'lists the devices that are watched here',
  async answer({ place, formatter, say }, bot) {
    if (!bot.settings.canWatch) return say(WORDS.off);
    const all = await watches.watchesAt(place, bot);
    const lines = all.map(({ device, askers, since, now }) => {
      const { address } = device;
      const names = askers.map((asker) => line`${shorten(card.askerOf(asker.place).name)}`);
      const until = formatter.clock(bot.clock.now() + since + WATCHED_MS - now);
      const by = joinLines(names, ', ');
      const last = verdictOf(device).heading;
      return withStop(line`Watching ${address} until ${[until]}, asked by ${by}. Last: ${last}.`, address);
    });
    await say(lines.length > 0 ? card.messageOf(lines) : WORDS.nothing);
  },
};

export const unwatch: Command = {
  isUseful: (_, { canWatch }) => canWatch,
  summary: 'stops watching a device',
  example: 'unwatch 00:1B:54:00:00:03',
  async answer({ addresses, person: id, place, say }, bot) {
    const stopped = await watches.stop(addresses, { id, place }, bot);
    const lines = stopped.map(({ device }) => line`Stopped watching ${device.address}.`);
    await say(lines.length > 0 ? card.messageOf([card.linesPart(lines)]) : WORDS.nothing);
  },
};
