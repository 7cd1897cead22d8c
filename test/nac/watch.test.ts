import { describe, expect, it, vi } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { createNac } from '../../src/sandbox/nac.ts';
import { record, says, serve } from '../serve.ts';
import { openNacAt, SERVICE } from './open.ts';

const FOUND = 'AA:BB:CC:DD:EE:FF' as MacAddress;
const NONE = '00:1B:54:00:99:99' as MacAddress;
const SILENT = '00:1B:54:00:0B:06' as MacAddress;
const devices = (count: number) =>
  Array.from({ length: count }, (_, index) => `00:1B:54:00:70:0${index}` as MacAddress);
const MINUTE = 60_000;

async function openSandbox(settings: Parameters<typeof openNacAt>[1] = {}) {
  const { server, calls } = createNac({ accounts: [SERVICE, { username: 'alex', password: 'right' }] });
  const url = `${await serve(server)}/`;
  return { ...openNacAt([url], settings), calls, url };
}

describe('a call for a watched device', () => {
  it('is made with the service account, and names the address that answered', async () => {
    const { watch, calls, url } = await openSandbox();
    expect(await watch(FOUND)).toMatchObject({ kind: 'found', node: url });
    expect(await watch(NONE)).toEqual({ kind: 'no session', node: url });
    expect(calls.map(({ username }) => username)).toEqual([SERVICE.username, SERVICE.username]);
  });

  it('is not made while no slot is free, and joins an equal call in flight', async () => {
    const { watch, lookUp, calls } = await openSandbox({ concurrency: 1, timeoutMs: 500 });
    const asking = lookUp(SILENT, 'alex');
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(await watch(FOUND)).toEqual({ kind: 'busy' });
    const joined = watch(SILENT);
    expect(await joined).toEqual(await asking);
    expect(calls).toHaveLength(1);
    expect(await watch(FOUND)).toMatchObject({ kind: 'found' });
  });

  it('is never the first with a changed password', async () => {
    const { watch, lookUp, password, calls } = await openSandbox();
    expect(await watch(FOUND)).toMatchObject({ kind: 'found' });
    password.now = 'changed';
    expect(await watch(FOUND)).toEqual({ kind: 'busy' });
    expect(calls).toHaveLength(1);
    expect(await lookUp(FOUND, 'alex')).toMatchObject({ kind: 'refused' });
    expect(await watch(FOUND)).toMatchObject({ kind: 'resting' });
    password.now = SERVICE.password;
    expect(await watch(FOUND)).toMatchObject({ kind: 'found' });
  });

  it('counts for no asker if it fails', async () => {
    const url = await serve(says(500));
    const { watch, lookUp } = openNacAt([url]);
    for (const device of devices(9)) expect(await watch(device)).toEqual({ kind: 'fault', status: 500 });
    for (const device of devices(4)) expect(await lookUp(device, 'alex')).toMatchObject({ kind: 'fault' });
    expect(await lookUp(FOUND, 'eve')).toMatchObject({ kind: 'fault' });
  });

  it('pauses the NAC if there is no connection, and may be the probe', async () => {
    const { watch, lookUp, clock } = openNacAt(['http://127.0.0.1:1']);
    for (const device of devices(5)) expect(await watch(device)).toMatchObject({ kind: 'no answer' });
    expect(await lookUp(FOUND, 'alex')).toMatchObject({ kind: 'paused', isForAll: true });
    clock.now += 5000;
    expect(await watch(FOUND)).toMatchObject({ kind: 'no answer' });
    expect(await watch(FOUND)).toMatchObject({ kind: 'paused', until: clock.now + 10_000 });
  });
});

describe('the count of active sessions', () => {
  const count = (number: number | string) => `<sessionCount><count>${number}</count></sessionCount>`;

  it.each([
    [200, count(0), true],
    [200, count(7), false],
    [200, '<html><count>0</count></html>', undefined],
    [200, count('many'), undefined],
    [401, '', undefined],
    [500, '', undefined],
  ])('of an answer %i %j is none: %s', async (status, body, isNone) => {
    const { url, received } = await record({ status, body });
    const { hasNoSessions } = openNacAt([url]);
    expect(await hasNoSessions(`${url}/`, 'alex')).toBe(isNone);
    expect(received.map(({ path }) => path)).toEqual(['/admin/API/mnt/Session/ActiveCount']);
  });

  it('is asked for once a minute, only at addresses of the settings', async () => {
    const { url, received } = await record({ status: 200, body: count(0) });
    const { hasNoSessions, clock } = openNacAt([url]);
    const ask = () => hasNoSessions(`${url}/`, 'alex');
    await Promise.all([ask(), ask()]);
    clock.now += MINUTE - 1;
    await ask();
    expect(received).toHaveLength(1);
    clock.now += 1;
    await ask();
    expect(received).toHaveLength(2);
    expect(await hasNoSessions('http://127.0.0.1:1/', 'alex')).toBeUndefined();
  });

  it('is left alone for an hour by a NAC that does not know it', async () => {
    const { url, received } = await record({ status: 404 });
    const { hasNoSessions, clock } = openNacAt([url]);
    for (let asked = 0; asked < 10; asked++) {
      expect(await hasNoSessions(`${url}/`, 'alex')).toBeUndefined();
      clock.now += MINUTE;
    }
    expect(received).toHaveLength(1);
  });

  it("is asked for under a person's own account", async () => {
    const { connect, hasNoSessions, url } = await openSandbox();
    await connect('alex');
    expect(await hasNoSessions(url, 'alex')).toBe(false);
  });
});
