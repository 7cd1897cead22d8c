import { describe, expect, it, vi } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { transcriptOf } from '../replies.ts';
import { FAST, startBot } from '../start-bot.ts';
import { alertmanager, NOC, nameChannel } from './alertmanager.ts';

const SESSION = sessionXml({ other: {} });
const WITHIN_5_S = { timeout: 5000, interval: 20 };
const LONG = { timeout: 20_000, interval: 50 };
const { timing } = FAST;

/** A bot with this NAC that can be sent alerts to `noc`. */
async function start(options: Parameters<typeof startBot>[0] = {}) {
  const bot = await startBot({ nac: () => SESSION, settings: { NAC_HISTORY: '0' }, ...options });
  await nameChannel(bot);
  const replies = () => transcriptOf(bot.replies);
  return { bot, replies, newMessages: () => replies().filter((each) => each.startsWith('POST')) };
}

const device = (number: number) => `00:1B:54:00:88:${number.toString(16).toUpperCase().padStart(2, '0')}`;
const devices = (count: number) => Array.from({ length: count }, (_, index) => device(index));

describe('an alert', () => {
  it('is answered within 5 s, and edited when the NAC answers', async () => {
    const late = Promise.withResolvers<string>();
    const { bot, replies } = await start({ nac: () => late.promise });
    await bot.alert(alertmanager('firing', [device(1), device(2)]), NOC);
    await vi.waitFor(() => expect(replies()).toHaveLength(1), WITHIN_5_S);
    expect(replies()[0]).toMatch(/^POST Alert firing: Port Gi1\/0\/15 is down\n/);
    expect(replies()[0]?.match(/still asking/g)).toHaveLength(2);
    const waiting = `Still asking the NAC about: ${device(1)}, ${device(2)}.`;
    expect(bot.posts()).toEqual([expect.stringContaining(waiting)]);
    late.resolve(SESSION);
    await vi.waitFor(() => expect(replies().at(-1)).toMatch(/^PUT [\s\S]*2 devices: 2 connected/), LONG);
    expect(replies().join()).not.toContain('reported 2 times');
    await vi.waitFor(() => expect(bot.posts()).toHaveLength(2), LONG);
    expect(bot.posts()[1]).not.toContain('Still asking');
  });

  it('asks nine devices once while the tenth is silent for 10 minutes', async () => {
    const nac = (address: string) => (address === device(3) ? 0 : SESSION);
    const { bot, replies, newMessages } = await start({ nac, timing });
    await bot.alert(alertmanager('firing', devices(10)), NOC);
    await vi.waitFor(() => expect(replies()[0]).toContain(`${device(3)}: still asking`), WITHIN_5_S);
    const callsFor = (mac: string) => bot.calls.filter(({ path }) => path.endsWith(mac)).length;
    await vi.waitFor(() => expect(callsFor(device(3))).toBeGreaterThan(3), LONG);
    bot.clock.skip(10 * 60_000);
    await vi.waitFor(() => expect(replies().at(-1)).toMatch(/^PUT (?![\s\S]*still asking)/), LONG);
    expect(newMessages()).toHaveLength(1);
    const others = devices(10).filter((mac) => mac !== device(3));
    expect(others.map(callsFor)).toEqual(others.map(() => 1));
  });

  it('of two sites with one group key has a message for each site', async () => {
    const { bot, replies, newMessages } = await start({ timing });
    await nameChannel(bot, 'berlin');
    await bot.alert(alertmanager('firing', [device(1)]), NOC);
    await bot.alert(alertmanager('firing', [device(2)], { summary: 'AP down' }), { thread: 'berlin' });
    await vi.waitFor(() => expect(newMessages()).toHaveLength(2), WITHIN_5_S);
    await bot.alert(alertmanager('resolved', [device(1)]), NOC);
    await vi.waitFor(() => expect(replies()).toHaveLength(4), WITHIN_5_S);
    const [opening] = newMessages().filter((each) => each.includes('AP down'));
    expect(opening).toMatch(/^POST Alert firing: AP down/);
    expect(replies()[2]).toMatch(/^PUT Alert resolved: Port Gi1/);
  });
});

describe("Amazon SNS's question whether alerts may come", () => {
  it('is shown in the thread once, with its link as text', async () => {
    const { bot, replies } = await start({ timing });
    const SubscribeURL =
      'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37fb687f5d51e6e2425f';
    const body = { Type: 'SubscriptionConfirmation', SubscribeURL, Token: '2336412f37fb' };
    const headers = { 'content-type': 'text/plain; charset=UTF-8' };
    for (let times = 0; times < 2; times++)
      expect(await bot.alert(body, { ...NOC, headers })).toEqual({ status: 202, body: { lookups: [] } });
    await bot.alert(alertmanager('firing', [device(1)]), NOC);
    await vi.waitFor(() => expect(replies()).toHaveLength(2), WITHIN_5_S);
    const [question = ''] = replies().filter((each) => each.includes('Amazon SNS'));
    expect(question).toContain(`\`${SubscribeURL}\``);
  });

  it('has no markup in the room, and with a link elsewhere it is none', async () => {
    const { bot } = await start({ timing });
    for (const SubscribeURL of [
      'https://sns.eu-west-1.amazonaws.com/x ![:Team](1)',
      'https://sns.eu-west-1.amazonaws.com/x\n**now**',
      'https://sns.eu-west-1.amazonaws.com.evil.example/',
      'https://sns.eu-west-1.amazonaws.com/?Token=2336',
    ])
      await bot.alert({ Type: 'SubscriptionConfirmation', SubscribeURL });
    await vi.waitFor(() => expect(bot.posts()).toHaveLength(1), WITHIN_5_S);
    expect(bot.posts()[0]).toMatch(/\n\nhttps:\/\/sns\.eu-west-1\.amazonaws\.com\/\?Token=2336$/);
  });
});

it('repeated and unknown alerts use up no addresses of a minute', async () => {
  const { bot } = await start({ timing });
  const alert = devices(20).join(' ');
  for (let times = 0; times < 40; times++) {
    expect((await bot.alert(alert, { headers: { 'idempotency-key': 'same' } })).status).toBe(202);
    expect((await bot.alert(alert, { thread: 'nobody' })).status).toBe(404);
  }
  const statuses = [];
  for (let times = 0; times < 30; times++) statuses.push((await bot.alert(alert)).status);
  expect(statuses).toEqual([...Array(29).fill(202), 503]);
});
