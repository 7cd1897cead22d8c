import type { Client } from 'pg';
import { z } from 'zod';
import { parseJson } from '../../domain/json.ts';
import type { Secret } from '../../domain/secret.ts';
import { isAway, isRefusal, stateOf } from '../../store/away.ts';
import { POSTGRES } from '../../store/dialect.ts';
import { LastingFaultError, lastingFaultOf } from '../../store/lasting-fault.ts';
import { connectionTo, makeTables, refuseOld } from '../../store/postgres.ts';
import { type RefusalRow, readRefusal, refusalsIn } from '../../store/refusals.ts';

/** What a database server says to the bot's user. */
export type ServerCheck =
  /** The bot can work. `hasTables`: a bot has made its tables already. */
  | { kind: 'ready'; version: string; hasTables: boolean; resting: readonly AccountRest[] }
  /** The server takes no changes: a standby, or a database that was set so. */
  | { kind: 'read only' }
  /** @property code of the network, or SQLSTATE; undefined: no answer in time */
  | { kind: 'away'; code: string | undefined };

/** An account of the bot's own that rests, because a bot on this database was refused. */
export type AccountRest = { system: string; username: string; leftMs: number };

/**
 * Tries the rights that the bot needs, in a transaction that is rolled back.
 * @throws LastingFaultError for a server that will not let the bot work, however long it waits
 */
export async function checkServer(url: Secret): Promise<ServerCheck> {
  const { Client } = (await import('pg')).default;
  let client: Client | undefined;
  try {
    client = new Client(connectionTo(url, 'nac-lookup-bot doctor'));
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
  if (stateOf(error) === 'takes no changes') return { kind: 'read only' };
  return { kind: 'away', code: (error as { code?: string }).code };
}

async function tryRights(client: Client): Promise<ServerCheck> {
  await refuseOld(client);
  const { rows } = await client.query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const version = String(rows[0]?.version);
  const hasTables = (await client.query(POSTGRES.isMade)).rows.length > 0;
  await client.query('begin');
  await makeTables(client);
  await client.query(`delete from ${POSTGRES.kept} where kind = 'doctor'`);
  const refusals = await client.query<RefusalRow>(refusalsIn(POSTGRES));
  await client.query('rollback');
  return { kind: 'ready', version, hasTables, resting: refusals.rows.flatMap(restOf) };
}

const accountSchema = z.tuple([z.string(), z.string()]);

function restOf(row: RefusalRow): AccountRest[] {
  const [system, username] = accountSchema.safeParse(parseJson(row.key)).data ?? [];
  const leftMs = readRefusal(row, 0)[0]?.until ?? 0;
  return system !== undefined && username !== undefined && leftMs > 0 ? [{ system, username, leftMs }] : [];
}
