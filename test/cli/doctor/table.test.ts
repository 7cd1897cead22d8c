import { describe, expect, it } from 'vitest';
import { type Finding, renderFinding, renderSummary } from '../../../src/cli/doctor/table.ts';

describe('the table', () => {
  it('has state, system and finding on one line, the rest below', () => {
    const said = { what: 'refused', next: 'name the authority', below: 'certificate:\npin:AB' };
    const row = renderFinding({ system: 'authorization service', state: 'FAILS', ...said });
    const below = '  next: name the authority\n  certificate:\n  pin:AB\n';
    expect(row).toBe(`FAILS    authorization service  refused\n${below}`);
  });

  it('ends with what is to be looked at', () => {
    const row = (system: string, state: Finding['state']): Finding => ({ system, state, what: 'x' });
    const rows = [row('NAC', 'FAILS'), row('clock', 'warning'), row('database', 'skipped')];
    expect(renderSummary(rows)).toBe('FAILS: NAC. Warnings: clock. Not asked: database.\n');
  });
});
