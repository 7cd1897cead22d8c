import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { createLog } from '../../src/ops/log.ts';

describe('the log', () => {
  it('strikes secrets out of errors, whoever wrote them, as they are and as they stand in addresses', () => {
    const { log, lines } = openLog(['canary/1&2', 'canary-two']);
    log.error({ err: new Error('POST https://x/webhook/canary%2F1%262 failed with canary-two, canary/1&2') });
    expect(lines()).not.toContain('canary');
    expect(lines()).toContain('[secret]');
  });

  it("holds only an error's type, message, code and stack", () => {
    const { log, lines } = openLog([]);
    const error = Object.assign(new TypeError('torn'), {
      code: 'ETORN',
      row: 'canary',
      request: { body: 'canary' },
    });
    log.error({ err: Object.assign(error, { cause: new Error('canary') }) }, 'failed');
    expect(JSON.parse(lines())).toMatchObject({ err: { type: 'TypeError', message: 'torn', code: 'ETORN' } });
    expect(lines()).not.toContain('canary');
  });

  it('describes an error that a library emits as a plain object', () => {
    const { log, lines } = openLog([]);
    log.error({ err: { name: 'Error', message: 'torn', code: 'ETORN', queue: 'post' } });
    expect(JSON.parse(lines()).err).toEqual({ type: 'Error', message: 'torn', code: 'ETORN' });
  });

  it.each(['password', 'token', 'authorization', 'connectionString'])('hides a value named "%s"', (name) => {
    const { log, lines } = openLog([]);
    log.info({ [name]: 'canary', inner: { [name]: 'canary' } });
    expect(lines()).not.toContain('canary');
  });

  it('prints a secret as such', () => {
    const { log, lines } = openLog([]);
    log.info({ held: new Secret('canary'), inner: { held: new Secret('canary') } });
    expect(lines()).toContain('[secret]');
    expect(lines()).not.toContain('canary');
  });

  it('follows a secret that changes', () => {
    let value = 'canary-old';
    const written: string[] = [];
    const secrets = [new Secret(() => value)];
    const log = createLog({
      level: 'info',
      secrets,
      destination: { write: (line) => void written.push(line) },
    });
    value = 'canary-new';
    log.error({ err: new Error('canary-new') });
    expect(written.join('')).not.toContain('canary');
  });

  it('shows invisible characters', () => {
    const { log, lines } = openLog([]);
    log.info({ user: 'alex\u202e\u200b' }, 'asked');
    expect(lines()).toContain('alex\\\\u{202e}\\\\u{200b}');
  });
});

function openLog(secrets: readonly string[]) {
  const written: string[] = [];
  const log = createLog({
    level: 'info',
    secrets: secrets.map((value) => new Secret(value)),
    destination: { write: (line) => void written.push(line) },
  });
  return { log, lines: () => written.join('') };
}
