import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { answer, says, serve } from '../serve.ts';
import { stageForTest } from '../stage.ts';
import { newFolder } from '../store/engines.ts';
import { buttonsOf, inThread, only, pressing } from './cards.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';

it('a NAC that fails is left alone by a sender that floods it with alerts, and by that sender only', async () => {
  const device = (number: number) => `00:1B:54:00:88:${String(number).padStart(2, '0')}`;
  let asked = 0;
  const NAC_URL = await serve((_, response) => {
    asked++;
    answer(response, 500, {}, '');
  });
  const settings = { NAC_URL, NAC_HISTORY: '0', ALERTS_TOKEN: 'a-token-of-alerts' };
  const stage = await stageForTest(settings, { timing: { lookups: { firstMs: 100, mostMs: 500 } } });
  await stage.say('alerts here as flood', inThread('19:noc@thread.tacv2;messageid=1'));
  for (let alert = 0; alert < 10; alert++) {
    const macs = Array.from({ length: 8 }, (_, index) => device(8 * alert + index)).join(' ');
    expect(await stage.alert(`down: ${macs}`, 'flood')).toBe(202);
  }
  await vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(5));
  stage.skip(10 * 60_000); // The alerts are told without an answer.
  await vi.waitFor(() => expect(stage.replies.length).toBeGreaterThan(10), 20_000);
  expect(asked).toBeLessThan(15);
  expect((await stage.say(`lookup ${device(99)}`)).texts.join()).toContain('HTTP status 500');
});

it.each(['1', '0'])(
  'with NAC_HISTORY=%s, a device that is not connected is explained',
  async (NAC_HISTORY) => {
    const isOn = NAC_HISTORY === '1';
    const stage = await stageForTest({ NAC_HISTORY });
    const ask = async (text: string) => (await stage.say(text, { channelId: 'sms' })).texts[0]?.split(/ *\n/);
    await ask('AA:BB:CC:DD:EE:FF');
    expect(stage.sandbox.nacSisterCalls).toEqual([]);
    const refused =
      /no session\. Refused at least 10 times, last 7 minutes ago on `sw-floor2-17 Gi1\/0\/15`: .* \(22056\)\.$/;
    expect(await ask('00:1B:54:00:00:21')).toEqual([
      expect.stringMatching(isOn ? refused : /no session\. The NAC knows of no current session\. Is the/),
      'The NAC knows it: group `Profiled`.',
      'Maker: `Cisco Systems, Inc`',
    ]);
    const attempts = stage.sandbox.nacSisterCalls.filter(({ path }) => path.includes('/AuthStatus/'));
    expect(attempts).toHaveLength(isOn ? 1 : 0);
  },
);

it('a NAC that does not know the call for attempts is left alone for an hour, which the log tells', async () => {
  const nac = createNac({ accounts: [SERVICE_ACCOUNT], sisters: says(404) });
  const stage = await stageForTest({ NAC_URL: await serve(nac.server) });
  await stage.say('00:1B:54:00:00:21');
  expect(stage.log.join()).toContain('it is left alone for an hour');
});

it("the bot's refused credentials rest until their file changes", async () => {
  const NAC_PASSWORD_FILE = join(await newFolder(), 'nac-password');
  await writeFile(NAC_PASSWORD_FILE, 'wrong\n');
  const stage = await stageForTest({ NAC_PASSWORD: '', NAC_PASSWORD_FILE });
  expect((await stage.say(LOOKUP)).texts[0]).toMatch(
    /^credentials refused\. .* I do not try them again for \d+ s\./,
  );
  const many = await Promise.all(Array.from({ length: 5 }, () => stage.say('lookup 00:1B:54:00:00:01')));
  expect(many[0]?.texts[0]).toMatch(/^not asked\. .* I leave them alone for \d+ s more, /);
  expect(stage.sandbox.nacCalls).toHaveLength(1);
  expect((await stage.say('status')).texts[0]).toContain('the NAC refused these credentials; they rest for');
  await writeFile(NAC_PASSWORD_FILE, 'sandbox\n');
  const isConnected = async () => expect((await stage.say(LOOKUP)).texts[0]).toContain('connected.');
  await vi.waitFor(isConnected, { timeout: 5000, interval: 200 }); // A file is checked at most once a second.
});

it('a refused account is asked once within a minute, however often the bot is restarted', async () => {
  const stage = await stageForTest({ NAC_PASSWORD: 'wrong' });
  for (let restart = 0; restart < 6; restart++) {
    expect((await stage.say(LOOKUP)).texts[0]).toMatch(/^credentials refused|^not asked/);
    await stage.restart();
  }
  expect(stage.sandbox.nacCalls).toHaveLength(1);
});

it("connecting runs a person's lookups under that person's account, until disconnected", async () => {
  const stage = await stageForTest();
  const form = only((await stage.say('connect')).replies);
  const { value, ...press } = pressing(buttonsOf(form)[0], form.id);
  const typed = { ...Object(value), username: 'alex', password: 'alex' };
  expect((await stage.say('', { ...press, value: typed })).texts[1]).toMatch(
    /^Connected as `alex` until .+\n\nAPI key: issued, until .+ {2}\nticket: issued, until .+$/,
  );
  const [own] = (await stage.say(LOOKUP)).texts;
  const [other] = (await stage.say(LOOKUP, { from: { id: 'user-2', name: 'Patti' } })).texts;
  await stage.say('disconnect');
  const [after] = (await stage.say(LOOKUP)).texts;
  expect([own, other, after].map((text) => text?.includes(' · own account'))).toEqual([true, false, false]);
  expect(JSON.stringify(stage.sandbox.room.posts())).not.toContain('own account');
  expect(stage.sandbox.nacCalls.map(({ username }) => username)).toEqual(['alex', 'sandbox', 'sandbox']);
});

it('status says how each system is trusted and which credential an exchange refused, never a credential', async () => {
  const stage = await stageForTest({
    NAC_TLS: 'insecure',
    WEBHOOK_TLS: `pin:${'ab'.repeat(32)}`,
    TICKET_PASSWORD: 'wrong',
  });
  const [text] = (await stage.say('status')).texts;
  for (const line of [
    'API key: held since ',
    'ticket: refused by the ticket service',
    'Your own account:  \nnot connected',
    'NAC: ⚠ insecure',
    'webhook: pin',
    'authorization service: verify',
    'NAC: not asked yet',
  ])
    expect(text).toContain(line);
  expect(text).not.toMatch(/ST-|[0-9a-f]{8}-[0-9a-f]{4}/);
  expect(stage.log.join('\n')).toContain('TLS is insecure');
});
