import type { RequestListener } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { answer, record, says, serve } from '../serve.ts';
import { MAC, MANY, openNacAt, openSandboxNac, SERVICE } from './open.ts';

const DEVICE = '00:1B:54:00:00:21' as MacAddress;
const UNKNOWN = '00:1B:54:00:99:99' as MacAddress;
const PEOPLE = ['alex', 'bob', 'eve', 'megan'];
const SILENT = '00:1B:54:00:0B:06' as MacAddress;
const MINUTE = 60_000;

async function open(answerAttempts?: RequestListener, timeoutMs = 20_000) {
  const nac = await openSandboxNac({ timeoutMs }, answerAttempts);
  const timesOff = () => nac.lines.filter((line) => line.includes('left alone for an hour')).length;
  const history = (device: MacAddress, person: string) => nac.history?.(device, person, nac.url);
  return { ...nac, timesOff, history };
}

describe('the last attempts of a device', () => {
  it.each([SERVICE.username, 'alex'])('are asked at the address that answered, as %s', async (username) => {
    const { connect, history, otherCalls } = await open();
    if (username === 'alex') await connect(username);
    expect(await history(DEVICE, username)).toHaveLength(10);
    const path = `/admin/API/mnt/AuthStatus/MACAddress/${DEVICE}/86400/10/All`;
    expect(otherCalls).toEqual([{ path, username }]);
    expect(await history(UNKNOWN, username)).toEqual([]);
  });

  it('are asked for once for two people', async () => {
    const { lookUp, history, otherCalls } = await open();
    await lookUp(DEVICE, 'bob');
    await Promise.all(['bob', 'eve'].map((person) => history(DEVICE, person)));
    expect(otherCalls).toHaveLength(1);
  });

  it('rest with a refused account', async () => {
    const { lookUp, history, calls, otherCalls } = await open(says(401));
    await lookUp(DEVICE, 'bob');
    for (let time = 0; time < 2; time++) expect(await history(DEVICE, 'bob')).toBeUndefined();
    expect(await lookUp(DEVICE, 'bob')).toMatchObject({ kind: 'resting' });
    expect([calls.length, otherCalls.length]).toEqual([1, 1]);
  });

  it("are left alone after three refusals of the bot's own account", async () => {
    const { connect, lookUp, history, otherCalls, clock, timesOff } = await open(says(401));
    await lookUp(DEVICE, 'service');
    for (const person of PEOPLE) {
      await connect(person);
      await history(DEVICE, person);
    }
    for (let time = 0; time < 3; time++, clock.now += 3_600_000) {
      expect(timesOff()).toBe(0);
      await history(DEVICE, 'service');
    }
    expect([otherCalls.length, timesOff()]).toEqual([7, 1]);
  });

  it('count one failure for a call that many share', async () => {
    const { lookUp, history, otherCalls, timesOff } = await open(says(500));
    await lookUp(DEVICE, 'bob');
    for (let time = 0; time < 2; time++) await Promise.all(PEOPLE.map((person) => history(DEVICE, person)));
    expect([otherCalls.length, timesOff()]).toEqual([2, 0]);
  });
});

it('calls with an answer between are not left alone, however many fail', async () => {
  let asked = 0;
  const { lookUp, history, timesOff } = await open((_, response) =>
    answer(response, ++asked % 3 ? 500 : 200, {}, '<authStatusOutputList></authStatusOutputList>'),
  );
  await lookUp(DEVICE, 'bob');
  for (let time = 0; time < 9; time++) await history(DEVICE, 'bob');
  expect([asked, timesOff()]).toEqual([9, 0]);
});

const ENDLESS = `<authStatusOutputList>${'<a>b</a>'.repeat(280_000)}</authStatusOutputList>`;

it.each<[name: string, calls: number, answerAttempts: RequestListener, timeoutMs?: number]>([
  ['404', 3, says(404)],
  ['500', 3, says(500, '<mnt-rest-result></mnt-rest-result>')],
  ['a login page', 3, says(200, '<!DOCTYPE html><html></html>')],
  ['half a list', 3, says(200, '<authStatusOutputList><authStatusList key="x">')],
  ['2 MB', 3, says(200, ENDLESS)],
  ['silence', 3, () => {}, 500],
])('a NAC that answers %s for attempts is asked %i times', async (_, times, answerAttempts, timeoutMs) => {
  const { lookUp, history, otherCalls, timesOff } = await open(answerAttempts, timeoutMs);
  for (let time = 0; time < 5; time++) {
    expect(await lookUp(DEVICE, 'bob')).toMatchObject({ kind: 'no session' });
    expect(await history(DEVICE, 'bob')).toBeUndefined();
  }
  expect(otherCalls.length).toBeLessThanOrEqual(times); // A silent call can run out of time before it is there.
  expect(timesOff()).toBe(1);
});

