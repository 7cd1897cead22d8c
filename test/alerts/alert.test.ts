import { describe, expect, it } from 'vitest';
import { timeOf } from '../time-of.ts';
import { read } from './read.ts';
import bodies from './senders.json' with { type: 'json' };

/** A body in its sender's shape with values of our own, what is read in it, and what changes when it clears. */
type AlertBody = {
  sender: string;
  body: object | string;
  title: string;
  severity?: string;
  key?: string;
  macs?: readonly string[];
  source?: string;
  startsAt?: number;
  link?: string;
  /** What a clear says instead, over the body's own fields. Undefined if the sender tells no end. */
  clear?: object | string;
};

const ALERT_BODIES: readonly AlertBody[] = bodies;

describe('an alert in the shape of', () => {
  it.each(ALERT_BODIES)('$sender says what it is', (each) => {
    const { sender: _, body, severity, key, macs = [], clear, ...words } = each;
    expect(read(body)).toMatchObject({ severity, incidentKey: key, state: 'firing', macs, ...words });
    expect(JSON.stringify(read(body))).not.toContain('canary');
  });

  const ENDING = ALERT_BODIES.filter(({ clear }) => clear !== undefined);
  it.each(ENDING)('$sender says its end', ({ body, key, clear }) => {
    const cleared = typeof clear === 'string' ? clear : { ...Object(body), ...clear };
    expect(read(cleared)).toMatchObject({ state: 'resolved', incidentKey: key });
  });
});

describe('the title', () => {
  const RESOLVED = { status: 'resolved', summary: 'one is up' };

  it.each([
    [{ message: 'inner', title: 'title' }, 'title'],
    [{ a: [{ title: 'deep' }], message: 'outer' }, 'deep'],
    [{ a: { TEXT: 'deep' }, text: 'shallow' }, 'shallow'],
    [{ device: { title: 'a device' }, a: { b: { msg: 'the alert' } } }, 'the alert'],
    [{ title: ' ', summary: '<p>port&nbsp;<b>down</b></p>' }, 'port down'],
    [{ text: 'a long title'.repeat(30) }, `${'a long title'.repeat(30).slice(0, 200)}...`],
    [{ secret: { message: 'x y z' }, sharedSecret: 'a b c', 'api-key': 'd e f', status: 'Down' }, 'Down'],
    [{ status: 'firing', alerts: [RESOLVED, { status: 'firing', summary: 'two is down' }] }, 'two is down'],
    [{ x: 5, link: 'https://a.example', why: 'the port is down' }, 'the port is down'],
  ])('of %j is %s', (body, title) => expect(read(body).title).toBe(title));

  const NONE = [null, 5, [], {}, '', [[]], { alerts: 5 }];
  it.each([...NONE, { text: '00:1B:54:00:00:03' }, { a: ['192.0.2.1', 5] }])('is none in %j', (body) =>
    expect(read(body)).toMatchObject({ title: undefined, state: 'firing' }),
  );
});

it.each([
  [{ status: 'OK' }, 'resolved'],
  [{ title: 'OK' }, 'firing'],
  [{ Subject: 'OK: Port down', Message: 'sw-1' }, 'resolved'],
  [{ Message: 'Node is down', Status: 'Reset' }, 'resolved'],
  [{ message: 'cpu is OK', level: 'OK' }, 'resolved'],
  [{ action: 'OK' }, 'firing'],
  [{ status: 1 }, 'firing'],
  [{ count: { state: 0 } }, 'resolved'],
  [{ status: 'resolved soon' }, 'firing'],
  [{ status: 'firing', alerts: [{ status: 'resolved' }] }, 'firing'],
  [{ device: { status: 'up' }, status: 'problem' }, 'firing'],
  [{ alerts: [{ labels: { action: 'close' } }], status: 'firing' }, 'firing'],
  [{ event: { action: 'alert' }, status: 'resolved' }, 'resolved'],
  [{ search_name: 'rejects', result: { status: 'up' } }, 'firing'],
  [{ status: 'Down ended (now: Up)' }, 'resolved'],
  [{ status: 'Down ended (now: Warning)' }, 'firing'],
  [{ alertTypeId: 'started_reporting' }, 'resolved'],
  [{ rule: { description: 'attack' }, data: { action: 'close' } }, 'firing'],
  [{ message: 'flaps', fields: { status: 'up' } }, 'firing'],
  [{ hits: [{ _source: { event: { action: 'closed' } } }], ports: [{ status: 'up' }] }, 'firing'],
  [{ alertData: { connection: { status: 'up' } } }, 'firing'],
  [{ alert_group: { state: 'resolved' }, alert_payload: { status: 'firing' } }, 'resolved'],
  [{ title: 'Prometheus Alert (resolved)' }, 'resolved'],
  [{ body: [{ text: '[RESOLVED] Port down' }], actions: [{ title: 'View URL' }] }, 'resolved'],
])('the state of %j is %s', (body, state) => expect(read(body).state).toBe(state));

it('a long state, an open tag with many addresses, and ids far from the hosts they need take no time', () => {
  const readAll = () => {
    read({ eventType: `${'a'.repeat(900_000)}!`, status: `${'a'.repeat(90_000)}(now: ` });
    read(`<${'00:00:00:00:00:00 '.repeat(10_000)}`);
    const ids = Array.from({ length: 10_000 }, () => ({ alert_id: '', alert_transition: 'x' }));
    read({ ids, others: Array.from({ length: 10_000 }, () => ({ host: 'h' })) });
  };
  expect(timeOf(readAll)).toBeLessThan(500);
});

