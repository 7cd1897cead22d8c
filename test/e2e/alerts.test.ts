import { beforeEach, describe, expect, it } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { transcriptOf } from '../replies.ts';
import { FAST, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';
import { alertmanager, CHANNEL, NOC, nameChannel } from './alertmanager.ts';

const SESSION = sessionXml({ other: {} });
const { timing } = FAST;

async function start(options: Parameters<typeof startBot>[0] = {}) {
  const bot = await startBot({ nac: () => SESSION, settings: { NAC_HISTORY: '0' }, ...options });
  await nameChannel(bot);
  const replies = () => transcriptOf(bot.replies);
  return { bot, replies, newMessages: () => replies().filter((each) => each.startsWith('POST')) };
}

const device = (number: number) => `00:1B:54:00:88:${number.toString(16).toUpperCase().padStart(2, '0')}`;
const devices = (count: number) => Array.from({ length: count }, (_, index) => device(index));

describe('POST /api/alerts', async () => {
  const bot = await startBot();
  await nameChannel(bot);
  let posts: number;
  beforeEach(() => {
    bot.replies.splice(0);
    posts = bot.posts().length;
  });

  const newPosts = () => bot.posts().slice(posts);

  it('looks up every device, and answers in thread and room', async () => {
    const { status, body } = await bot.alert('down: AA:BB:CC:DD:EE:FF, 001b.5400.0099', NOC);
    expect(status).toBe(202);
    const macs = ['AA:BB:CC:DD:EE:FF', '00:1B:54:00:00:99'];
    expect(body.lookups).toEqual(macs.map((mac) => ({ mac, id: expect.any(String) })));
    await bot.replied(1);
    expect(transcriptOf(bot.replies)[0]).toMatch(
      /^POST Alert firing: down: [\s\S]*:99: no session[\s\S]*:FF: connected[\s\S]*were posted to the room/,
    );
    expect(bot.replies[0]?.conversationId).toBe(CHANNEL);
    expect(JSON.stringify(bot.replies[0]?.activity)).not.toContain('<at>');
    expect(newPosts()).toEqual([
      [
        'Alert firing: down: AA:BB:CC:DD:EE:FF, 001b.5400.0099',
        '00:1B:54:00:00:99 no session. The NAC knows of no current session. Is the device plugged in and awake?',
        'The rest is well.',
        'AA:BB:CC:DD:EE:FF connected, sw-floor2-17 Gi1/0/15\nCorp_Wired_Access\nBasic_Authenticated_Access',
      ].join('\n\n'),
    ]);
  });

  it('with one Idempotency-Key is one alert, and with another body refused', async () => {
    const send = (text: string) => bot.alert(text, { headers: { 'idempotency-key': 'k-1' } });
    const first = await send('00:1B:54:00:00:03');
    expect(first.status).toBe(202);
    expect(await send('00:1B:54:00:00:03')).toEqual(first);
    expect((await send('00:1B:54:00:00:02')).status).toBe(422);
    await until(() => expect(newPosts()).toHaveLength(1));
    expect(await send('00:1B:54:00:00:03')).toEqual(first);
    expect(newPosts()).toHaveLength(1);
    const elsewhere = { ...NOC, headers: { 'idempotency-key': 'k-1' } };
    expect((await bot.alert('00:1B:54:00:00:02', elsewhere)).status).toBe(202);
    await bot.replied(1);
  });

  it('without a device differs from another by its Idempotency-Key, too', async () => {
    const send = (text: string) => bot.alert(text, { headers: { 'idempotency-key': 'k-2' } });
    const answers = [await send('up'), await send('up'), await send('down')];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 422]);
  });

  it('without a title has the name of its thread', async () => {
    await bot.alert({ mac: '00:1B:54:00:00:03' }, NOC);
    expect((await bot.replied(1))[0]).toMatch(/^Alert firing: Alert from noc\n/);
  });

  it('without a thread is answered in the room alone', async () => {
    expect((await bot.alert('00:1B:54:00:00:03')).status).toBe(202);
    await until(() => expect(newPosts()).toHaveLength(1));
    expect(newPosts()).toEqual([expect.stringMatching(/^Alert firing\.\n\n00:1B:54:00:00:03 rejected, /)]);
    expect(bot.replies).toEqual([]);
  });
});

