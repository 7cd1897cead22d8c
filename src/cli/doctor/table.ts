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
export function renderFinding(finding: Finding, columns: number): string {
  const width = Math.min(columns, WIDEST);
  const isWide = width >= WIDE_ENOUGH;
  const head = `${finding.state.padEnd(STATE)}${finding.system}`;
  const indent = isWide ? STATE + SYSTEM : 2;
  const texts = linesOf(finding, width - indent).map((text) => ' '.repeat(indent) + text);
  const [first = '', ...others] = texts;
  const lines = isWide ? [head.padEnd(indent) + first.slice(indent), ...others] : [head, ...texts];
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
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

function linesOf({ what, next, certificate }: Finding, width: number): string[] {
  const pin = certificate && [
    `certificate for ${certificate.setting}, valid to ${certificate.presented.validTo.toISOString().slice(0, 10)}:`,
    `pin:${certificate.presented.fingerprint}`,
  ];
  const said = next === undefined ? what : `${what}\nnext: ${next}`;
  return [...said.split('\n'), ...(pin ?? [])].flatMap((text) => wrap(text, width));
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
