/** What the doctor found of one system. No text holds a secret, or what a system said in its own words. */
export type Finding = Diagnosis & { system: string };

export type Diagnosis = {
  /** `FAILS`: the bot cannot do its work there. `skipped`: nobody was asked, for a reason that is said. */
  state: 'works' | 'warning' | 'FAILS' | 'skipped';
  /** What was found, and why. In all texts, a line break stays one. */
  what: string;
  /** The next step; undefined if there is nothing to do, or `what` says it. */
  next?: string | undefined;
  /** What stands below, such as a certificate's fingerprint. */
  below?: string;
};

export const works = (what: string): Diagnosis => ({ state: 'works', what });
export const warning = (what: string, next?: string): Diagnosis => ({ state: 'warning', what, next });
export const fails = (what: string, next?: string): Diagnosis => ({ state: 'FAILS', what, next });
export const skipped = (what: string): Diagnosis => ({ state: 'skipped', what });

/** One row: state, system and what was found, then the next step. A screen of any width breaks these lines. */
export function renderFinding({ system, state, what, next, below }: Finding): string {
  const said = [what, next && `next: ${next}`, below].filter((text) => text !== undefined).join('\n');
  return `${state.padEnd(9)}${system.padEnd(23)}${said.trim().replaceAll(/\n */g, '\n  ')}\n`;
}

/** Says what is to be looked at, at the end of the table, where a small screen shows it. */
export function renderSummary(findings: readonly Finding[]): string {
  const named = (wanted: Finding['state']) =>
    findings.flatMap(({ state, system }) => (state === wanted ? system : []));
  const [failing, warned, left] = [named('FAILS'), named('warning'), named('skipped')];
  const asked = findings.length - left.length;
  const list = (words: string, names: string[]) =>
    names.length > 0 ? ` ${words}: ${names.join(', ')}.` : '';
  const first = list(`${failing.length} of ${asked} fail`, failing) || ` All ${asked} work.`;
  return `${first}${list('Look at', warned)}${list('Not asked', left)}\n`.trimStart();
}