it('an alert is answered within 5 s, and edited when the NAC answers', async () => {
  const late = Promise.withResolvers<string>();
  const { bot, replies } = await start({ nac: () => late.promise });
  await bot.alert(alertmanager('firing', [device(1), device(2)]), NOC);
  await until(() => expect(replies()).toHaveLength(1));
  expect(replies()[0]).toMatch(/^POST Alert firing: Port Gi1\/0\/15 is down\n/);
  expect(replies()[0]?.match(/still asking/g)).toHaveLength(2);
  const waiting = `Still asking the NAC about: ${device(1)}, ${device(2)}.`;
  expect(bot.posts()).toEqual([expect.stringContaining(waiting)]);
  late.resolve(SESSION);
  await until(() => expect(replies().at(-1)).toMatch(/^PUT [\s\S]*2 devices: 2 connected/));
  expect(replies().join()).not.toContain('reported 2 times');
  await until(() => expect(bot.posts()).toHaveLength(2));
  expect(bot.posts()[1]).not.toContain('Still asking');
});

it('an alert asks nine devices once while the tenth is silent', async () => {
  const nac = (address: string) => (address === device(3) ? 0 : SESSION);
  const { bot, replies, newMessages } = await start({ nac, timing });
  await bot.alert(alertmanager('firing', devices(10)), NOC);
  await until(() => expect(replies()[0]).toContain(`${device(3)}: still asking`));
  const callsFor = (mac: string) => bot.calls.filter(({ path }) => path.endsWith(mac)).length;
  await until(() => expect(callsFor(device(3))).toBeGreaterThan(3));
  bot.clock.skip(10 * 60_000);
  await until(() => expect(replies().at(-1)).toMatch(/^PUT (?![\s\S]*still asking)/));
  expect(newMessages()).toHaveLength(1);
  const others = devices(10).filter((mac) => mac !== device(3));
  expect(others.map(callsFor)).toEqual(others.map(() => 1));
});

it('an alert of two sites with one group key has a message for each site', async () => {
  const { bot, replies, newMessages } = await start({ timing });
  await nameChannel(bot, 'berlin');
  await bot.alert(alertmanager('firing', [device(1)]), NOC);
  await bot.alert(alertmanager('firing', [device(2)], { summary: 'AP down' }), { thread: 'berlin' });
  await until(() => expect(newMessages()).toHaveLength(2));
  await bot.alert(alertmanager('resolved', [device(1)]), NOC);
  await until(() => expect(replies()).toHaveLength(4));
  const [opening] = newMessages().filter((each) => each.includes('AP down'));
  expect(opening).toMatch(/^POST Alert firing: AP down/);
  expect(replies()[2]).toMatch(/^PUT Alert resolved: Port Gi1/);
});

it("Amazon SNS's question is shown in the thread, as text", async () => {
  const { bot, replies } = await start({ timing });
  const SubscribeURL =
    'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37fb687f5d51e6e2425f';
  const body = { Type: 'SubscriptionConfirmation', SubscribeURL, Token: '2336412f37fb' };
  const headers = { 'content-type': 'text/plain; charset=UTF-8' };
  expect(await bot.alert(body, { ...NOC, headers })).toEqual({ status: 202, body: { lookups: [] } });
  expect(replies()).toEqual([expect.stringMatching(/^POST Amazon SNS /)]);
  expect(replies()[0]).toContain(`\`${SubscribeURL}\``);
});

it("Amazon SNS's question has no markup, and no link elsewhere", async () => {
  const { bot } = await start({ timing });
  for (const SubscribeURL of [
    'https://sns.eu-west-1.amazonaws.com/x ![:Team](1)',
    'https://sns.eu-west-1.amazonaws.com/x\n**now**',
    'https://sns.eu-west-1.amazonaws.com.evil.example/',
    'https://sns.eu-west-1.amazonaws.com/?Token=2336',
  ])
    await bot.alert({ Type: 'SubscriptionConfirmation', SubscribeURL });
  await until(() => expect(bot.posts()).toHaveLength(1));
  expect(bot.posts()[0]).toMatch(/\n\nhttps:\/\/sns\.eu-west-1\.amazonaws\.com\/\?Token=2336$/);
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
  expect(await bot.ask('alerts test noc')).toBe(
    'Too many alerts are waiting already, so no test alert was sent. Please try again in a minute.',
  );
});
