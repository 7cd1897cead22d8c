import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { serve } from '../serve.ts';
import { FAST, type Stage, stageForTest } from '../stage.ts';
import { ALERTS_TOKEN, alertmanager, nameChannel, saidIn, sendAlert, sendGroup } from './alert-stage.ts';

const SESSION = sessionXml({ other: {} });
const WITHIN_5_S = { timeout: 5000, interval: 20 };
const LONG = { timeout: 20_000, interval: 50 };

let stage: Stage;

type Respond = (address: string, response: ServerResponse) => void;
type Timing = NonNullable<Parameters<typeof stageForTest>[1]>['timing'];

/** Opens a stage whose channel has the name `noc`, with this NAC. Returns the addresses that the NAC is asked for. */
async function open(timing?: Timing, respond: Respond = (_, response) => response.end(SESSION)) {
  const asked: string[] = [];
  const NAC_URL = await serve(({ url = '' }, response) => {
    const address = url.split('/').at(-1) ?? '';
    asked.push(address);
    response.setHeader('content-type', 'application/xml');
    respond(address, response);
  });
  stage = await stageForTest({ NAC_URL, NAC_HISTORY: '0', ALERTS_TOKEN }, timing && { timing });
  await nameChannel(stage);
  return asked;
}

const device = (number: number) => `00:1B:54:00:88:${number.toString(16).toUpperCase().padStart(2, '0')}`;
const devices = (count: number) => Array.from({ length: count }, (_, index) => device(index));
const said = () => saidIn(stage);
const newMessages = () => said().filter((each) => each.startsWith('POST'));
const send = (status: string, macs: readonly string[], changes?: object) =>
  sendGroup(stage.bot, status, macs, changes);

describe('an alert', () => {
  it('is told within 5 s while the NAC is silent, and edited when the NAC answers', async () => {
    const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
    await open(undefined, (_, response) => void isBack.then(() => response.end(SESSION)));
    await send('firing', [device(1), device(2)]);
    await vi.waitFor(() => expect(said()).toHaveLength(1), WITHIN_5_S);
    expect(said()[0]).toMatch(/^POST Alert firing: Port Gi1\/0\/15 is down\n/);
    expect(said()[0]?.match(/still asking/g)).toHaveLength(2);
    expect(stage.posts()).toEqual([
      expect.stringContaining(`Still asking the NAC about: ${device(1)}, ${device(2)}.`),
    ]);
    comeBack();
    await vi.waitFor(() => expect(said().at(-1)).toMatch(/^PUT [\s\S]*2 devices: 2 connected/), LONG);
    expect(said().join()).not.toContain('told 2 times');
    await vi.waitFor(() => expect(stage.posts()).toHaveLength(2), LONG);
    expect(stage.posts()[1]).not.toContain('Still asking');
  });

  it('with one of ten devices silent asks the nine once, and says after 10 minutes what the NAC did not', async () => {
    const asked = await open(FAST.timing, (address, response) =>
      address === device(3) ? void response.destroy() : response.end(SESSION),
    );
    await send('firing', devices(10));
    await vi.waitFor(() => expect(said()[0]).toContain(`${device(3)}: still asking`), WITHIN_5_S);
    const timesAsked = (mac: string) => asked.filter((each) => each === mac).length;
    await vi.waitFor(() => expect(timesAsked(device(3))).toBeGreaterThan(3), LONG);
    stage.skip(10 * 60_000);
    await vi.waitFor(() => expect(said().at(-1)).toMatch(/^PUT (?![\s\S]*still asking)/), LONG);
    expect(said().at(-1)).toContain(`The NAC did not answer for 10 minutes about ${device(3)}.`);
    expect(newMessages()).toHaveLength(1);
    const others = devices(10).filter((mac) => mac !== device(3));
    expect(others.map(timesAsked)).toEqual(others.map(() => 1));
  });

  it('of two sites with one group key has a message for each site', async () => {
    await open(FAST.timing);
    await nameChannel(stage, 'berlin');
    await send('firing', [device(1)]);
    const path = '/api/alerts/berlin';
    await sendAlert(stage.bot, alertmanager('firing', [device(2)], { summary: 'AP down' }), { path });
    await vi.waitFor(() => expect(newMessages()).toHaveLength(2), WITHIN_5_S);
    await send('resolved', [device(1)]);
    await vi.waitFor(() => expect(said()).toHaveLength(4), WITHIN_5_S);
    const [opening] = newMessages().filter((each) => each.includes('AP down'));
    expect(opening).toMatch(/^POST Alert firing: AP down/);
    expect(said()[2]).toMatch(/^PUT Alert resolved: Port Gi1/);
  });
});

