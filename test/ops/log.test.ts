import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { createLog, openStdout } from '../../src/ops/log.ts';

/** Opens a log with these secrets. `lines` is its output; `change` reports a change of a secret. */
function openLog(level = 'info', values: ReadonlyArray<string | (() => string)> = []) {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const secrets = () => values.map((value) => (typeof value === 'string' ? value : value()));
  let change = () => {};
  const watch = (listener: () => void) => {
    change = listener;
  };
  const log = createLog({ level, secrets, watch, destination });
  return { log, lines: () => written.join(''), change: () => change() };
}

const read = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the log', () => {
  it("writes only an error's type, message, code and stack", () => {
    const { log, lines } = openLog();
    const more = { code: 'ETORN', row: 'canary', request: { body: 'canary' }, cause: new Error('canary') };
    log.error({ err: Object.assign(new TypeError('torn'), more) }, 'failed');
    log.error({ err: { name: 'Error', message: 'torn', code: 'ETORN', queue: 'canary' } }); // Some libraries emit such.
    const kept = { message: 'torn', code: 'ETORN' };
    const errors = ['TypeError', 'Error'].map((type) => ({ err: { ...kept, type } }));
    expect(read(lines())).toMatchObject(errors);
    expect(lines()).not.toContain('canary');
  });

  it('strikes out secrets, in an address too, changed and replaced ones', () => {
    let secret = 'canary-old';
    const reveal = vi.fn(() => secret);
    const { log, lines, change } = openLog('info', ['canary/1&2', 'canary', 'canary-two', reveal]);
    log.error({ err: new Error('POST https://x/webhook/canary%2F1%262 failed with canary-two, canary/1&2') });
    log.error({ held: new Secret('canary'), inner: { held: new Secret('canary') } });
    secret = 'canary-new';
    change();
    log.error('canary-old, canary-new');
    expect(lines()).not.toMatch(/canary|-two|1&2|%262|-old|-new/);
    expect(reveal).toHaveBeenCalledTimes(2); // No line looks at a secret's file.
  });

  it('shows invisible characters, in errors too', () => {
    const { log, lines } = openLog();
    const user = 'alex\u202e\u200b';
    log.info({ user, err: new Error(user) }, user);
    const shown = 'alex\\u{202e}\\u{200b}';
    expect(read(lines())).toMatchObject([{ user: shown, msg: shown, err: { message: shown } }]);
  });
});

it('the log writes one line for any name, without secrets', () => {
  const { log, lines } = openLog('info', ['canary-"1']);
  const alert = '"}\n{"level":30,"msg":"audit","number":1}\r\u2028<b>**x**\u202e';
  log.info({ person: 'x canary-"1', conversation: 'canary-%221', alert });
  const named = { person: 'x [secret]', alert: expect.stringMatching(/<b>\*\*x\*\*\\u\{202e\}$/) };
  expect(read(lines())).toMatchObject([{ conversation: '[secret]', ...named }]);
});

const LINE = `{"msg":"${'x'.repeat(60)}"}\n`;

/** A reader that takes 64 KB, then nothing at the next try. */
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

it('standard output loses no line to a slow reader, not even at the end', () => {
  const { reader, stdout } = openReader();
  for (let line = 0; line < 10_000; line++) stdout.write(LINE);
  stdout.flushSync();
  expect(reader.text).toBe(LINE.repeat(10_000));
});

it('standard output waits a second for a reader that reads nothing', () => {
  const { reader, stdout } = openReader();
  vi.useFakeTimers();
  reader.mode = 'silent';
  for (let line = 0; line < 30_000; line++) {
    stdout.write(LINE);
    if (line % 1000 === 0) vi.runOnlyPendingTimers();
  }
  vi.useRealTimers();
  const begun = performance.now();
  stdout.flushSync();
  expect(performance.now() - begun).toBeGreaterThan(900);
  expect(performance.now() - begun).toBeLessThan(5000);
  reader.mode = 'slow';
  stdout.flushSync();
  expect(reader.text.length).toBeGreaterThan(1024 * 1024);
  expect(reader.text.length).toBeLessThan(1.5 * 1024 * 1024);
});

it('standard output drops lines whose reader is gone, and goes on', () => {
  const { reader, stdout } = openReader();
  reader.mode = 'gone';
  stdout.write(LINE);
  stdout.flushSync();
  reader.mode = 'slow';
  stdout.write('next\n');
  stdout.flushSync();
  expect(reader.text).toBe('next\n');
});
