import { setTimeout as delay } from 'node:timers/promises';
import { type Contender, withContender } from './contenders.ts';
import { type BenchStage, UNKNOWN_DEVICE } from './stage.ts';
import { median, verdict } from './table.ts';

/** A usual NAC takes so long. */
const NAC_MS = 200;
const ALONE: readonly Contender[] = ['floor', 'botbuilder', 'Agents SDK', 'Teams SDK', 'nac-lookup-bot'];

/** Measures how long people wait: for one lookup at a time, 20 devices, an alert, and a lookup beside 100 watches. */
export async function* measureFeel(): AsyncGenerator<string> {
  yield `| with a NAC of ${NAC_MS} ms | added ms, p50 | p99 |\n| --- | ---: | ---: |`;
  for (const name of ALONE) yield toRow(`one lookup at a time, ${name}`, await askedAlone(name));
  yield toRow('20 devices, beside their five calls in a row', await askedTogether());
  yield toRow('from an alert to its message in the room', await toldOfAlerts());
  const [alone, watching] = [await askedByMany(0), await askedByMany(100)];
  yield toRow('400 people in 40 s', alone);
  yield toRow('400 people in 40 s, beside 100 watches', watching);
  const [before, after] = [alone, watching].map((times) => NAC_MS + quantile(times, 0.95));
  yield verdict('p95 beside 100 watches, relative to none', (after ?? 0) / (before ?? 1), 'at most', 1.05);
  const longest = Math.max(...watching) - Math.max(...alone);
  yield verdict('ms that the slowest waits longer', longest, 'at most', NAC_MS);
}

const quantile = (times: readonly number[], part: number) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? Number.NaN;

const toRow = (what: string, times: readonly number[]) =>
  `| ${what} | ${median(times).toFixed(1)} | ${quantile(times, 0.99).toFixed(1)} |`;

const inTurn = async (count: number, task: (index: number) => Promise<number>): Promise<number[]> => {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await task(index));
  return times;
};

/** Each waits for its answer before the next one. What the NAC takes is left out. */
const askedAlone = (name: Contender, devices = 1, calls = 1): Promise<number[]> =>
  withContender(name, {}, async ({ messagesUrl }, stage) => {
    await inTurn(1000, () => stage.ask(messagesUrl));
    stage.slowDown(NAC_MS);
    return inTurn(100, async () => (await stage.ask(messagesUrl, devices)) - calls * NAC_MS);
  });

const askedTogether = () => askedAlone('nac-lookup-bot', 20, 5); // Four calls at once.

/** A bot whose NAC takes its time. `urlOf`: the address of one of its routes. */
const withSlowNac = <Result>(use: (urlOf: (route: string) => string, stage: BenchStage) => Promise<Result>) =>
  withContender('nac-lookup-bot', { NAC_HISTORY: '0' }, async ({ messagesUrl }, stage) => {
    stage.slowDown(NAC_MS);
    return use((route) => messagesUrl.replace('messages', route), stage);
  });

/** From the POST of an alert to the room's post that names its device, without the NAC's time. */
const toldOfAlerts = (): Promise<number[]> =>
  withSlowNac((urlOf, stage) =>
    inTurn(100, async (index) => {
      const { id: groupKey, text } = JSON.parse(stage.nextActivity());
      const begun = performance.now();
      const mac = text.replace('lookup ', '');
      await Promise.all([
        stage.posted(1),
        stage.post(urlOf('alerts'), { title: `Port ${index} flaps`, groupKey, mac }),
      ]);
      return performance.now() - begun - NAC_MS;
    }),
  );

/** 400 people ask for a device each within 40 s, while so many others are watched. */
const askedByMany = (watches: number): Promise<number[]> =>
  withSlowNac(async (urlOf, stage) => {
    for (let index = 0; index < watches; index++) {
      const text = `watch ${UNKNOWN_DEVICE}00:${String(index).padStart(2, '0')}`;
      await stage.post(urlOf('messages'), { ...JSON.parse(stage.nextActivity()), text });
    }
    const asking = Array.from({ length: 400 }, async (_, index) => {
      await delay(index * 100 + Math.random() * 100);
      return (await stage.ask(urlOf('messages'))) - NAC_MS;
    });
    return Promise.all(asking);
  });
