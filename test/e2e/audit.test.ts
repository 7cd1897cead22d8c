import { expect, it, vi } from 'vitest';
import { FAST, stageForTest } from '../stage.ts';
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

it('each line about a question has the number that its answer names, while it happens and for its jobs', async () => {
  const stage = await stageForTest({ WEBHOOK_TOKEN: 'gone', ALERTS_TOKEN: 'token-for-alerts' }, FAST);
  const numberIn = (text: string | undefined) => Number(/Report number (\d{6})\./.exec(text ?? '')?.[1]);
  const told = (msg: string) => stage.log.map((line) => JSON.parse(line)).filter((line) => line.msg === msg);
  const { texts } = await stage.say(`lookup ${KNOWN} ${FORBIDDEN}`);
  const number = numberIn(texts.at(-1));
  expect(told('a lookup failed')).toMatchObject([
    { number, level: 40, asked: FORBIDDEN, outcome: 'forbidden' },
  ]);
  expect(told('not posted')).toMatchObject([{ number, level: 40, outcome: 'not found' }]);

  stage.log.splice(0);
  await stage.say('alerts here as noc', inThread('19:noc@thread.tacv2;messageid=7'));
  stage.replies.splice(0);
  await stage.alert(`port down ${FORBIDDEN}`, 'noc');
  await vi.waitFor(() => expect(told('not posted')).not.toEqual([]), 20_000);
  await vi.waitFor(() => expect(told('audit')).not.toEqual([]), 20_000);
  const [audit] = told('audit');
  expect(told('a lookup failed')).toMatchObject([{ number: audit.number, asked: FORBIDDEN }]);
  expect(told('not posted')).toMatchObject([{ number: audit.number }]);
});

it('AUDIT=0 turns the audit off', async () => {
  const stage = await stageForTest({ AUDIT: '0' });
  const { texts } = await stage.say(`lookup ${FORBIDDEN}`);
  expect(texts[0]).toMatch(/^Report number \d{6}\. Tell it to whoever runs the bot\.$/m);
  expect(stage.log.join()).not.toContain('"msg":"audit"');
});
