import type { Certificate } from '../../http/handshake.ts';

/** `FAILS`: the bot cannot do its work there. `skipped`: nobody was asked, for a reason that is said. */
export type State = 'works' | 'warning' | 'FAILS' | 'skipped';

/** What the doctor found of one system. No text holds a secret, or what a system said in its own words. */
export type Finding = {
  system: string;
  state: State;
  /** What was found, and why. Here and in `next`, a line break stays one. */
  what: string;
  /** The next step; undefined if there is nothing to do, or `what` says it. */
  next?: string | undefined;
  /** The certificate that the system presented, and the setting that can pin it. */
  certificate?: { presented: Certificate; setting: string } | undefined;
};

/** What was found, before it is said of which system. */
export type Diagnosis = Omit<Finding, 'system'>;

export function works(what: string): Diagnosis {
  return { state: 'works', what };
}

export function warning(what: string, next: string): Diagnosis {
  return { state: 'warning', what, next };
}

/** @param next undefined: `what` says the cure too */
export function fails(what: string, next?: string): Diagnosis {
  return { state: 'FAILS', what, next };
}

export function skipped(what: string): Diagnosis {
  return { state: 'skipped', what };
}
