import { extractTokens } from '../../src/domain/tokens.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { timeOf } from '../time-of.ts';
import { verdict } from './table.ts';

/** Compares the token rule with the obvious regular expression. */
export async function* measureTokenRule(): AsyncGenerator<string> {
  const bodies = [2, 4, 8, 17].map((kilobytes) => ({ kilobytes, body: sessionOf(kilobytes * 1000) }));
  // One warm-up run for the compiler.
  for (const { body } of bodies)
    for (const rule of [extractTokens, byExpression]) microseconds(() => rule(body));
  for (const { kilobytes, body } of bodies) {
    if (byExpression(body).join() !== extractTokens(body).join()) throw new Error('the two rules differ');
    const ours = microseconds(() => extractTokens(body));
    const theirs = microseconds(() => byExpression(body));
    yield `${kilobytes} KB: ${ours.toFixed(1)} µs, the expression ${theirs.toFixed(1)} µs`;
    yield verdict(`times as fast on ${kilobytes} KB`, theirs / ours, 'at least', 3);
  }
  for (const [name, piece] of [
    ['letters', 'a'],
    ['underscores', '_'],
    ['underscores and colons', '_:'],
  ] as const) {
    const of = (bytes: number) => piece.repeat(bytes / piece.length);
    const [short, long] = [of(10_000), of(1_000_000)];
    const growth = microseconds(() => extractTokens(long)) / 100 / microseconds(() => extractTokens(short));
    yield verdict(`cost per byte of 1 MB of ${name}, relative to 10 KB`, growth, 'at most', 1.5);
  }
}

/** Measures many runs together, because the clock is too coarse for one run. */
function microseconds(task: () => unknown): number {
  let runs = 1;
  while (timeOf(() => repeat(task, runs)) < 20) runs *= 2;
  return (timeOf(() => repeat(task, runs)) / runs) * 1000;
}

function repeat(task: () => unknown, times: number): void {
  for (let run = 0; run < times; run++) task();
}

function byExpression(text: string): string[] {
  const runs = text.matchAll(/(?<!<\/?)(?<![\p{L}\p{Nd}_.-])[\p{L}\p{Nd}_.-]*_[\p{L}\p{Nd}_.-]*(?=[:<])/gu);
  return [...new Set(Array.from(runs, ([run]) => run).filter((run) => /[\p{L}\p{Nd}]/u.test(run)))];
}

function sessionOf(bytes: number): string {
  const other: Record<string, string> = { AuthorizationPolicyMatchedRule: 'Basic_Authenticated_Access' };
  while (sessionXml({ other }).length < bytes)
    other[`Attribute number ${Object.keys(other).length}`] = 'some value; and more';
  return sessionXml({ other });
}
