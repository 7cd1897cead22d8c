import type { Finding } from './finding.ts';

/** The columns in front of the text: the longest state, and the longest system, each with a gap. */
const STATE = 9;
const SYSTEM = 23;

/** The widest line: a pin fits into it. */
const WIDEST = 100;

/** On a narrower screen the text stands below state and system. */
const WIDE_ENOUGH = 76;

/** Renders one row. @param columns of the screen; a longer word is left whole, so that a pin can be copied */
export function renderFinding(finding: Finding, columns: number): string {
  const width = Math.min(columns, WIDEST);
  const { state, system } = finding;
  const head = `${state.padEnd(STATE)}${system}`;
  if (width < WIDE_ENOUGH)
    return [head, ...linesOf(finding, width - 2).map((line) => `  ${line}\n`.trimEnd())]
      .join('\n')
      .concat('\n');
  const [first = '', ...rest] = linesOf(finding, width - STATE - SYSTEM);
  const lines = [
    `${head.padEnd(STATE + SYSTEM)}${first}`,
    ...rest.map((line) => ' '.repeat(STATE + SYSTEM) + line),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Says what is to be looked at, at the end of the table, where a small screen shows it. */
export function renderSummary(findings: readonly Finding[]): string {
  const named = (state: Finding['state']) =>
    findings.filter((each) => each.state === state).map(({ system }) => system);
  const [failing, warned, skipped] = [named('FAILS'), named('warning'), named('skipped')];
  const asked = findings.length - skipped.length;
  const verdict =
    failing.length === 0
      ? `All ${asked} work.`
      : `${failing.length} of ${asked} fail: ${failing.join(', ')}.`;
  const looks = warned.length === 0 ? '' : ` Look at: ${warned.join(', ')}.`;
  const left = skipped.length === 0 ? '' : ` Not asked: ${skipped.join(', ')}.`;
  return `${verdict}${looks}${left}\n`;
}

function linesOf({ what, next, certificate }: Finding, width: number): string[] {
  const pin = certificate && [
    `certificate for ${certificate.setting}, valid to ${certificate.presented.validTo.toISOString().slice(0, 10)}:`,
    `pin:${certificate.presented.fingerprint}`,
  ];
  const said = next === undefined ? what : `${what}\nnext: ${next}`;
  const texts = [...said.split('\n'), ...(pin ?? [])];
  return texts.flatMap((text) => wrap(text, width));
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
