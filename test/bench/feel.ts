import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { type Contender, startContender, withContender } from './contenders.ts';
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

const ALERTS_TOKEN = 'token-for-alerts';
const WATCHED = '00:1B:54:FF:';
const NO_SESSION =
  '<mnt-rest-result><http-code>500</http-code><internal-error-info>Session data is not available for 00:00:00:00:00:00.</internal-error-info></mnt-rest-result>';

/** A bot with a NAC that knows no session of the watched devices. `posted` resolves when the room gets a text with these words. */
async function startWatched() {
  const waiting = new Map<string, () => void>();
  const nac = await listen(
    createServer(async ({ url = '' }, response) => {
      await delay(NAC_MS);
      response.statusCode = url.includes(WATCHED) ? 500 : 200;
      response.end(url.includes(WATCHED) ? NO_SESSION : sessionXml({ selected_azn_profiles: 'Corp_Access' }));
    }),
  );
  const other = await listen(
    createServer(async (request, response) => {
      const body = await text(request);
      for (const [words, resolve] of waiting) if (body.includes(words)) resolve();
      response.setHeader('content-type', 'application/json').end('{"id":"1","status":"OK"}');
    }),
  );
  const running = await startContender('nac-lookup-bot', {
    environment: {
      ...{ NAC_URL: nac.url, NAC_USERNAME: 'bench', NAC_PASSWORD: 'password-of-the-bench' },
      ...{ WEBHOOK_URL: other.url, WEBHOOK_TOKEN: 'bench-room', ALERTS_TOKEN, NAC_HISTORY: '0' },
    },
  });
  const post = async (url: string, body: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ALERTS_TOKEN}` };
    const begun = performance.now();
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return performance.now() - begun;
  };
  return {
    alert: (body: object) => post(running.messagesUrl.replace(/messages$/, 'alerts'), body),
    say: (person: number, words: string) =>
      post(running.messagesUrl, {
        ...{
          type: 'message',
          id: crypto.randomUUID(),
          channelId: 'msteams',
          serviceUrl: other.url,
          text: words,
        },
        from: { id: `29:user-${person}`, aadObjectId: `person-${person}` },
        recipient: { id: '28:bot' },
        conversation: { id: `a:${person}`, conversationType: 'personal', tenantId: 'bench' },
      }),
    posted: (words: string) => new Promise<void>((resolve) => waiting.set(words, resolve)),
    async close() {
      await running.stop();
      await Promise.all([nac.close(), other.close()]);
    },
  };
}

/** From the POST of an alert to the room's post that names its device, without the NAC's time. */
async function toldOfAlerts(): Promise<number[]> {
  const bot = await startWatched();
  try {
    return await inTurn(100, async (index) => {
      const mac = `00:1B:54:00:01:${String(index).padStart(2, '0')}`;
      const told = bot.posted(mac);
      const begun = performance.now();
      await bot.alert({ title: `Port ${index} flaps`, mac });
      await told;
      return performance.now() - begun - NAC_MS;
    });
  } finally {
    await bot.close();
  }
}

/** 400 people ask for a device each within 40 s, while so many others are watched. */
async function askedByMany(watches: number): Promise<number[]> {
  const bot = await startWatched();
  try {
    for (let index = 0; index < watches; index++)
      await bot.say(1000 + index, `watch ${WATCHED}00:${String(index).padStart(2, '0')}`);
    const asking = Array.from({ length: 400 }, async (_, index) => {
      await delay(index * 100 + Math.random() * 100);
      const address = `00:1B:54:01:${String(index % 100).padStart(2, '0')}:0${Math.floor(index / 100)}`;
      return (await bot.say(index, `lookup ${address}`)) - NAC_MS;
    });
    return await Promise.all(asking);
  } finally {
    await bot.close();
  }
}
