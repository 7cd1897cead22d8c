import { createServer, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { FAST, openReadyStage, type Stage } from '../stage.ts';

const ALERTS_TOKEN = 'a-token-of-alerts';
const SESSION = sessionXml({ other: {} });
const WITHIN_5_S = { timeout: 5000, interval: 20 };
const LONG = { timeout: 20_000, interval: 50 };

let stage: Stage;
const closers: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  await stage.close();
  for (const close of closers.splice(0).reverse()) await close();
});

/** A NAC whose answers a test decides, and the addresses that it was asked for. */
async function openNac(answer: (address: string, response: ServerResponse) => void) {
  const asked: string[] = [];
  const nac = await listen(
    createServer((request, response) => {
      const address = request.url?.split('/').at(-1) ?? '';
      if (request.url?.includes('/Session/MACAddress/')) asked.push(address);
      response.setHeader('content-type', 'application/xml');
      answer(address, response);
    }),
  );
  closers.push(nac.close);
  return { url: nac.url, asked };
}

type Timing = NonNullable<Parameters<typeof openReadyStage>[1]>['timing'];

/** A stage whose thread `99` has the names `noc` and `berlin`, and thread `7` the name `lab`. */
async function open(nacUrl: string, timing?: Timing): Promise<void> {
  const settings = { NAC_URL: nacUrl, NAC_HISTORY: '0', ALERTS_TOKEN };
  stage = await openReadyStage(settings, timing && { timing });
  await stage.say('alerts here as noc', in99);
  await stage.say('alerts here as berlin', in99);
  stage.replies.splice(0);
}

const in99 = {
  conversation: { id: '19:noc@thread.tacv2;messageid=99', conversationType: 'channel', isGroup: true },
  entities: [{ type: 'mention', text: '<at>NAC lookup</at>', mentioned: { id: 'bot' } }],
};

const device = (number: number) => `00:1B:54:00:88:${number.toString(16).toUpperCase().padStart(2, '0')}`;
const devices = (count: number) => Array.from({ length: count }, (_, index) => device(index));

async function send(status: string, macs: readonly string[], more: object = {}, name = 'noc') {
  const { groupKey = 'group', title = 'Core switch down in Berlin' } = { ...more } as Record<string, string>;
  const alerts = macs.map((mac) => ({
    status,
    labels: { alertname: 'PortDown', mac },
    annotations: { summary: title },
    startsAt: '2026-01-15T14:00:00Z',
  }));
  const response = await fetch(`${stage.bot.url}/api/alerts/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ALERTS_TOKEN}` },
    body: JSON.stringify({ version: '4', groupKey, status, commonLabels: {}, alerts }),
  });
  expect(response.status).toBe(202);
}

const said = () => stage.replies.map((each) => `${each.method} ${textOf(each)}`);
const posts = () => stage.sandbox.room.posts().map(({ text }) => text);

