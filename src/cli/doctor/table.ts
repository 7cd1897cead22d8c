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

/** The columns in front of the text: the longest state, and the longest system, each with a gap. */
const STATE = 9;
const SYSTEM = 23;

/** The widest line: a pin fits into it. On a screen below the second width, the text stands below state and system. */
const WIDEST = 100;
const WIDE_ENOUGH = 76;

/** Renders one row. @param columns of the screen; a longer word is left whole, so that a pin can be copied */
export function renderFinding({ system, state, what, next, certificate }: Finding, columns: number): string {
  const isWide = columns >= WIDE_ENOUGH;
  const indent = isWide ? STATE + SYSTEM : 2;
  const width = Math.min(columns, WIDEST) - indent;
  const said = [what, ...(next === undefined ? [] : [`next: ${next}`])];
  if (certificate) {
    const { fingerprint, validTo } = certificate.presented;
    const day = validTo.toISOString().slice(0, 10);
    said.push(`certificate for ${certificate.setting}, valid to ${day}:`, `pin:${fingerprint}`);
  }
  const fitting = new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S+`, 'gm');
  const text = (said.join('\n').match(fitting) ?? [])
    .map((line) => `${' '.repeat(indent)}${line}\n`)
    .join('');
  const head = `${state.padEnd(STATE)}${system}`;
  return isWide ? head.padEnd(indent) + text.slice(indent) : `${head}\n${text}`;
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
