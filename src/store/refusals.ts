import type { Db } from 'pg-boss';
import type { Refusal } from '../credentials/refusal.ts';
import type { Join } from '../credentials/told-refusals.ts';
import { type Repeated, repeat } from '../time/every.ts';
import { createRefusalRows } from './refusal-rows.ts';
import type { Queryable } from './sql.ts';

/**
 * Refusals of the bot's own accounts, told to all processes on one database: by NOTIFY, and by a look every 5 s for those
 * that no notice reaches (PgBouncer in transaction mode passes none on). While the database is away nothing is told; what
 * still holds is told when the database is back.
 */
export type Refusals = {
  /** The way to the other processes for one account. @param system what judges the account, by a name that all share */
  of(system: string, username: string): Join;
  /** Begins to tell and to look. */
  start(): void;
  /** Ends both; resolves when what is under way has ended. */
  stop(): Promise<void>;
};

export type RefusalsOptions = {
  /** A clock that is never set back: the refusals' times. */
  now: () => number;
  onError(error: unknown): void;
};

const LOOK_EVERY_MS = 5000;
const CHANNEL = 'bot_refusal';

/** One account here: who hears of it, and what is still to be said. */
type Member = {
  system: string;
  username: string;
  hear: Parameters<Join>[0];
  untold: Refusal | undefined;
  withdrawn: Set<string>;
};

export function createRefusals(store: Queryable, { now, onError }: RefusalsOptions): Refusals {
  const rows = createRefusalRows(store, { channel: CHANNEL, now });
  const listener = createListener(wake, onError);
  const members: Member[] = [];
  let repeated: Repeated | undefined;
  let latest: Promise<void> = Promise.resolve();

  /** One look at a time, so that no older answer comes after a newer one. */
  function look(): Promise<void> {
    latest = latest.then(sayAndHear).catch(onError);
    return latest;
  }

  function wake(): void {
    if (repeated) void look();
  }

  async function sayAndHear(): Promise<void> {
    for (const member of members) await say(member);
    const told = await rows.read(listener.begin);
    for (const { system, username, hear } of members)
      hear(told.filter((each) => each.system === system && each.username === username));
  }

  async function say(member: Member): Promise<void> {
    const { system, username, withdrawn } = member;
    const ids = [...withdrawn];
    if (ids.length > 0) await rows.remove(ids);
    for (const id of ids) withdrawn.delete(id);
    const { untold } = member;
    if (untold && now() < untold.until) await rows.add({ system, username, ...untold });
    if (member.untold === untold) member.untold = undefined;
  }

  return {
    of: (system, username) => (hear) => {
      const member: Member = { system, username, hear, untold: undefined, withdrawn: new Set() };
      members.push(member);
      return {
        tell(refusal) {
          member.untold = refusal;
          wake();
        },
        withdraw(ids) {
          for (const id of ids) member.withdrawn.add(id);
          if (member.untold && ids.includes(member.untold.id)) member.untold = undefined;
          wake();
        },
      };
    },
    start() {
      repeated ??= repeat(LOOK_EVERY_MS, async () => void (await look()), onError);
    },
    async stop() {
      await repeated?.stop();
      repeated = undefined;
      await latest;
      listener.end();
    },
  };
}

/** Listens on a connection of its own, which pg-boss opens again when it is lost. */
function createListener(onNotice: () => void, onError: (error: unknown) => void) {
  let listening: ReturnType<NonNullable<Db['listen']>> | undefined;
  let hasFailed = false;
  return {
    /** Tries until it listens, and tells only the first failure: the looks go on. */
    begin(database: Db): void {
      if (listening) return;
      listening = database.listen?.(CHANNEL, onNotice, onNotice);
      listening?.catch((error) => {
        listening = undefined;
        if (!hasFailed) onError(error);
        hasFailed = true;
      });
    },
    /** Does not wait for the connection's end, because a server that hangs never confirms it. */
    end(): void {
      listening?.then((handle) => handle.close()).catch(onError);
    },
  };
}
