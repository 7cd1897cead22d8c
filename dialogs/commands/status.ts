import type { CredentialOutcome, Held } from '../../src/credentials/credential-outcome.ts';
import type { Owner, Vault } from '../../src/credentials/vault.ts';
import type { TlsMode } from '../../src/http/tls-mode.ts';
import type { Seen } from '../../src/ops/health.ts';
import type { ServerTls } from '../../src/store/server-tls.ts';
import { sayExchangeFault } from '../answers/fault-words.ts';
import type { Dialog } from '../dialog.ts';
import type { Format } from '../format/locale.ts';
import { code, lines, paragraphs } from '../format/markdown.ts';
import { type AllKeptJobs, sayCounts } from '../jobs/kept-jobs.ts';

export type StatusOptions = {
  vault: Vault;
  /** The TLS mode of each configured upstream, by the name that people know. */
  tls: Readonly<Record<string, TlsMode>>;
  databaseTls: ServerTls;
  /** The last known state of NAC, webhook and chat service. */
  seen(): Seen;
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
  service: "The bot's account:",
  own: 'Your own account:',
  tls: 'TLS:',
  upstreams: 'Last seen:',
  noDatabase: 'Posts: not known, because the database does not answer.',
  notConnected: `not connected; ${code('connect')} changes that`,
  paused: (left: string) => ` (left alone for ${left} more)`,
  rest: (left: string) => `the NAC refused these credentials; they rest for ${left} more`,
};

/** Says which credentials are held, each upstream's TLS mode and last known state. Never shows a credential. */
export function createStatus(options: StatusOptions): Dialog {
  const { vault, tls, databaseTls, seen, nacRestsUntil, nacPausedUntil, kept, onError, signIn } = options;

  async function sayCredentials(owner: Owner, format: Format): Promise<string[]> {
    const [apiKey, ticket] = await Promise.all([vault.apiKey(owner), vault.ticket(owner)]);
    const basic = await vault.basic(owner); // Last, because a refused exchange forgets the person's account.
    if (basic.kind === 'not connected') return [WORDS.notConnected];
    return [
      `Basic: ${sayHeld(basic, format)}`,
      `API key: ${sayCredential('API key', apiKey, format)}`,
      `ticket: ${sayCredential('ticket', ticket, format)}`,
    ];
  }

  async function sayPosts(format: Format): Promise<string> {
    try {
      return lines(...(await sayCounts(kept, format)));
    } catch (error) {
      onError(error);
      return WORDS.noDatabase;
    }
  }

  return {
    name: 'status',
    summary: 'tells which credentials I hold and how the other systems are',
    examples: ['status'],
    details: [
      'Tells which credentials are held and until when, and how NAC, webhook and chat were last seen.',
    ],
    async answer({ person, isPersonal, format, say }) {
      const rest = await nacRestsUntil();
      const service = await sayCredentials({ kind: 'service' }, format);
      const own = signIn && isPersonal ? await sayCredentials({ kind: 'person', id: person }, format) : [];
      const { nac, webhook, chat } = seen();
      const until = nacPausedUntil();
      const paused = until === undefined ? '' : WORDS.paused(format.timeLeft(until));
      await say(
        paragraphs(
          lines(
            WORDS.service,
            ...service,
            ...(rest === undefined ? [] : [WORDS.rest(format.timeLeft(rest))]),
          ),
          ...(own.length > 0 ? [lines(WORDS.own, ...own)] : []),
          lines(
            WORDS.tls,
            ...Object.entries(tls).map(([name, mode]) => `${name}: ${sayTls(mode)}`),
            ...DATABASE_TLS[databaseTls],
          ),
          lines(WORDS.upstreams, `NAC: ${nac}${paused}`, `webhook: ${webhook}`, `chat: ${chat}`),
          await sayPosts(format),
        ),
      );
    },
  };
}

const DATABASE_TLS: Readonly<Record<ServerTls, readonly string[]>> = {
  'none needed': [],
  TLS: ['database: TLS'],
  'no TLS': ['database: ⚠ insecure: no TLS; DATABASE_URL needs sslmode=verify-full'],
};

function sayCredential(name: 'API key' | 'ticket', outcome: CredentialOutcome, format: Format): string {
  switch (outcome.kind) {
    case 'held':
      return sayHeld(outcome, format);
    case 'not configured':
      return 'not configured';
    case 'not connected':
      return WORDS.notConnected;
    case 'resting':
      return `refused; not asked again for ${format.timeLeft(outcome.until)}`;
    case 'refused':
    case 'forbidden':
    case 'redirected':
    case 'fault':
    case 'no credential':
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
      return sayExchangeFault(name, outcome);
  }
}

function sayHeld({ since, until }: Held, format: Format): string {
  return `held since ${format.time(since)}${until === undefined ? '' : `, until ${format.time(until)}`}`;
}

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