it("Amazon SNS's question whether alerts may come is told in the thread once, with its link as text", async () => {
  await open(FAST.timing);
  const SubscribeURL =
    'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37fb687f5d51e6e2425f';
  const TopicArn = 'arn:aws:sns:eu-central-1:210987654321:core-network';
  const body = { Type: 'SubscriptionConfirmation', TopicArn, SubscribeURL, Token: '2336412f37fb' };
  const headers = { 'content-type': 'text/plain; charset=UTF-8' };
  for (let times = 0; times < 2; times++) {
    const answer = await sendAlert(stage.bot, body, { headers });
    expect([answer.status, answer.body.lookups]).toEqual([202, []]);
  }
  await send('firing', [device(1)]);
  await vi.waitFor(() => expect(said()).toHaveLength(2), WITHIN_5_S);
  const [told = ''] = said().filter((each) => each.includes('Amazon SNS'));
  expect(told).toContain(`\`${SubscribeURL}\``);
  expect(told).toContain(`\`${TopicArn}\``);
});

it("Amazon's question has no markup in the room, and with a link elsewhere it is none", async () => {
  await open(FAST.timing);
  const TopicArn = '**bold** [click](https://evil.example) ![:Team](1)';
  const linked = (SubscribeURL: string) =>
    sendAlert(
      stage.bot,
      { Type: 'SubscriptionConfirmation', TopicArn, SubscribeURL },
      { path: '/api/alerts' },
    );
  for (const end of ['x ![:Team](1)', 'x\n**now**'])
    await linked(`https://sns.eu-west-1.amazonaws.com/${end}`);
  await linked('https://sns.eu-west-1.amazonaws.com.evil.example/');
  await linked('https://sns.eu-west-1.amazonaws.com/?Token=2336');
  await vi.waitFor(() => expect(stage.posts()).toHaveLength(1), WITHIN_5_S);
  expect(stage.posts()[0]).toMatch(
    /\n\nhttps:\/\/sns\.eu-west-1\.amazonaws\.com\/\?Token=2336\n\nTopic: `＊＊bold＊＊ ［click/,
  );
});

it('repeated alerts, and alerts for nobody, leave others their addresses of a minute', async () => {
  await open(FAST.timing);
  const body = { text: devices(20).join(' ') };
  const same = { headers: { 'idempotency-key': 'same' } };
  for (let times = 0; times < 40; times++) {
    expect((await sendAlert(stage.bot, body, same)).status).toBe(202);
    expect((await sendAlert(stage.bot, body, { path: '/api/alerts/nobody' })).status).toBe(404);
  }
  const statuses = [];
  for (let times = 0; times < 30; times++) statuses.push((await sendAlert(stage.bot, body)).status);
  expect(statuses).toEqual([...Array(29).fill(202), 503]);
});

it('a storm of 24 incidents has ten messages and one digest, in which each is resolved', async () => {
  await open();
  const sendAll = (status: string) =>
    Promise.all(
      devices(24).map((mac, index) =>
        send(status, [mac], { groupKey: `group ${index}`, summary: `Port ${index} [core]` }),
      ),
    );
  const digests = () => said().filter((each) => each.includes('more alerts'));
  const linesWith = (words: RegExp) => digests().at(-1)?.match(words);
  await sendAll('firing');
  await vi.waitFor(() => expect(linesWith(/14 more alerts/)).toBeTruthy(), LONG);
  expect(newMessages().filter((each) => each.startsWith('POST Alert firing: Port'))).toHaveLength(10);
  expect(linesWith(/Alert firing: Port \d+ ［core］ · /g)).toHaveLength(14);
  expect(stage.posts()).toHaveLength(24);
  await sendAll('resolved');
  await vi.waitFor(() => expect(linesWith(/Alert resolved/g)).toHaveLength(14), LONG);
  expect(newMessages().filter((each) => /^POST \d+ more/.test(each))).toHaveLength(1);
});
