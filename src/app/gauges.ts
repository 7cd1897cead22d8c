import type { Bot } from '../../dialogs/commands/command.ts';
import { countJobs } from '../../dialogs/commands/status.ts';
import { countWatches } from '../../dialogs/watch/watches.ts';
import { isFailing } from '../domain/part.ts';
import type { Metrics } from '../ops/metrics.ts';
import { VERSION } from './start.ts';

/** Adds the gauges, which are read from the bot's parts whenever the metrics are. */
export function addGauges({ gauge }: Metrics, bot: Bot): void {
  const { nac, health, alertsWithoutAddress } = bot;
  const isIn = (part: string, state: string) =>
    health.parts().some((each) => each.part === part && each.state === state);
  gauge('database_up', '1 while the database answers', () => isIn('database', 'ok'));
  gauge('nac_calls_running', 'Calls to the NAC in flight', () => nac.counts().running);
  gauge('nac_calls_waiting', 'Lookups that wait for a place', () => nac.counts().waiting);
  const isPaused = () => nac.pausedUntil() !== undefined;
  gauge('nac_paused', '1 while calls to the NAC are paused after failures', isPaused);
  const isResting = () => nac.restsUntil() !== undefined;
  gauge('nac_credentials_resting', '1 while the service account rests after a refusal', isResting);
  const hasNoSessions = () => isIn('nac sessions', 'none at all');
  gauge('nac_sees_nobody', '1 while the NAC says that it has no active session at all', hasNoSessions);
  const failing = '1 from the first failure of a part of /readyz to its next success';
  const byPart = () => health.parts().map((each) => [isFailing(each), each.part] as const);
  gauge('upstream_failing', failing, byPart, 'upstream');
  const unaddressed = 'Alerts that held no MAC address since the start, by their name';
  const byName = () => [...alertsWithoutAddress].map(([name = '', count]) => [count, name] as const);
  gauge('alerts_without_address', unaddressed, byName, 'alert_name');
  const build = "1; the labels are the bot's release and Node's";
  gauge('build_info', build, () => [[1, VERSION, process.version]], 'version', 'node');
  addJobGauges(gauge, bot);
}

/** The gauges that are absent while the database is away. */
function addJobGauges(gauge: Metrics['gauge'], bot: Bot): void {
  const absent = 'absent while the database is away';
  const queues = () => countJobs(bot).catch(() => []);
  const watches = async () => (bot.settings.canWatch ? countWatches(bot).catch(() => undefined) : undefined);
  const byState = async () =>
    (await queues()).flatMap(({ queue, waiting, dead }) => [
      [waiting, queue, 'waiting'] as const,
      [dead, queue, 'dead'] as const,
    ]);
  const overdue = async () => (await queues()).map(({ queue, overdue }) => [overdue / 1000, queue] as const);
  const overdueWatch = async () => {
    const { overdueMs } = (await watches()) ?? {};
    return overdueMs && overdueMs / 1000;
  };
  gauge('jobs', `Jobs in the database by queue and state; ${absent}`, byState, 'queue', 'state');
  gauge('oldest_due_job_seconds', `Age of the oldest job that is due, by queue; ${absent}`, overdue, 'queue');
  gauge('watches', `Watched devices, each in a thread; ${absent}`, async () => (await watches())?.count);
  gauge('oldest_due_watch_seconds', `Age of the oldest watch that is due; ${absent}`, overdueWatch);
}
