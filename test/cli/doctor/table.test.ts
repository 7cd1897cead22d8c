import { expect, it } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { renderFinding, renderSummary } from '../../../src/cli/doctor/table.ts';

const PIN = 'AB'.repeat(32);

const FINDING: Finding = {
  system: 'authorization service',
  state: 'FAILS',
  what: 'the certificate of keys.example.com comes from an authority that is not trusted',
  next: 'name the authority in AUTHORIZE_TLS=ca:FILE',
  certificate: {
    presented: { fingerprint: PIN, validTo: new Date('2027-01-05T10:00:00Z') },
    setting: 'AUTHORIZE_TLS',
  },
};

it.each([100, 120])('stands in three columns, 100 wide, on a screen of %i', (columns) => {
  expect(renderFinding(FINDING, columns)).toBe(
    `FAILS    authorization service  the certificate of keys.example.com comes from an authority that is
                                not trusted
                                next: name the authority in AUTHORIZE_TLS=ca:FILE
                                certificate for AUTHORIZE_TLS, valid to 2027-01-05:
                                pin:${PIN}
`,
  );
});

it('stands one below the other on a phone, and a pin stays whole', () => {
  expect(renderFinding(FINDING, 44)).toBe(
    `FAILS    authorization service
  the certificate of keys.example.com comes
  from an authority that is not trusted
  next: name the authority in
  AUTHORIZE_TLS=ca:FILE
  certificate for AUTHORIZE_TLS, valid to
  2027-01-05:
  pin:${PIN}
`,
  );
});

it('ends with what is to be looked at', () => {
  const row = (system: string, state: Finding['state']): Finding => ({ system, state, what: 'x' });
  expect(renderSummary([row('NAC', 'works'), row('clock', 'works')])).toBe('All 2 work.\n');
  expect(
    renderSummary([
      row('NAC', 'FAILS'),
      row('webhook', 'FAILS'),
      row('clock', 'warning'),
      row('database', 'skipped'),
    ]),
  ).toBe('2 of 3 fail: NAC, webhook. Look at: clock. Not asked: database.\n');
});