describe('an alert', { timeout: 60_000 }, () => {
  it('is told within 5 s while the NAC is silent, and edited when the NAC answers', async () => {
    const silent: ServerResponse[] = [];
    const nac = await openNac((_, response) => silent.push(response));
    await open(nac.url);
    await send('firing', [device(1), device(2)]);
    await vi.waitFor(() => expect(said()).toHaveLength(1), WITHIN_5_S);
    expect(said()[0]).toMatch(/^POST Alert firing: Core switch down in Berlin\n/);
    expect(said()[0]?.match(/still asking/g)).toHaveLength(2);
    expect(posts()).toEqual([
      expect.stringContaining(`Still asking the NAC about: ${device(1)}, ${device(2)}.`),
    ]);
    for (const response of silent) response.end(SESSION);
    await vi.waitFor(() => expect(said().at(-1)).toMatch(/^PUT [\s\S]*2 devices: 2 connected/), LONG);
    expect(said().join()).not.toContain('told 2 times');
    await vi.waitFor(() => expect(posts()).toHaveLength(2), LONG);
    expect(posts()[1]).not.toContain('Still asking');
  });

  it('with one of ten devices silent asks the nine once, and says after 10 minutes what the NAC did not', async () => {
    const nac = await openNac((address, response) => {
      if (address === device(3)) response.destroy();
      else response.end(SESSION);
    });
    await open(nac.url, FAST.timing);
    await send('firing', devices(10));
    await vi.waitFor(() => expect(said()[0]).toContain(`${device(3)}: still asking`), WITHIN_5_S);
    await vi.waitFor(
      () => expect(nac.asked.filter((each) => each === device(3)).length).toBeGreaterThan(3),
      LONG,
    );
    stage.skip(10 * 60_000);
    await vi.waitFor(() => expect(said().at(-1)).toMatch(/^PUT (?![\s\S]*still asking)/), LONG);
    expect(said().at(-1)).toContain(`The NAC did not answer for 10 minutes about ${device(3)}.`);
    expect(said().filter((each) => each.startsWith('POST'))).toHaveLength(1);
    for (const each of devices(10).filter((address) => address !== device(3)))
      expect(nac.asked.filter((address) => address === each)).toHaveLength(1);
  });

  it('in 60 copies and its resolution is told within 5 s, and its device is asked once', async () => {
    const nac = await openNac((_, response) => response.end(SESSION));
    await open(nac.url);
    await Promise.all(Array.from({ length: 60 }, () => send('firing', [device(1)])));
    await send('resolved', [device(1)]);
    await vi.waitFor(
      () => expect(said().join()).toMatch(/Alert resolved: [^,]*,[^,]*,[\s\S]*told 60 times/),
      WITHIN_5_S,
    );
    expect(said().filter((each) => each.startsWith('POST')).length).toBeLessThanOrEqual(2);
    expect(nac.asked).toEqual([device(1)]);
  });

  it('that ends after the clock was set back is told as resolved', async () => {
    const nac = await openNac((_, response) => response.end(SESSION));
    await open(nac.url, FAST.timing);
    await send('firing', [device(1)]);
    await vi.waitFor(() => expect(said()).toHaveLength(1), WITHIN_5_S);
    stage.setBack(25_000);
    await send('resolved', [device(1)]);
    await vi.waitFor(() => expect(said().slice(1)).toHaveLength(2), WITHIN_5_S);
    expect(said().slice(1)).toEqual([
      expect.stringMatching(/^PUT Alert resolved: /),
      expect.stringMatching(/^POST Resolved: /),
    ]);
  });

  it('of two sites with one group key has a message for each site', async () => {
    const nac = await openNac((_, response) => response.end(SESSION));
    await open(nac.url, FAST.timing);
    await send('firing', [device(1)]);
    await send('firing', [device(2)], { title: 'Port down' }, 'berlin');
    await vi.waitFor(() => expect(said()).toHaveLength(2), WITHIN_5_S);
    await send('resolved', [device(1)]);
    await vi.waitFor(() => expect(said()).toHaveLength(4), WITHIN_5_S);
    expect(
      said()
        .map((each) => /^(?:POST|PUT) [\w: ]+/.exec(each)?.[0])
        .sort(),
    ).toEqual([
      'POST Alert firing: Core switch down in Berlin',
      'POST Alert firing: Port down',
      'POST Resolved: ',
      'PUT Alert resolved: Core switch down in Berlin',
    ]);
  });
});

describe("Amazon SNS's question whether alerts may come", { timeout: 60_000 }, () => {
  it('is told in the thread once, with its link as text', async () => {
    const nac = await openNac((_, response) => response.end(SESSION));
    await open(nac.url, FAST.timing);
    const link =
      'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f37fb687f5d51e6e2425f';
    const TopicArn = 'arn:aws:sns:eu-central-1:210987654321:core-network';
    const Message = `You have chosen to subscribe to the topic ${TopicArn}.`;
    const body = {
      Type: 'SubscriptionConfirmation',
      TopicArn,
      Message,
      SubscribeURL: link,
      Token: '2336412f37fb',
    };
    for (let times = 0; times < 2; times++) {
      const response = await fetch(`${stage.bot.url}/api/alerts/noc`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain; charset=UTF-8', authorization: `Bearer ${ALERTS_TOKEN}` },
        body: JSON.stringify(body),
      });
      expect([response.status, Object(await response.json()).lookups]).toEqual([202, []]);
    }
    await send('firing', [device(1)]);
    await vi.waitFor(() => expect(said()).toHaveLength(2), WITHIN_5_S);
    const [told = ''] = said().filter((each) => each.includes('Amazon SNS'));
    expect(told).toContain(`\`${link}\``);
    expect(told).toContain(`\`${TopicArn}\``);
  });
});

describe('a storm', { timeout: 60_000 }, () => {
  it('of 24 incidents has ten messages and one digest, in which each is resolved', async () => {
    const nac = await openNac((_, response) => response.end(SESSION));
    await open(nac.url);
    const sendAll = (status: string) =>
      Promise.all(
        devices(24).map((mac, index) =>
          send(status, [mac], { groupKey: `group ${index}`, title: `Port ${index}` }),
        ),
      );
    await sendAll('firing');
    await vi.waitFor(() => expect(said().at(-1)).toMatch(/14 more alerts/), LONG);
    const own = said().filter((each) => each.startsWith('POST Alert firing: Port'));
    expect(own).toHaveLength(10);
    expect(
      said()
        .at(-1)
        ?.match(/Alert firing: Port \d+/g),
    ).toHaveLength(14);
    expect(said().filter((each) => /^POST \d+ more/.test(each))).toHaveLength(1);
    expect(posts()).toHaveLength(24);
    await sendAll('resolved');
    await vi.waitFor(
      () =>
        expect(
          said()
            .findLast((each) => each.includes('more alerts'))
            ?.match(/Alert resolved/g),
        ).toHaveLength(14),
      LONG,
    );
    expect(said().filter((each) => /^POST \d+ more/.test(each))).toHaveLength(1);
  });
});
