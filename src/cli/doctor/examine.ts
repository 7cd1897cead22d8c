import { systemClock } from '../../app/clock.ts';
import { openUpstreams, type Upstreams } from '../../app/upstreams.ts';
import type { ProxyFault } from '../../http/proxies.ts';
import type { Environment, Problem } from '../../settings/environment.ts';
import type { Settings } from '../../settings.ts';
import { examineClock } from './clock.ts';
import { type DatabaseFindings, examineDatabase } from './database.ts';
import type { Examination } from './examination.ts';
import { examineExchange } from './exchanges.ts';
import { type Finding, fails, skipped, works } from './finding.ts';
import { examineAuthority, examineKeys } from './identity.ts';
import { examineNac } from './nac.ts';
import { examineProxies } from './proxy.ts';
import { openRefusals } from './refusals.ts';
import { type Group, readUsableSettings } from './usable-settings.ts';
import { type Watched, watch } from './watch.ts';
import { examineWebhook } from './webhook.ts';

export type ExamineOptions = {
  /** Whether accounts are tried although an earlier run was refused. */
  again: boolean;
  /** Whether one line is posted to the room. */
  post: boolean;
};

/** Asks every system of the settings one harmless question, all at once, and yields what was found, in the table's order. */
export async function* examine(environment: Environment, options: ExamineOptions): AsyncGenerator<Finding> {
  const { settings, problems, unusable } = readUsableSettings(environment);
  yield { system: 'settings', ...saySettings(problems) };

  const database = unusable.has('database') ? undefined : examineDatabase({ settings });
  const resting = 'url' in settings.database ? database?.then((each) => each.resting) : undefined;
  const examination = openExamination(settings, { ...options, resting: resting ?? Promise.resolve([]) });
  const asked = askAll(examination, unusable, database);
  const all = Promise.all(asked);
  all.catch(() => {}); // Rejects below, when its turn has come.
  try {
    for (const findings of asked) yield* await findings;
    if (!unusable.has('proxy')) yield* examineProxies(examination);
    yield* examineClock(examination);
  } finally {
    await Promise.all(Object.values(examination.upstreams).map((upstream) => upstream.close()));
  }
}

function saySettings(problems: readonly Problem[]) {
  return problems.length === 0
    ? works('all are accepted')
    : fails(
        problems.map(({ name, message }) => `${name} ${message}`).join('\n'),
        'set them in the environment (README, "Settings")',
      );
}

function openExamination(
  settings: Settings,
  { again, post, resting }: Pick<Examination, 'again' | 'post' | 'resting'>,
): Examination {
  const proxyFaults: ProxyFault[] = [];
  const onProxy = (fault: ProxyFault | undefined) => void (fault && proxyFaults.push(fault));
  const upstreams = openUpstreams(settings, () => onProxy);
  return {
    settings,
    upstreams: Object.fromEntries(
      Object.entries(upstreams).map(([name, upstream]) => [name, watch(upstream)]),
    ) as Record<keyof Upstreams, Watched>,
    wayOut: settings.proxies && { proxies: settings.proxies, onProxy },
    proxyFaults,
    refusals: openRefusals({ directory: settings.dataDirectory, now: systemClock.now }),
    resting,
    again,
    post,
  };
}

type Check = {
  group: Group;
  system: string;
  /** Whether there is a system to ask. */
  isSet: boolean;
  ask: () => Promise<Finding[]>;
};

function askAll(
  examination: Examination,
  unusable: ReadonlySet<Group>,
  database: Promise<DatabaseFindings> | undefined,
): Array<Promise<Finding[]>> {
  return checksOf(examination, database).map(async ({ group, system, isSet, ask }) => {
    if (unusable.has(group)) return [{ system, ...skipped('not asked, because its settings are wrong') }];
    if (!isSet) return [];
    if (unusable.has('proxy') && group !== 'database')
      return [{ system, ...skipped('not asked, because the setting of the proxy is wrong') }];
    return ask();
  });
}

function checksOf(examination: Examination, database: Promise<DatabaseFindings> | undefined): Check[] {
  const { authorize, ticket, identity } = examination.settings;
  const check = (group: Group, ask: Check['ask'], isSet = true, system: string = group): Check => ({
    group,
    system,
    isSet,
    ask,
  });
  const isSignedIn = identity !== undefined;
  return [
    check('NAC', () => examineNac(examination)),
    check('authorization service', () => examineExchange('authorize', examination), authorize !== undefined),
    check('ticket service', () => examineExchange('ticket', examination), ticket !== undefined),
    check('webhook', () => examineWebhook(examination)),
    check('identity', () => examineAuthority(examination), isSignedIn, 'token authority'),
    check('identity', () => examineKeys(examination), isSignedIn, 'signing keys'),
    check('database', async () => (await database)?.findings ?? []),
  ];
}
