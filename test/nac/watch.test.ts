import { describe, expect, it, vi } from 'vitest';
import type { MacAddress } from '../../src/domain/mac-address.ts';
import { record, says, serve } from '../serve.ts';
import { MAC, MANY, openNacAt, openSandboxNac, SERVICE } from './open.ts';

const NONE = '00:1B:54:00:99:99' as MacAddress;
const SILENT = '00:1B:54:00:0B:06' as MacAddress;
const MINUTE = 60_000;

describe('a call for a watched device', () => {
  it('is made with the service account, and names the address that answered', async () => {
    const { watch, calls, url } = await openSandboxNac();
    expect(await watch(MAC)).toMatchObject({ kind: 'found', node: url });
    expect(await watch(NONE)).toEqual({ kind: 'no session', node: url });
    expect(calls.map(({ username }) => username)).toEqual([SERVICE.username, SERVICE.username]);
  });

  it('is not made while no slot is free, and joins an equal call in flight', async () => {
    const { watch, lookUp, calls } = await openSandboxNac({ concurrency: 1, timeoutMs: 500 });
    const asking = lookUp(SILENT, 'alex');
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    expect(await watch(MAC)).toEqual({ kind: 'busy' });
    const joined = watch(SILENT);
    expect(await joined).toEqual(await asking);
    expect(calls).toHaveLength(1);
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

  it('is left alone for an hour by a NAC that does not know it', async () => {
    const { url, received } = await record({ status: 404 });
    const { hasNoSessions, clock } = openNacAt([url]);
    for (let asked = 0; asked < 10; asked++, clock.now += MINUTE)
      expect(await hasNoSessions(`${url}/`, 'alex')).toBeUndefined();
    expect(received).toHaveLength(1);
  });

  it("is asked for under a person's own account", async () => {
    const { connect, hasNoSessions, url, sisterCalls } = await openSandboxNac();
    await connect('alex');
    expect(await hasNoSessions(url, 'alex')).toBe(false);
    expect(sisterCalls).toMatchObject([{ username: 'alex' }]);
  });
});
