import type { IssuedName } from '../../credentials/exchange-outcome.ts';
import type { Examination } from './examination.ts';
import { type Diagnosis, fails } from './finding.ts';
import { REST_MS, type Refusals } from './refusals.ts';

/** An account of the bot's own; `system` as the bots on one database name it. */
export type TriedAccount = { system: 'NAC' | IssuedName; username: string };

/** Returns what is said in place of a try, if the account rests after a refusal of an earlier run, or of a bot. */
export async function sayResting(
  { system, username }: TriedAccount,
  { refusals, resting, again }: Examination,
): Promise<Diagnosis | undefined> {
  if (again) return undefined;
  const told = (await resting).find((each) => each.system === system && each.username === username);
  const leftMs = refusals.left(system, username);
  if (told === undefined && leftMs === 0) return undefined;
  const whose = leftMs > 0 ? 'an earlier run' : 'a bot on this database';
  const left = minutes(Math.max(leftMs, told?.leftMs ?? 0));
  return fails(
    `not asked: ${whose} was refused (401), and the account rests for ${left} more, so that it does not get locked`,
    `with a new password:${AGAIN}`,
  );
}

/** Notes a refusal, and says it. @param check what to check, as a request */
export function sayRefused(
  { system, username }: TriedAccount,
  { refusals, what, check }: { refusals: Refusals; what: string; check: string },
): Diagnosis {
  const rest = refusals.note(system, username)
    ? `The account now rests for ${minutes(REST_MS)}; with a new password:${AGAIN}`
    : `The refusal cannot be noted in DATA_DIR: wait ${minutes(REST_MS)} before the next run, or the account may get locked`;
  return fails(`${what} (401)`, `${check}. ${rest}`);
}

/** Stands on a line of its own, to be copied. */
const AGAIN = '\nnpm run doctor -- --again';

function minutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} min`;
}
