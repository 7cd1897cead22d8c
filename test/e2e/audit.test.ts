import { expect, it, vi } from 'vitest';
import { stageForTest } from '../stage.ts';
import { inThread } from './cards.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const UNKNOWN = '00:1B:54:00:00:99';
const FORBIDDEN = '00:1B:54:00:04:03';

it('a silent bot logs the audit alone: one line for each device, of a person and of an alert', async () => {
  const stage = await stageForTest({ LOG_LEVEL: 'silent', ALERTS_TOKEN: 'token-for-alerts' });
  const lines = () => stage.log.map((line) => JSON.parse(line));
  await stage.say(`lookup ${KNOWN} ${UNKNOWN}`);
  await stage.say('alerts here as noc', inThread('19:noc@thread.tacv2;messageid=7'));
  await stage.alert(`port down ${UNKNOWN}`, 'noc');
  await vi.waitFor(() => expect(lines()).toHaveLength(3), 20_000);
  const person = '00000000-0000-0000-0000-000000000001';
  const same = { msg: 'audit', by: 'message', conversation: 'personal-chat', account: 'service', person };
  const alert = { by: 'alert', alert: 'noc', conversation: '19:noc@thread.tacv2' };
  expect(lines()).toMatchObject([
    { ...same, asked: KNOWN, outcome: 'found', verdict: 'connected', tokens: 2, posted: 'yes' },
    { ...same, number: lines()[0]?.number, asked: UNKNOWN, posted: 'nothing' },
    { ...alert, asked: UNKNOWN, posted: 'yes' },
  ]);
});

it('AUDIT=0 turns the audit off', async () => {
  const stage = await stageForTest({ AUDIT: '0' });
  const { texts } = await stage.say(`lookup ${FORBIDDEN}`);
  expect(texts[0]).toMatch(/^Report number \d{6}\. Tell it to whoever runs the bot\.$/m);
  expect(stage.log.join()).not.toContain('"msg":"audit"');
});
