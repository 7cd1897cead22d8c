/**
 * The doctor's finding about one system. No text holds a secret, or a system's own words. A line break in a text stays one.
 * @property state `FAILS`: the bot cannot do its work there. `skipped`: nobody was asked, for a reason that is said
 * @property next the next step; undefined if there is nothing to do, or `what` says it
 * @property below a certificate and its fingerprint
 * @property isRefused the account was refused
 */
export type Diagnosis = {
  state: 'works' | 'warning' | 'FAILS' | 'skipped';
  what: string;
  next?: string | undefined;
  below?: string;
  isRefused?: boolean;
};
export type Finding = Diagnosis & { system: string };

export const works = (what: string): Diagnosis => ({ state: 'works', what });
export const warning = (what: string, next: string): Diagnosis => ({ state: 'warning', what, next });
export const fails = (what: string, next?: string): Diagnosis => ({ state: 'FAILS', what, next });
export const skipped = (what: string): Diagnosis => ({ state: 'skipped', what });

/** One row: state, system and finding, then the next step. A screen of any width breaks these lines. */
export function renderFinding({ system, state, what, next, below }: Finding): string {
  const texts = [what, next && `next: ${next}`, below].filter((text) => text !== undefined);
  return `${state.padEnd(9)}${system.padEnd(23)}${texts.join('\n').trim().replaceAll(/\n */g, '\n  ')}\n`;
}
