import type { Activity } from 'botbuilder';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { placeOf } from '../../src/teams/activity.ts';
import { type AllowLists, createDedupe, createLimits, createPermissions } from '../../src/teams/admission.ts';
import { activityOf } from './activities.ts';

const ALL = { tenants: undefined, users: undefined, conversations: undefined, admins: undefined };
const EVERYONE: AllowLists = { ...ALL, channels: ['msteams', 'webchat'] };
const HERE = { id: 'chat', tenantId: 'tenant' };

const asked = (changes: object = {}) => activityOf({ conversation: HERE, ...changes });
const NOBODY_KNOWN = async () => undefined;
const allows = (lists: Partial<AllowLists>, changes: object) =>
  createPermissions({ ...EVERYONE, ...lists }, clock, NOBODY_KNOWN).allow(asked(changes));

const TENANT = { tenants: ['tenant'] };
const CHAT = { conversations: ['chat'] };
const SAID = { channelData: { tenant: { id: 'tenant' } } };
const tenantIs = (tenantId: unknown, more: object = {}) => ({
  conversation: { id: 'chat', tenantId },
  ...more,
});

describe('who may use the bot', () => {
  it.each<[string, Partial<AllowLists>, object]>([
    ['anyone without lists', {}, {}],
    ['everyone', { tenants: ['*'], users: ['*'], conversations: ['*'] }, {}],
    ['a user by the directory id', { users: ['x', 'megan'] }, {}],
    ['a user by the chat id', { users: ['user-2'] }, { from: { id: 'user-2' } }],
    ['a user of another channel', { users: ['webchat:u'] }, { channelId: 'webchat', from: { id: 'u' } }],
    ['a tenant', { tenants: ['x', 'tenant'] }, {}],
    ['a tenant that the channel data names', TENANT, { conversation: { id: 'chat' }, ...SAID }],
    ['a thread of a conversation', { conversations: ['19:a'] }, { conversation: { id: '19:a;messageid=7' } }],
    ['who is on all lists', { tenants: ['tenant'], users: ['megan'], conversations: ['chat'] }, {}],
  ])('%s', async (_, lists, changes) => {
    expect(await allows(lists, changes)).toBe(true);
  });

  it.each<[string, Partial<AllowLists>, object]>([
    ['on another channel', {}, { channelId: 'slack' }],
    ['another user', { users: ['x'] }, {}],
    ['who is on one of two lists', { users: ['megan'], tenants: ['x'] }, {}],
    ['a chat id with another directory id', { users: ['u2'] }, { from: { id: 'u2', aadObjectId: 'x' } }],
    ['a user whose id begins alike', { users: ['megan'] }, { from: { id: 'x', aadObjectId: 'megan2' } }],
    ['a directory id that another channel made up', { users: ['megan'] }, { channelId: 'webchat' }],
    ['another conversation', { conversations: ['other'] }, {}],
    ['an allowed one as the thread of another', CHAT, { conversation: { id: '19:b;messageid=chat' } }],
    ['another tenant', TENANT, tenantIs('x')],
    ["another tenant's person here", TENANT, { from: { id: 'x', aadObjectId: 'megan', tenantId: 'x' } }],
    ['no tenant', TENANT, tenantIs(undefined)],
    ['an empty tenant', TENANT, tenantIs('', SAID)],
    ['a tenant that the channel data alone calls allowed', TENANT, tenantIs('x', SAID)],
    [
      'another tenant that the channel data names',
      { tenants: ['x'] },
      { conversation: { id: 'chat' }, ...SAID },
    ],
    ['a tenant in a list', TENANT, tenantIs(['tenant'])],
    ['a tenant that is everything', TENANT, tenantIs('*')],
    ['a tenant in capitals', TENANT, tenantIs('TENANT')],
    ['a tenant on another channel', TENANT, { channelId: 'webchat' }],
    ['nobody', { users: ['megan'] }, { from: undefined }],
    ['a sender with empty ids', { users: ['megan'] }, { from: { id: '', aadObjectId: '' } }],
  ])('not %s', async (_, lists, changes) => {
    expect(await allows(lists, changes)).toBe(false);
  });

  it.each([
    ['of an allowed tenant', 'tenant', true],
    ['of another', 'other', false],
    ['unknown to the chat service', undefined, false],
  ])("a shared channel's member whose tenant is not said: %s", async (_, tenant, isAllowed) => {
    const ask = vi.fn(async () => tenant);
    time = 1000;
    const { allow } = createPermissions({ ...EVERYONE, ...TENANT }, clock, ask);
    const conversation = { id: '19:a@thread.tacv2;messageid=1', tenantId: 'tenant' };
    const shared = asked({
      conversation,
      channelData: { channel: { id: '19:a@thread.tacv2', type: 'shared' } },
    });
    const again = { ...shared, conversation: { ...conversation, id: '19:a@thread.tacv2;messageid=2' } };
    expect([await allow(shared), await allow(again as Activity)]).toEqual([isAllowed, isAllowed]);
    expect(ask).toHaveBeenCalledTimes(1);
    time += 60_001;
    await allow(shared);
    expect(ask).toHaveBeenCalledTimes(tenant === undefined ? 2 : 1);
    time += 3_600_001;
    await allow(shared);
    expect(ask).toHaveBeenCalledTimes(tenant === undefined ? 3 : 2);
  });

  it('a person of a stored place is judged as the activity was', async () => {
    const activity = asked({ conversation: { id: '19:a;messageid=1' }, ...SAID, serviceUrl: 'https://x' });
    const place = JSON.parse(JSON.stringify(placeOf(activity)));
    const stored = (lists: Partial<AllowLists>) =>
      createPermissions({ ...EVERYONE, ...lists }, clock, NOBODY_KNOWN).allowStored(place);
    expect(await stored({ ...TENANT, users: ['megan'], conversations: ['19:a'] })).toBe(true);
    for (const lists of [{ tenants: ['x'] }, { users: ['x'] }, { conversations: ['x'] }, { channels: ['x'] }])
      expect(await stored(lists)).toBe(false);
    const shared = { ...activity, channelData: { ...SAID.channelData, channel: { type: 'shared' } } };
    const ask = vi.fn(async () => 'other');
    const { allowStored } = createPermissions({ ...EVERYONE, ...TENANT }, clock, ask);
    expect(await allowStored(placeOf(shared as Activity))).toBe(false);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['whose tenant is said', TENANT, 'shared', { from: { id: 'u', tenantId: 'tenant' } }],
    ['of a channel that is not shared', TENANT, 'private', {}],
    ['where every tenant is allowed', { tenants: ['*'] }, 'shared', {}],
  ])('nobody is asked about a person %s', async (_, lists, type, changes) => {
    const ask = vi.fn(NOBODY_KNOWN);
    const { allow } = createPermissions({ ...EVERYONE, ...lists }, clock, ask);
    const isAllowed = await allow(asked({ ...changes, channelData: { channel: { type } } }));
    expect([isAllowed, ask.mock.calls]).toEqual([true, []]);
  });

  it('may change what concerns the team, if named for it', () => {
    const isAdmin = (admins: readonly string[] | undefined) =>
      createPermissions({ ...EVERYONE, admins }, Date.now, NOBODY_KNOWN).isAdmin(asked());
    expect([undefined, ['*'], ['megan'], ['x'], []].map(isAdmin)).toEqual([true, true, true, false, false]);
  });
});

