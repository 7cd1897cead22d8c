import type { Seen, SystemState } from '../../../src/ops/health.ts';
import type { Format } from '../../format/locale.ts';
import { timeAndAge } from '../../lookup/facts.ts';

/** The other systems as the bot last saw them. */
export type Systems = {
  seen: Seen;
  /** When the NAC may be asked again after failures (milliseconds since 1970); undefined if it may be asked now. */
  pausedUntil: number | undefined;
  /** `ok`, or what is wrong with the database. */
  database: string;
};

/** One of the other systems: its name, how it is, and its line. */
export type SystemLine = { name: string; health: 'unwell' | 'not known' | 'well'; line: string };

/** The other systems, the worst first, each with since when or how long ago. */
export function sayStates({ seen, pausedUntil, database }: Systems, format: Format): SystemLine[] {
  const { nac, webhook, chat } = seen;
  const systems = [
    sayState('NAC', nac, pausedUntil, format),
    sayState('webhook', webhook, undefined, format),
    sayState('chat', chat, undefined, format),
    { name: 'database', health: healthOf(database), line: `database: ${database}` } as const,
  ];
  return systems.toSorted((one, other) => WORST.indexOf(one.health) - WORST.indexOf(other.health));
}

const WORST: ReadonlyArray<SystemLine['health']> = ['unwell', 'not known', 'well'];

function healthOf(database: string): SystemLine['health'] {
  if (database === 'ok') return 'well';
  return database === 'opening' ? 'not known' : 'unwell';
}

function sayState(
  name: string,
  state: SystemState,
  pausedUntil: number | undefined,
  format: Format,
): SystemLine {
  const paused = pausedUntil === undefined ? '' : `; left alone for ${format.timeLeft(pausedUntil)} more`;
  switch (state.kind) {
    case 'failing':
      return {
        name,
        health: 'unwell',
        line: `${name}: failing since ${timeAndAge(state.since, format)}${paused}`,
      };
    case 'ok':
      return {
        name,
        health: paused === '' ? 'well' : 'unwell',
        line: `${name}: ok (${format.age(state.at)})${paused}`,
      };
    case 'not asked yet':
      return { name, health: 'not known', line: `${name}: not asked yet` };
  }
}
