import { describe, expect, it } from 'vitest';
import { openStdout } from '../../src/ops/stdout.ts';

const LINES = 10_000;
const LINE = `{"msg":"${'x'.repeat(60)}"}\n`;

/** A reader that takes 64 KB, then nothing until it is asked again. */
function openReader() {
  const reader = { text: '', mode: 'slow' as 'slow' | 'gone' | 'silent', tookLast: false };
  const write = (bytes: Buffer): number => {
    if (reader.mode === 'gone') throw Object.assign(new Error(), { code: 'EPIPE' });
    reader.tookLast = reader.mode === 'slow' && !reader.tookLast;
    if (!reader.tookLast) throw Object.assign(new Error(), { code: 'EAGAIN' });
    const taken = bytes.subarray(0, 65_536);
    reader.text += taken.toString('latin1');
    return taken.length;
  };
  return { reader, stdout: openStdout(write) };
}

describe('standard output', () => {
  it('loses no line to a slow reader, not even at the end', () => {
    const { reader, stdout } = openReader();
    for (let line = 0; line < LINES; line++) stdout.write(LINE);
    stdout.flushSync();
    expect(reader.text).toBe(LINE.repeat(LINES));
  });

  it('gathers lines, and writes them soon', async () => {
    const { reader, stdout } = openReader();
    stdout.write(LINE);
    stdout.write(LINE);
    expect(reader.text).toBe('');
    await expect.poll(() => reader.text).toBe(LINE.repeat(2));
  });

  it('waits a second at the end for somebody who never reads, and keeps a bounded number of lines', () => {
    const { reader, stdout } = openReader();
    reader.mode = 'silent';
    for (let line = 0; line < 30_000; line++) {
      stdout.write(LINE);
      if (line % 1000 === 0) stdout.flush(() => {});
    }
    const begun = performance.now();
    stdout.flushSync();
    expect(performance.now() - begun).toBeGreaterThan(900);
    expect(performance.now() - begun).toBeLessThan(5000);
    reader.mode = 'slow';
    stdout.flushSync();
    expect(reader.text.length).toBeGreaterThan(1024 * 1024);
    expect(reader.text.length).toBeLessThan(1.5 * 1024 * 1024);
  });

  it('drops lines that nobody can read any more, and goes on', () => {
    const { reader, stdout } = openReader();
    reader.mode = 'gone';
    stdout.write(LINE);
    stdout.flushSync();
    reader.mode = 'slow';
    stdout.write('next\n');
    stdout.flushSync();
    expect(reader.text).toBe('next\n');
  });
});
