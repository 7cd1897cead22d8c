import pino from 'pino';
import type { Place } from '../../dialogs/format/message.ts';
import type { AlertJob } from '../../dialogs/jobs/alert-job.ts';
import type { Incident } from '../../dialogs/jobs/incident.ts';
import type { LookupJob } from '../../dialogs/jobs/lookup-job.ts';
import type { ReplyJob } from '../../src/bot/replies/reply-job.ts';
import { createPeople, type People } from '../../src/credentials/people.ts';
import { createSeal } from '../../src/credentials/seal.ts';
import { createDatabase, type Database } from '../../src/start/database.ts';
import { openStore } from '../../src/start/store.ts';
import type { DatabaseSettings } from '../../src/store/connection.ts';
import { createSealedCredentials } from '../../src/store/tables.ts';
import type { Store } from '../../src/store/store.ts';
import type { JobOutcome } from '../../src/store/workers.ts';
import { Secret } from '../../src/text/secret.ts';
import type { PostJob } from '../../src/webhook/delivery.ts';

/** What each fixture keeps, so that a test can look for it. A change here needs new fixtures. */
export const PLACE: Place = {
  reference: {
    serviceUrl: 'https://smba.trafficmanager.net/emea/',
    conversation: { id: '19:noc@thread.tacv2;messageid=7' },
    user: { id: '29:alex', name: 'Alex' },
  },
  locale: 'en-GB',
  timeZone: 'Europe/Berlin',
};

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);

export const JOBS: { lookup: LookupJob; post: PostJob; reply: ReplyJob; alert: AlertJob } = {
  lookup: {
    place: PLACE,
    person: 'alex',
    addresses: ['AA:BB:CC:DD:EE:FF'],
    messageId: 'm-1',
    firstAt: AT,
    attempt: 1,
  },
  post: { text: 'AA:BB:CC:DD:EE:FF\nCorp_Wired_Access', firstAt: AT, attempt: 3 },
  reply: {
    text: '`AA:BB:CC:DD:EE:FF`: connected',
    summary: 'connected',
    place: PLACE,
    firstAt: AT,
    attempt: 0,
  },
  alert: {
    digest: 'd-1',
    addresses: ['AA:BB:CC:DD:EE:FF'],
    thread: 'night',
    leftOut: 2,
    firstAt: AT,
    attempt: 0,
  },
};

export const QUEUES = ['lookup', 'post', 'reply', 'alert'] as const;

export const INCIDENT: Incident = {
  state: 'firing',
  since: AT,
  times: 2,
  alert: 'd-1',
  arrivedAt: AT,
  messageId: 'm-2',
  devices: { 'AA:BB:CC:DD:EE:FF': 'mark' },
  posted: {},
  isKept: false,
};

/** The end of what would be over by the time a test reads the fixture. */
export const FOREVER = new Date(Date.UTC(2100, 0));

/** People's credentials, with the key that sealed those of the fixtures. */
export function peopleOf(store: Store): People {
  const fail = (error: unknown) => {
    throw error;
  };
  return createPeople({
    seal: createSeal([new Secret(Buffer.alloc(32, 'fixture').toString('base64'))]),
    store: createSealedCredentials(store),
    now: Date.now,
    warn: fail,
    onError: fail,
  });
}

/** Opens a database as a bot does. Its jobs go to `work`. */
export async function openAsBot(
  settings: DatabaseSettings,
  work: (queue: string, key: string, data: object) => Promise<JobOutcome<never>>,
): Promise<Database> {
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const log = pino({ level: 'silent' });
  const database = createDatabase(settings, await openStore(settings, log, resolve), log);
  const workerOf = (queue: string) => ({
    work: (data: object, key: string) => work(queue, key, data),
    onDead: async () => {},
  });
  database.employ({
    lookup: workerOf('lookup'),
    post: workerOf('post'),
    reply: workerOf('reply'),
    alert: workerOf('alert'),
  });
  database.store.open();
  await opened;
  return database;
}
