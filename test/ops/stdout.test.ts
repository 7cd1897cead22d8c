import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const LINES = 10_000;
const LINE = `{"msg":"${'x'.repeat(60)}"}\n`;

describe('standard output', () => {
  it('loses no line to a slow reader, not even at the end', async () => {
    const child = writeLines('process.exit(3);');
    const exit = once(child, 'exit');
    await once(child.stderr, 'data'); // Everything is written by now, and nothing is read.
    expect(await text(child.stdout)).toBe(LINE.repeat(LINES));
    expect(await exit).toEqual([3, null]);
  });

  it('lets the process end though nobody ever reads', async () => {
    const child = writeLines('process.exit(3);');
    expect(await once(child, 'exit')).toEqual([3, null]);
    child.stdout.destroy();
  });

  it('lets the process go on though nobody can read any more', async () => {
    const child = writeLines("setTimeout(() => process.stderr.write('went on'), 200);");
    child.stdout.destroy();
    const exit = once(child, 'exit');
    expect(await text(child.stderr)).toBe('written\nwent on');
    expect(await exit).toEqual([0, null]);
  });
});

/** A process that writes many lines, says so on stderr, and goes on with a script. */
function writeLines(script: string): ChildProcessByStdio<null, Readable, Readable> {
  const stdout = fileURLToPath(new URL('../../src/ops/stdout.ts', import.meta.url));
  const code = `
    import { openStdout } from '${stdout}';
    const stdout = openStdout();
    for (let line = 0; line < ${LINES}; line++) stdout.write(${JSON.stringify(LINE)});
    process.stderr.write('written\\n');
    ${script}`;
  return spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
