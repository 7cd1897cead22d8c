import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { says } from '../serve.ts';
import { openSandboxNac, SERVICE } from './open.ts';

const DEVICE = '00:1B:54:00:00:21' as MacAddress;
const UNKNOWN = '00:1B:54:00:99:99' as MacAddress;
const PEOPLE = ['alex', 'bob', 'eve', 'megan'];
const SOON = 5000;

async function open(sisters?: RequestListener, options: object = {}, timeoutMs = 20_000) {
  const nac = await openSandboxNac({ timeoutMs }, { ...(sisters && { sisters }), ...options });
  const timesOff = () => nac.lines.filter((line) => line.includes('left alone for an hour')).length;
  return { ...nac, timesOff, history: nac.history ?? (() => expect.fail('the history is on')) };
}

describe('the last attempts of a device', () => {
  it.each([SERVICE.username, 'alex'])(
    'are asked for at the address that answered, as %s',
    async (username) => {
      const { connect, lookUp, history, sisterCalls } = await open();
      if (username === 'alex') await connect(username);
      expect(await history(DEVICE, username, SOON)).toBeUndefined(); // No address has answered yet.
      await lookUp(DEVICE, username);
      expect(await history(DEVICE, username, SOON)).toHaveLength(10);
      const path = `/admin/API/mnt/AuthStatus/MACAddress/${DEVICE}/86400/10/All`;
      expect(sisterCalls).toEqual([{ path, username }]);
      expect(await history(UNKNOWN, username, SOON)).toEqual([]);
    },
  );

  it('are asked for once for two people', async () => {
    const { lookUp, history, sisterCalls } = await open();
    await lookUp(DEVICE, 'bob');
    await Promise.all(['bob', 'eve'].map((person) => history(DEVICE, person, SOON)));
    expect(sisterCalls).toHaveLength(1);
  });

  it('are not asked for when their turn comes too late', async () => {
    const slow = ['00:1B:54:00:98:01', '00:1B:54:00:98:02'] as MacAddress[];
    const devices = slow.map((address) => ({ address, session: '<sessionParameters/>', delayMs: 300 }));
    const { lookUp, history, sisterCalls, clock } = await open(undefined, { devices });
    await lookUp(DEVICE, 'bob');
    const lookups = slow.map((address) => lookUp(address, 'bob'));
    expect(await history(DEVICE, 'bob', 100)).toBeUndefined();
    clock.now += 100;
    await Promise.all(lookups);
    await history(UNKNOWN, 'bob', SOON); // The late one's turn came before this one.
    expect(sisterCalls.map(({ path }) => path)).toEqual([expect.stringContaining(UNKNOWN)]);
  });

  it('rest with a refused account', async () => {
    const { lookUp, history, calls, sisterCalls } = await open(says(401));
    await lookUp(DEVICE, 'bob');
    for (let time = 0; time < 2; time++) expect(await history(DEVICE, 'bob', SOON)).toBeUndefined();
    expect(await lookUp(DEVICE, 'bob')).toMatchObject({ kind: 'resting' });
    expect([calls.length, sisterCalls.length]).toEqual([1, 1]);
  });

  it("are left alone after three refusals of the bot's own account", async () => {
    const { connect, lookUp, history, sisterCalls, clock, timesOff } = await open(says(401));
    await lookUp(DEVICE, 'service');
    for (const person of PEOPLE) {
      await connect(person);
      await history(DEVICE, person, SOON);
    }
    for (let time = 0; time < 3; time++, clock.now += 3_600_000) {
      expect(timesOff()).toBe(0);
      await history(DEVICE, 'service', SOON);
    }
    expect([sisterCalls.length, timesOff()]).toEqual([7, 1]);
  });

  it('count one failure for a call that many share', async () => {
    const { lookUp, history, sisterCalls, timesOff } = await open(says(500));
    await lookUp(DEVICE, 'bob');
    for (let time = 0; time < 2; time++)
      await Promise.all(PEOPLE.map((person) => history(DEVICE, person, SOON)));
    expect([sisterCalls.length, timesOff()]).toEqual([2, 0]);
  });
});

const ENDLESS = `<authStatusOutputList>${'<a>b</a>'.repeat(280_000)}</authStatusOutputList>`;

it.each<[name: string, calls: number, sisters: RequestListener, timeoutMs?: number]>([
  ['404', 1, says(404)],
  ['500', 3, says(500, '<mnt-rest-result></mnt-rest-result>')],
  ['a login page', 3, says(200, '<!DOCTYPE html><html></html>')],
  ['half a list', 3, says(200, '<authStatusOutputList><authStatusList key="x">')],
  ['2 MB', 3, says(200, ENDLESS)],
  ['silence', 3, () => {}, 500],
])('a NAC that answers %s for attempts is asked %i times', async (_, times, sisters, timeoutMs) => {
  const { lookUp, history, sisterCalls, timesOff } = await open(sisters, {}, timeoutMs);
  for (let time = 0; time < 5; time++) {
    expect(await lookUp(DEVICE, 'bob')).toMatchObject({ kind: 'no session' });
    expect(await history(DEVICE, 'bob', SOON)).toBeUndefined();
  }
  expect(sisterCalls.length).toBeLessThanOrEqual(times); // A silent call can run out of time before it is there.
  expect(timesOff()).toBe(1);
});