let time: number;
beforeEach(() => {
  time = 0;
});
const clock = () => time;

it('a person may ask for 30 addresses a minute', () => {
  const limited: number[] = [];
  const limits = createLimits(clock, () => limited.push(time));
  expect([limits.take('alex', 20), limits.take('alex', 20)]).toEqual([0, 60_000]);
  expect([10, 10, 11].map((amount) => limits.waitFor('alex', amount))).toEqual([0, 0, 60_000]);
  expect([limits.take('alex', 10), limits.take('patti', 1)]).toEqual([0, 0]);
  time = 15_000;
  expect(limits.take('alex', 1)).toBe(45_000);
  time = 60_000;
  expect(limits.take('alex', 30)).toBe(0);
  expect(limited).toEqual([0, 15_000]);
});

it('a person may send 120 messages, and alerts 600 addresses a minute', () => {
  const { takeMessage, takeAlert } = createLimits(clock, () => {});
  for (let message = 0; message < 120; message++) expect(takeMessage('alex')).toBe(0);
  expect([takeMessage('alex'), takeMessage('patti')]).toEqual([60_000, 0]);
  expect([takeAlert(600), takeAlert(1)]).toEqual([0, 60_000]);
});

describe('a refusal is posted', () => {
  it('once an hour, and again if the words did not arrive', async () => {
    const { refuseOnce } = createPermissions(EVERYONE, clock, NOBODY_KNOWN);
    const posted: number[] = [];
    const post = async () => void posted.push(time);
    await expect(refuseOnce('megan', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    for (time of [1000, 3_600_000, 3_602_000, 3_603_000]) await refuseOnce('megan', post);
    expect(posted).toEqual([1000, 3_602_000]);
  });

  it('again after 10,000 others, and waits for no other reply', async () => {
    const { refuseOnce } = createPermissions(EVERYONE, clock, NOBODY_KNOWN);
    void refuseOnce('megan', () => new Promise(() => {}));
    await refuseOnce('megan', () => Promise.reject(new Error('posted twice')));
    for (let other = 0; other < 10_000; other++) await refuseOnce(`other ${other}`, async () => {});
    await expect(refuseOnce('megan', () => Promise.reject(new Error('again')))).rejects.toThrow('again');
  });
});

describe('a repeat', () => {
  const MINUTE = 60_000;
  let runs: number;
  let once: ReturnType<typeof createDedupe>;
  beforeEach(() => {
    runs = 0;
    once = createDedupe(clock, 100_000, 10 * MINUTE);
  });
  const run = async () => ({ run: ++runs });

  it('joins the first one in flight, however long that takes', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const first = once('key', () => promise);
    for (; time < 60 * MINUTE; time += MINUTE) once(`other ${time}`, run);
    const second = once('key', run);
    resolve({ run: 7 });
    expect(await Promise.all([first, second])).toEqual([{ run: 7 }, { run: 7 }]);
  });

  it('is answered as the first one for ten minutes, and runs again later', async () => {
    await once('key', run);
    time = 10 * MINUTE;
    expect(await once('key', run)).toEqual({ run: 1 });
    time++;
    expect(await once('key', run)).toEqual({ run: 2 });
  });

  it('runs again at once where the first one failed', async () => {
    await expect(once('key', () => Promise.reject(new Error('torn')))).rejects.toThrow('torn');
    expect(await once('key', run)).toEqual({ run: 1 });
  });

  it('is known by a key of any length', async () => {
    const key = 'x'.repeat(300_000);
    await once(key, run);
    expect(await once(key, run)).toEqual({ run: 1 });
    expect(await once(`${key}y`, run)).toEqual({ run: 2 });
  });

  it('runs again if it was forgotten, because of a bound', async () => {
    const few = createDedupe(clock, 3, 10 * MINUTE);
    for (let index = 0; index < 4; index++) await few(`key ${index}`, run);
    expect(await few('key 3', run)).toEqual({ run: 4 });
    expect(await few('key 0', run)).toEqual({ run: 5 });
  });
});