it.each([
  [{ alert: { id: 5 } }, 'alertid 5'],
  [{ alert_id: '7', alert_transition: 'Triggered', alert_scope: 'host:a', host: 'a' }, 'alertid 7 host:a a'],
  [
    { alertId: 'query matched', alertActionGroup: 'recovered', ruleName: 'Rejects' },
    'alertid query matched Rejects',
  ],
  [{ alert_group: { id: 'G1', state: 'resolved' }, alert_payload: { status: 'firing' } }, 'alertgroupid G1'],
  [{ data: { issue: { id: '7' } } }, 'issueid 7'],
  [{ data: { event: { issue_id: '7' } } }, 'issueid 7'],
  [{ event: { id: 'delivery', event_type: 'x', data: { id: 'incident' } } }, 'id incident'],
  [{ id: 'delivery', eventType: 'x' }, undefined],
  [{ device: { id: 'a device' }, a: { id: 'anything' } }, undefined],
  [{ eventId: 'NETWORK-CLIENTS-3-251', instanceId: 'i-0abc' }, undefined],
])('the incident of %j is %s', (body, key) => expect(read(body).incidentKey).toBe(key));

it.each([
  [{ startsAt: '2026-01-15T14:00:00Z' }, Date.parse('2026-01-15T14:00:00Z')],
  [{ timestamp: 1768485600 }, 1768485600000],
  [{ date: '1768485600000' }, 1768485600000],
  [{ timestamp: 1768485600, state: 'resolved' }, undefined],
  [{ startsAt: '0001-01-01T00:00:00Z' }, undefined],
  [{ timestamp: 'yesterday', time: 5 }, undefined],
  [{ timestamp: ['2026-01-15T14:00:00Z'] }, Date.parse('2026-01-15T14:00:00Z')],
  [{ timestamp: { toString: 5, valueOf: 5 } }, undefined],
])('%j began at %s', (body, startsAt) => expect(read(body).startsAt).toBe(startsAt));

it.each([
  ['https://grafana.example/a', 'https://grafana.example/a'],
  ['http://prometheus.example/', undefined],
  ['https://grafana.example@evil.example/', undefined],
  ['javascript:alert(1)', undefined],
  ['//evil.example', undefined],
  [`https://prometheus.example/${'x'.repeat(2000)}`, undefined],
  [5, undefined],
])('a link is an https address alone: %s', (generatorURL, link) => {
  expect(read({ alerts: [{ generatorURL }] }).link).toBe(link);
});

describe('twelve digits without a separator', () => {
  const MAC = '00:1B:54:00:00:03';
  it.each<unknown>([
    { mac: '001b54000003' },
    { labels: { client_mac: '001B54000003' } },
    { macAddresses: ['001b54000003'] },
    { 'Calling-Station-ID': '001b54000003' },
    { card: '{"bssid":"001b54000003"}' },
    ...['Client 001b54000003 is down', 'Client 001b54000003: no answer', 'mac address: 001b54000003'],
    ...['rejected, MAC=001b54000003, port 3', 'endpoint (001b54000003) is rejected.', 'mac <001b54000003>'],
    ...['"mac":"001b54000003",', 'SEP001B54000003 unregistered'],
  ])('are a device in %j', (body) => expect(read(body).macs).toEqual([MAC]));

  it('are one even if all are decimal, where a field or a word says so', () => {
    const { macs } = read({ mac: '001122334455', text: 'mac 001122334466' });
    expect(macs).toEqual(['00:11:22:33:44:55', '00:11:22:33:44:66']);
  });

  it.each<unknown>([
    { generatorURL: 'http://9b924908440c:9090/graph' },
    { instance: '9b924908440c:9100', host: '9b924908440c' },
    { hmac: '9b924908440c' },
    { client: { name: '9b924908440c' } },
    ...['deploy 9b924908440c done', 'image sha256:9b924908440c is old', 'machine AP9b924908440c'],
    ...['see https://nac.example/?mac=9b924908440c now', '/var/lib/client/9b924908440c/log'],
    ...['client 9b924908440c:9100 is down', 'client 9b924908440c.example.com is down'],
    ...['host client-9b924908440c is down', 'id 052652ac-5d1c-464a-812a-9b924908440c'],
  ])('are none in %j', (body) => expect(read(body).macs).toEqual([]));

  it('keep their order among others', () => {
    const { macs } = read({ text: 'mac 00005e005302', a: { mac: '00005E005303' }, b: '00-00-5E-00-53-01' });
    expect(macs).toEqual(['00:00:5E:00:53:02', '00:00:5E:00:53:03', '00:00:5E:00:53:01']);
  });
});

it.each<[unknown, string[]]>([
  [{ clients: { '00:1b:54:00:00:03': { up: false }, '001b54000004': {} } }, ['03']],
  ['<alert><client mac="00:1B:54:00:00:03" state="down"/></alert>', ['03']],
  ['deauth of <sta 001b.5400.0003> by ap', ['03']],
  [
    {
      status: 'firing',
      alerts: [4, 3].map((n) => ({ status: n === 3 ? 'firing' : 'resolved', mac: `00:1b:54:00:00:0${n}` })),
    },
    ['03', '04'],
  ],
])('the devices of %j are %j', (body, ends) => {
  expect(read(body).macs).toEqual(ends.map((end) => `00:1B:54:00:00:${end}`));
});