describe('the count of active sessions', () => {
  const count = (number: number | string) => `<sessionCount><count>${number}</count></sessionCount>`;

  it.each([
    [200, count(0), true],
    [200, count(7), false],
    [200, '<html><count>0</count></html>', undefined],
    [200, count('many'), undefined],
    [500, '', undefined],
  ])('of an answer %i %j is none: %s', async (status, body, isNone) => {
    const { url, received } = await record({ status, body });
    expect(await openNacAt([url]).hasNoSessions(`${url}/`, 'alex')).toBe(isNone);
    expect(received.map(({ path }) => path)).toEqual(['/admin/API/mnt/Session/ActiveCount']);
  });

  it('is asked for once a minute, only at addresses of the settings', async () => {
    const { url, received } = await record({ status: 200, body: count(0) });
    const { hasNoSessions, clock } = openNacAt([url]);
    for (const [calls, ms] of [
      [1, 0],
      [1, MINUTE - 1],
      [2, 1],
    ] as const) {
      clock.now += ms;
      await Promise.all([hasNoSessions(`${url}/`, 'alex'), hasNoSessions(`${url}/`, 'alex')]);
      expect(received).toHaveLength(calls);
    }
    expect(await hasNoSessions('http://127.0.0.1:1/', 'alex')).toBeUndefined();
  });

  it("under a person's own account is nobody else's, and once a minute", async () => {
    const { connect, hasNoSessions, url, otherCalls, counts, clock } = await openSandboxNac();
    await connect('alex');
    expect(await hasNoSessions(url, 'alex')).toBe(false);
    for (const person of ['bob', 'eve']) expect(await hasNoSessions(url, person)).toBeUndefined();
    expect(otherCalls).toMatchObject([{ username: 'alex' }]);
    clock.now += MINUTE;
    expect(await hasNoSessions(url, 'bob')).toBe(false);
    expect(otherCalls.slice(1)).toMatchObject([{ username: SERVICE.username }]);
    expect(counts).toHaveLength(1); // For the bot's health: the service account's.
  });
});

describe('a call for a watched device', () => {
  it('is made with the service account, and names the address that answered', async () => {
    const { watch, calls, url } = await openSandboxNac();
    expect(await watch(MAC)).toMatchObject({ kind: 'found', node: url });
    expect(await watch(UNKNOWN)).toEqual({ kind: 'no session', node: url });
    expect(calls.map(({ username }) => username)).toEqual([SERVICE.username, SERVICE.username]);
  });

  it('is not made while no slot is free', async () => {
    const { watch, lookUp, calls } = await openSandboxNac({ concurrency: 1, timeoutMs: 500 });
    const asking = lookUp(SILENT, 'alex');
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(await watch(MAC)).toEqual({ kind: 'busy' });
    await asking;
    expect(await watch(MAC)).toMatchObject({ kind: 'found' });
  });

  it('is never the first with a changed password', async () => {
    const { watch, lookUp, password, calls } = await openSandboxNac();
    expect(await watch(MAC)).toMatchObject({ kind: 'found' });
    password.now = 'changed';
    expect(await watch(MAC)).toEqual({ kind: 'busy' });
    expect(calls).toHaveLength(1);
    expect(await lookUp(MAC, 'alex')).toMatchObject({ kind: 'refused' });
    expect(await watch(MAC)).toMatchObject({ kind: 'resting' });
    password.now = SERVICE.password;
    expect(await watch(MAC)).toMatchObject({ kind: 'found' });
  });

  it('counts for no asker if it fails', async () => {
    const { watch, lookUp } = openNacAt([await serve(says(500))]);
    for (const device of MANY.slice(0, 9))
      expect(await watch(device)).toEqual({ kind: 'fault', status: 500 });
    for (const device of MANY.slice(0, 4))
      expect(await lookUp(device, 'alex')).toMatchObject({ kind: 'fault' });
    expect(await lookUp(MAC, 'eve')).toMatchObject({ kind: 'fault' });
  });

  it('pauses the NAC if there is no connection, and may be the probe', async () => {
    const { watch, lookUp, clock } = openNacAt(['http://127.0.0.1:1']);
    for (const device of MANY.slice(0, 5)) expect(await watch(device)).toMatchObject({ kind: 'no answer' });
    expect(await lookUp(MAC, 'alex')).toMatchObject({ kind: 'paused', isForAll: true });
    clock.now += 5000;
    expect(await watch(MAC)).toMatchObject({ kind: 'no answer' });
    expect(await watch(MAC)).toMatchObject({ kind: 'paused', until: clock.now + 10_000 });
  });
});
