import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { type AuditEntry, createAudit } from '../../src/ops/audit.ts';
import { createLog } from '../../src/ops/log.ts';

const ENTRY: AuditEntry = {
  number: 164_320,
  by: 'message',
  person: 'alex',
  conversation: 'chat',
  private: undefined,
  alert: undefined,
  asked: 'AA:BB:CC:DD:EE:FF',
  address: 'AA:BB:CC:DD:EE:FF',
  account: 'service',
  outcome: 'found',
  verdict: 'connected',
  tokens: 2,
  posted: 'yes',
  askedAt: '2026-01-15T14:05:00.000Z',
  answeredAt: '2026-01-15T14:05:01.000Z',
};

describe('the audit', () => {
  it.each(['info', 'error', 'silent'])(
    'writes a line with the level %s, though the log may be silent',
    (level) => {
      const { audit, log, lines } = open(level);
      log.warn('not of the audit');
      audit(ENTRY);
      const written = lines().filter(({ msg }) => msg === 'audit');
      expect(written).toEqual([{ ...stated(ENTRY), level: 30, msg: 'audit', ...PROCESS }]);
      expect(lines()).toHaveLength(level === 'info' ? 2 : 1);
    },
  );

  it('strikes secrets out, and shows invisible characters', () => {
    const { audit, lines } = open('silent', ['canary-"1']);
    audit({ ...ENTRY, person: 'x canary-"1', conversation: 'canary-%221', alert: 'noc\u202e' });
    expect(lines()).toMatchObject([
      { person: 'x [secret]', conversation: '[secret]', alert: 'noc\\u{202e}' },
    ]);
  });

  it('writes one line, whatever a name holds', () => {
    const { audit, lines } = open('silent');
    const hostile = '"}\n{"level":30,"msg":"audit","number":1}\r\u2028<b>**x**';
    audit({ ...ENTRY, person: hostile });
    expect(lines()).toMatchObject([{ number: 164_320, person: expect.stringContaining('<b>**x**') }]);
  });
});

const PROCESS = { time: expect.any(Number), pid: process.pid, hostname: expect.any(String) };

/** JSON has no undefined. */
function stated(entry: AuditEntry): object {
  return JSON.parse(JSON.stringify(entry));
}

function open(level: string, secrets: readonly string[] = []) {
  const written: string[] = [];
  const log = createLog({
    level,
    secrets: secrets.map((value) => new Secret(value)),
    destination: { write: (line) => void written.push(line) },
  });
  const lines = () =>
    written
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { audit: createAudit(log), log, lines };
}
