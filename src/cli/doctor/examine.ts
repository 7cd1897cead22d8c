import { systemClock } from '../../app/clock.ts';
import { openUpstreams, type Upstreams } from '../../app/upstreams.ts';
import type { ProxyFault } from '../../domain/outcome.ts';
import type { Upstream } from '../../http.ts';
import type { Settings } from '../../settings.ts';
import { examineDatabase } from './database.ts';
import { aheadOf, examineClock, examineProxies } from './machine.ts';
import {
  type Examination,
  examineAuthority,
  examineExchange,
  examineKeys,
  examineNac,
  examineWebhook,
  type Watched,
} from './systems.ts';
import type { Finding } from './table.ts';

export type ExamineOptions = Pick<Examination, 'post'>;

/** Makes each of the bot's own calls once, all at the same time, and yields what was found, in the table's order. */
export async function* examine(settings: Settings, options: ExamineOptions): AsyncGenerator<Finding> {
  const faults: ProxyFault[] = [];
  const onProxy = (fault: ProxyFault | undefined) => void (fault && faults.push(fault));
  const opened = Object.entries(openUpstreams(settings, () => onProxy));
  const upstreams = Object.fromEntries(opened.map(([name, upstream]) => [name, watch(upstream)])) as Record<
    keyof Upstreams,
    Watched
  >;
  const examination: Examination = {
    ...options,
    settings,
    upstreams,
    wayOut: settings.proxies && { proxies: settings.proxies, onProxy },
  };
  const asked = [
    examineNac(examination),
    examineExchange('authorize', examination),
    examineExchange('ticket', examination),
    examineWebhook(examination),
    examineAuthority(examination),
    examineKeys(examination),
    examineDatabase(settings).then((diagnosis) => [{ system: 'database', ...diagnosis }]),
  ];
  Promise.all(asked).catch(() => {}); // Rejects below, when its turn has come.
  try {
    for (const findings of asked) yield* await findings;
    yield* examineProxies(settings, faults);
    yield examineClock(CLOCKS.map(([name, whose]) => [upstreams[name].aheadMs(), whose]));
  } finally {
    await Promise.all(opened.map(([, upstream]) => upstream.close()));
  }
}

/** Whose time counts, the first that said it: the systems that judge tokens by their own clocks come first. */
const CLOCKS = [
  ['authority', 'the token authority'],
  ['keys', 'the signing keys'],
  ['nac', 'the NAC'],
  ['authorize', 'the authorization service'],
  ['ticket', 'the ticket service'],
  ['webhook', 'the webhook'],
] as const;

function watch(upstream: Upstream): Watched {
  let aheadMs: number | undefined;
  return {
    ...upstream,
    async call(request) {
      const from = systemClock.now();
      const outcome = await upstream.call(request);
      if (outcome.kind === 'answered') aheadMs = aheadOf(outcome.headers, from, systemClock.now()) ?? aheadMs;
      return outcome;
    },
    aheadMs: () => aheadMs,
  };
}
