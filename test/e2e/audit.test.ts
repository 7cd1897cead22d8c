import { expect, it, vi } from 'vitest';
import { FAST, stageForTest } from '../stage.ts';
import { ALERTS_TOKEN, nameChannel } from './alert-stage.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const UNKNOWN = '00:1B:54:00:00:99';
const FORBIDDEN = '00:1B:54:00:04:03';

it('a silent bot logs the audit alone, unless AUDIT is 0: one line for each device, of a person and of an alert', async () => {
  const stage = await stageForTest({ LOG_LEVEL: 'silent', ALERTS_TOKEN });
  const lines = () => stage.log.map((line) => JSON.parse(line));
  await stage.say(`lookup ${KNOWN} ${UNKNOWN}`);
  await nameChannel(stage);
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
  await stage.restart({ AUDIT: '0' });
  expect((await stage.say(`lookup ${FORBIDDEN}`)).texts[0]).toMatch(/^Report number \d{6}\./m);
  expect(lines()).toHaveLength(3);
});

it('each line about a question has the number that its answer names, while it happens and for its jobs', async () => {
  const stage = await stageForTest({ WEBHOOK_TOKEN: 'gone', ALERTS_TOKEN }, FAST);
  const numberIn = (text: string | undefined) => Number(/Report number (\d{6})\./.exec(text ?? '')?.[1]);
  const told = (msg: string) => stage.log.map((line) => JSON.parse(line)).filter((line) => line.msg === msg);
  const { texts } = await stage.say(`lookup ${KNOWN} ${FORBIDDEN}`);
  const number = numberIn(texts.at(-1));
  expect(told('a lookup failed')).toMatchObject([
    { number, level: 40, asked: FORBIDDEN, outcome: 'forbidden' },
  ]);
  expect(told('not posted')).toMatchObject([{ number, level: 40, outcome: 'not found' }]);

  stage.log.splice(0);
  await nameChannel(stage);
  await stage.alert(`port down ${FORBIDDEN}`, 'noc');
  await vi.waitFor(() => expect(told('not posted')).not.toEqual([]), 20_000);
  await vi.waitFor(() => expect(told('audit')).not.toEqual([]), 20_000);
  const [audit] = told('audit');
  expect(told('a lookup failed')).toMatchObject([{ number: audit.number, asked: FORBIDDEN }]);
  expect(told('not posted')).toMatchObject([{ number: audit.number }]);
});
