import type { Certificate } from '../../http/trust.ts';

/** What the doctor found of one system. No text holds a secret, or what a system said in its own words. */
export type Finding = {
  system: string;
  /** `FAILS`: the bot cannot do its work there. `skipped`: nobody was asked, for a reason that is said. */
  state: 'works' | 'warning' | 'FAILS' | 'skipped';
  /** What was found, and why. Here and in `next`, a line break stays one. */
  what: string;
  /** The next step; undefined if there is nothing to do, or `what` says it. */
  next?: string | undefined;
  /** The certificate that the system presented, and the setting that can pin it. */
  certificate?: { presented: Certificate; setting: string } | undefined;
};

/** What was found, before it is said of which system. */
export type Diagnosis = Omit<Finding, 'system'>;

export const works = (what: string): Diagnosis => ({ state: 'works', what });
export const warning = (what: string, next: string): Diagnosis => ({ state: 'warning', what, next });
export const fails = (what: string, next?: string): Diagnosis => ({ state: 'FAILS', what, next });
export const skipped = (what: string): Diagnosis => ({ state: 'skipped', what });

/** One row: state, system and what was found, then the next step. A screen of any width breaks these lines. */
export function renderFinding({ system, state, what, next, certificate }: Finding): string {
  const said = [what, ...(next === undefined ? [] : [`next: ${next}`])];
  if (certificate) {
    const { fingerprint, validTo } = certificate.presented;
    const day = validTo.toISOString().slice(0, 10);
    said.push(`certificate for ${certificate.setting}, valid to ${day}:`, `pin:${fingerprint}`);
  }
  const [first = '', ...rest] = said
    .join('\n')
    .split('\n')
    .map((line) => line.trim());
  return [`${state.padEnd(9)}${system.padEnd(23)}${first}\n`, ...rest.map((line) => `  ${line}\n`)].join('');
}

/** Says what is to be looked at, at the end of the table, where a small screen shows it. */
export function renderSummary(findings: readonly Finding[]): string {
  const named = (state: Finding['state']) =>
    findings.filter((each) => each.state === state).map(({ system }) => system);
  const [failing, warned, left] = [named('FAILS'), named('warning'), named('skipped')];
  const asked = findings.length - left.length;
  const said = [
    failing.length > 0 ? `${failing.length} of ${asked} fail: ${failing.join(', ')}.` : `All ${asked} work.`,
    ...(warned.length > 0 ? [`Look at: ${warned.join(', ')}.`] : []),
    ...(left.length > 0 ? [`Not asked: ${left.join(', ')}.`] : []),
  ];
  return `${said.join(' ')}\n`;
}
