import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Secret } from '../text/secret.ts';
import { isAway, isRefusal } from './away.ts';
import { LastingFaultError, lastingFaultOf } from './lasting-fault.ts';

/** What a database server says to the bot's user. */
export type ServerCheck =
  /** The bot can work. `hasSchemas`: a bot has made its schemas already. */
  | { kind: 'ready'; version: string; hasSchemas: boolean; resting: readonly AccountRest[] }
  /** The server takes no changes: a standby, or a database that was set so. */
  | { kind: 'read only' }
  /** @property code of the network, or SQLSTATE; undefined: no answer in time */
  | { kind: 'away'; code: string | undefined };

/** An account of the bot's own that rests, because a bot on this database was refused. */
export type AccountRest = { system: string; username: string; leftMs: number };

const ANSWERS_WITHIN_MS = 10_000;

/** READ_ONLY_SQL_TRANSACTION (Appendix A of Postgres' manual). */
const READ_ONLY = '25006';

/**
 * Tries the rights that the bot needs, in a transaction that is rolled back.
 * @throws LastingFaultError for a server that will not let the bot work, however long it waits
 */
export async function checkServer(url: Secret): Promise<ServerCheck> {
  const { Client } = (await import('pg')).default;
  let client: Client | undefined;
  try {
    client = new Client({
      connectionString: url.reveal(),
      application_name: 'nac-lookup-bot doctor',
      connectionTimeoutMillis: ANSWERS_WITHIN_MS,
      query_timeout: ANSWERS_WITHIN_MS,
    });
    client.on('error', () => {}); // The call under way rejects too.
    await client.connect();
    return await tryRights(client);
  } catch (error) {
    return readFault(error);
  } finally {
    await client?.end().catch(() => {}); // The check is over.
  }
}

function readFault(error: unknown): ServerCheck {
  const lasting = lastingFaultOf(error);
  if (lasting !== undefined) throw new LastingFaultError(lasting, { cause: error });
  if (!isAway(error) && !isRefusal(error)) throw error;
  const { code } = error as { code?: string };
  return code === READ_ONLY ? { kind: 'read only' } : { kind: 'away', code };
}

type State = { version: string; has_schemas: boolean; is_owner: boolean };

async function tryRights(client: Client): Promise<ServerCheck> {
  await client.query('begin');
  const { rows: states } = await client.query<State>(`
    select current_setting('server_version') as version,
      count(*) = 2 as has_schemas,
      coalesce(bool_and(pg_has_role(nspowner, 'USAGE')), true) as is_owner
    from pg_namespace where nspname in ('bot', 'pgboss')`);
  const [state] = states;
  if (state === undefined) throw new TypeError('an aggregate always has a row');
  if (!state.is_owner) throw new LastingFaultError('right missing');
  // A name of its own makes no bot wait that creates its schemas now.
  const name = `doctor_${randomUUID().replaceAll('-', '')}`;
  await client.query(state.has_schemas ? `create table bot.${name} ()` : `create schema ${name}`);
  const resting = state.has_schemas ? await readRests(client) : [];
  await client.query('rollback');
  return { kind: 'ready', version: state.version, hasSchemas: state.has_schemas, resting };
}

/** An earlier release's schemas have no refusals yet. */
async function readRests(client: Client): Promise<AccountRest[]> {
  const { rows: tables } = await client.query("select from pg_class where oid = to_regclass('bot.refusal')");
  if (tables.length === 0) return [];
  const { rows } = await client.query<AccountRest>(`
    select system, username, (extract(epoch from max(until) - now()) * 1000)::float8 as "leftMs"
    from bot.refusal where until > now() group by system, username`);
  return rows;
}
