import type { Vault } from '../../src/credentials/vault.ts';
import type { TlsMode } from '../../src/http/tls-mode.ts';
import type { Seen } from '../../src/ops/health.ts';
import type { ServerTls } from '../../src/store/server-tls.ts';
import type { Dialog } from '../dialog.ts';
import { lines, paragraphs } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { type AllKeptJobs, type KeptCount, readCounts, sayCounts } from '../lookup/kept-jobs.ts';
import { type Account, missingOf, readAccount, sayAccount } from './status/account.ts';
import { type SystemLine, sayStates } from './status/systems.ts';

export type StatusOptions = {
  vault: Vault;
  /** The TLS mode of each configured upstream, by the name that people know. */
  tls: Readonly<Record<string, TlsMode>>;
  databaseTls: ServerTls;
  /** The last known state of NAC, webhook and chat service. */
  seen(): Seen;
  /** `ok`, or what is wrong with the database. */
  database(): string;
  /** When the NAC may get the service account again (milliseconds since 1970); undefined if it does not rest. */
  nacRestsUntil(): Promise<number | undefined>;
  /** When the NAC may be asked again after failures (milliseconds since 1970); undefined if it may be asked now. */
  nacPausedUntil(): number | undefined;
  kept: AllKeptJobs;
  /** Called if the database does not answer. */
  onError(error: unknown): void;
  /** Whether people can connect. */
  signIn: boolean;
};

const WORDS = {
  well: (now: string) => `All is well, as of ${now}.`,
  unknown: (now: string) => `No fault known, as of ${now}.`,
  unwell: (names: string, now: string) => `⚠ Not well: ${names}. As of ${now}:`,
  serviceName: "the bot's account",
  service: "The bot's account:",
  own: 'Your own account:',
  tls: 'TLS:',
  noDatabase: 'Posts: not known, because the database does not answer.',
  rest: (left: string) => `the NAC refused these credentials; they rest for ${left} more`,
};

/** Says how all is, the worst first, then which credentials are held, then each upstream's TLS mode. */
export function createStatus(options: StatusOptions): Dialog {
  const { vault, tls, databaseTls, nacRestsUntil, kept, onError, signIn } = options;

  async function readPosts(): Promise<KeptCount[] | undefined> {
    try {
      return await readCounts(kept);
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  function readSystems(format: Format): SystemLine[] {
    const { seen, nacPausedUntil, database } = options;
    return sayStates({ seen: seen(), pausedUntil: nacPausedUntil(), database: database() }, format);
  }

  return {
    name: 'status',
    summary: 'tells how the other systems are and which credentials I hold',
    examples: ['status'],
    details: [
      'Tells how NAC, webhook, chat and database are and since when, then which credentials are held and until when.',
    ],
    async answer({ person, isPersonal, arrivedAt, format, say }) {
      const service = await readAccount(vault, { kind: 'service' });
      const own = signIn && isPersonal ? await readAccount(vault, { kind: 'person', id: person }) : undefined;
      const [rest, posts] = await Promise.all([nacRestsUntil(), readPosts()]);
      const systems = readSystems(format);
      await say(
        paragraphs(
          lines(
            sayHeadline({ systems, service, rest, posts }, format.time(arrivedAt)),
            ...systems.map(({ line }) => line),
            ...(posts ? sayCounts(posts, format) : [WORDS.noDatabase]),
          ),
          lines(
            WORDS.service,
            ...(rest === undefined ? [] : [WORDS.rest(format.timeLeft(rest))]),
            ...sayAccount(service, format),
          ),
          ...(own ? [lines(WORDS.own, ...sayAccount(own, format))] : []),
          lines(
            WORDS.tls,
            ...Object.entries(tls).map(([name, mode]) => `${name}: ${sayTls(mode)}`),
            ...DATABASE_TLS[databaseTls],
          ),
        ),
      );
    },
  };
}

type Findings = {
  systems: readonly SystemLine[];
  service: Account;
  rest: number | undefined;
  /** Undefined: the database did not say. */
  posts: readonly KeptCount[] | undefined;
};

/** One line that says whether all is well, and if not, what is not. */
function sayHeadline({ systems, service, rest, posts }: Findings, now: string): string {
  const isAway = systems.some(({ name, health }) => name === 'database' && health !== 'well');
  const unwell = [
    ...systems.filter(({ health }) => health === 'unwell').map(({ name }) => name),
    ...(rest === undefined ? [] : [WORDS.serviceName]),
    ...missingOf(service),
    ...(posts ?? []).filter(({ dead }) => dead > 0).map(({ name }) => name.toLowerCase()),
    ...(posts || isAway ? [] : ['posts']),
  ];
  if (unwell.length > 0) return WORDS.unwell(unwell.join(', '), now);
  return systems.every(({ health }) => health === 'well') ? WORDS.well(now) : WORDS.unknown(now);
}

const DATABASE_TLS: Readonly<Record<ServerTls, readonly string[]>> = {
  'none needed': [],
  TLS: ['database: TLS'],
  'unchecked TLS': [
    'database: ⚠ insecure: its certificate is not checked; DATABASE_URL needs sslmode=verify-full',
  ],
  'no TLS': ['database: ⚠ insecure: no TLS; DATABASE_URL needs sslmode=verify-full'],
};

function sayTls(mode: TlsMode): string {
  switch (mode.kind) {
    case 'verify':
      return 'verify';
    case 'ca':
      return 'ca (an authority of its own)';
    case 'pin':
      return `pin (${mode.fingerprints.length} ${mode.fingerprints.length === 1 ? 'certificate' : 'certificates'})`;
    case 'insecure':
      return '⚠ insecure: its certificate is not checked';
  }
}
