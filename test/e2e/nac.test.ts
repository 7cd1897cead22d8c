import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { serveSecurely } from '../cli/secure-server.ts';
import { answer, serve } from '../serve.ts';
import { openReadyStage, openStage } from '../stage.ts';
import { inThread } from './cards.ts';

/** A bot whose NAC answers so, the paths that the NAC was asked for, and what asks in a person's name. */
async function open(answerTo: (path: string, response: ServerResponse) => void) {
  const asked: string[] = [];
  const NAC_URL = await serve(({ url = '' }, response) => {
    asked.push(url);
    answerTo(url, response);
  });
  const settings = { NAC_URL, NAC_HISTORY: '0', NAC_TIMEOUT_MS: '300', ALERTS_TOKEN: 'a-token-of-alerts' };
  const stage = await openReadyStage(settings, { timing: { lookups: { firstMs: 100, mostMs: 500 } } });
  onTestFinished(stage.close);
  const ask = async (id: string, what: string) =>
    (await stage.say(`lookup ${what}`, { channelId: 'sms', from: { id } })).texts.join('\n');
  return { stage, asked, ask };
}

const device = (number: number) => `00:1B:54:00:88:${String(number).padStart(2, '0')}`;

describe('a NAC that fails', () => {
  it('for what one person asks is asked for everyone else', async () => {
    const { ask } = await open((path, response) => {
      if (path.includes('EndPointIPAddress')) answer(response, 500, {}, '');
      else answer(response, 200, { 'content-type': 'application/xml' }, sessionXml({ other: {} }));
    });
    const answers: string[] = [];
    for (let round = 0; round < 4; round++) {
      const ips = Array.from({ length: 5 }, (_, index) => `198.51.100.${10 * round + index}`);
      await ask('mallory', ips.join(' '));
      if (round === 0) expect(await ask('mallory', '198.51.100.200')).toMatch(/I ask for you again in/);
      for (let index = 0; index < 6; index++) answers.push(await ask(`person${index}`, device(index)));
    }
    expect(answers).toEqual(Array.from({ length: 24 }, () => expect.stringContaining('connected')));
  });

  it('is left alone by a sender that floods it with alerts, and by that sender only', async () => {
    const { stage, asked, ask } = await open((_, response) => answer(response, 500, {}, ''));
    await stage.say('alerts here as flood', inThread('19:noc@thread.tacv2;messageid=1'));
    for (let alert = 0; alert < 10; alert++) {
      const macs = Array.from({ length: 8 }, (_, index) => device(8 * alert + index)).join(' ');
      expect(await stage.alert(`down: ${macs}`, 'flood')).toBe(202);
    }
    await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(5));
    stage.skip(10 * 60_000); // The alerts are told without an answer.
    await vi.waitFor(() => expect(stage.replies.length).toBeGreaterThan(10), 20_000);
    expect(asked.length).toBeLessThan(15);
    expect(await ask('alex', device(99))).toContain('HTTP status 500');
  });
});

it.each(['1', '0'])(
  'with NAC_HISTORY=%s, a device that is not connected is explained',
  async (NAC_HISTORY) => {
    const isOn = NAC_HISTORY === '1';
    const stage = await openStage({ NAC_HISTORY });
    onTestFinished(stage.close);
    const attempts = () => stage.sandbox.nacSisterCalls.filter(({ path }) => path.includes('/AuthStatus/'));
    const linesOf = async (question: string) =>
      (await stage.say(question, { channelId: 'sms' })).texts.join('\n').split(/ *\n/);
    await linesOf('AA:BB:CC:DD:EE:FF');
    expect(stage.sandbox.nacSisterCalls).toEqual([]);
    const refused =
      /no session\. Refused 10 times, last 7 minutes ago on `sw-floor2-17 Gi1\/0\/15`: .* \(22056\)\.$/;
    expect(await linesOf('00:1B:54:00:00:21')).toEqual([
      expect.stringMatching(isOn ? refused : /no session\. The NAC knows of no current session\. Is the/),
      'The NAC knows it: group `Profiled`.',
      'Maker: `Cisco Systems, Inc`',
    ]);
    await linesOf('00:1B:54:00:00:03');
    expect(attempts()).toHaveLength(isOn ? 2 : 0);
    expect(stage.posts().at(-1)).toBe(
      '00:1B:54:00:00:03 rejected, sw-floor2-17 Gi1/0/15\nBlacklist_Access-Reject',
    );
  },
);

it('a NAC that does not know the call for attempts is asked once, which the log tells', async () => {
  const nac = createNac({
    accounts: [SERVICE_ACCOUNT],
    sisters: (_, response) => answer(response, 404, { 'content-type': 'text/html' }, '<html></html>'),
  });
  const { url, close } = await listen(nac.server);
  onTestFinished(close);
  const stage = await openStage({
    NAC_URL: url,
    ENDPOINTS_URL: '',
    ENDPOINTS_USERNAME: '',
    ENDPOINTS_PASSWORD: '',
  });
  onTestFinished(stage.close);
  for (const device of ['00:1B:54:00:00:21', '00:1B:54:00:00:03'])
    expect((await stage.say(device)).texts.join()).not.toContain('attempt');
  expect(nac.sisterCalls).toHaveLength(1);
  expect(stage.log.filter((line) => line.includes('it is left alone for an hour'))).toHaveLength(1);
});

it('NAC_TLS decides whether the NAC is asked, and the answer names it', async () => {
  let requests = 0;
  const { url, pin } = await serveSecurely((_, response) => {
    requests++;
    answer(response, 200, { 'content-type': 'application/xml' }, sessionXml({}));
  });
  const stage = await openStage({ NAC_URL: url, NAC_HISTORY: '0' });
  onTestFinished(stage.close);
  const ask = async () => (await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0];
  expect(await ask()).toMatch(/comes from an authority that the bot does not trust\..* can check NAC_TLS\./);
  await stage.restart({ NAC_TLS: `pin:${'00'.repeat(32)}` });
  expect(await ask()).toContain('the certificate of the NAC does not match its pin.');
  expect(requests).toBe(0);
  await stage.restart({ NAC_TLS: `pin:${'00'.repeat(32)},${pin.slice('pin:'.length)}` });
  expect(await ask()).toContain('connected.');
});
