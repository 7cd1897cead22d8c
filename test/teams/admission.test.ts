import { beforeEach, expect, it, vi } from 'vitest';
import { placeOf } from '../../src/teams/activity.ts';
import { type AllowLists, createDedupe, createLimits, createPermissions } from '../../src/teams/admission.ts';
import { activityOf } from './activities.ts';

type Lists = Partial<AllowLists>;

let time: number;
const clock = () => time;
beforeEach(() => {
  time = 1000;
});

const asked = (changes: object = {}) =>
  placeOf(activityOf({ conversation: { id: 'chat', tenantId: 'tenant' }, ...changes }));
const ALL = { tenants: undefined, users: undefined, conversations: undefined, admins: undefined };
const NOBODY_KNOWN = async () => undefined;
const permit = (lists: Lists, senderTenant: () => Promise<string | undefined> = NOBODY_KNOWN) =>
  createPermissions({ ...ALL, channels: ['msteams', 'webchat'], ...lists }, clock, senderTenant);

const TENANT = { tenants: ['tenant'] };
const MEGAN = { users: ['megan'] };
const NAMED = { channelData: { tenant: { id: 'tenant' } } };
const WEBCHAT = { channelId: 'webchat' };
const tenantIs = (tenantId: unknown, more = {}) => ({ conversation: { id: 'chat', tenantId }, ...more });
const at = (id: string) => ({ conversation: { id } });
const from = (id: string, aadObjectId?: string, more = {}) => ({ from: { id, aadObjectId, ...more } });

it.each<[string, boolean, Lists, object]>([
  ['anyone without lists', true, {}, {}],
  ['everyone', true, { tenants: ['*'], users: ['*'], conversations: ['*'] }, {}],
  ['a user by the directory id', true, { users: ['x', 'megan'] }, {}],
  ['a user by the chat id', true, { users: ['user-2'] }, from('user-2')],
  ['a user of another channel', true, { users: ['webchat:u'] }, { ...WEBCHAT, ...from('u') }],
  ['a tenant', true, { tenants: ['x', 'tenant'] }, {}],
  ['a tenant that the channel data names', true, TENANT, { ...at('chat'), ...NAMED }],
  ['a thread of a conversation', true, { conversations: ['19:a'] }, at('19:a;messageid=7')],
  ['a person on another channel', false, {}, { channelId: 'slack' }],
  ['a person on one of two lists', false, { ...MEGAN, tenants: ['x'] }, {}],
  ['a chat id with another directory id', false, { users: ['u2'] }, from('u2', 'x')],
  ['a user whose id begins alike', false, MEGAN, from('x', 'megan2')],
  ['a directory id that another channel made up', false, MEGAN, WEBCHAT],
  ['another conversation', false, { conversations: ['other'] }, {}],
  ['an allowed one as the thread of another', false, { conversations: ['chat'] }, at('19:b;messageid=chat')],
  ['another tenant', false, TENANT, tenantIs('x')],
  ["another tenant's person here", false, TENANT, from('x', 'megan', { tenantId: 'x' })],
  ['no tenant', false, TENANT, tenantIs(undefined)],
  ['an empty tenant', false, TENANT, tenantIs('', NAMED)],
  ['a tenant that the channel data alone calls allowed', false, TENANT, tenantIs('x', NAMED)],
  ['another tenant that the channel data names', false, { tenants: ['x'] }, { ...at('chat'), ...NAMED }],
  ['a tenant in a list', false, TENANT, tenantIs(['tenant'])],
  ['a tenant that is everything', false, TENANT, tenantIs('*')],
  ['a tenant on another channel', false, TENANT, WEBCHAT],
  ['nobody', false, MEGAN, { from: undefined }],
  ['a sender with empty ids', false, MEGAN, from('', '')],
])('%s may use the bot: %s', async (_, isAllowed, lists, changes) =>
  expect((await permit(lists).refusedBy(asked(changes))) === undefined).toBe(isAllowed),
);

it.each([
  ['of an allowed tenant', 'tenant', true],
  ['of another', 'other', false],
  ['unknown to the chat service', undefined, false],
])("a shared channel's unknown tenant is asked for, and remembered: %s", async (_, tenant, isAllowed) => {
  const ask = vi.fn(async () => tenant);
  const { refusedBy } = permit(TENANT, ask);
  const allow = async (thread: number) => {
    const conversation = { id: `19:a;messageid=${thread}`, tenantId: 'tenant' };
    return (
      (await refusedBy(asked({ conversation, channelData: { channel: { type: 'shared' } } }))) === undefined
    );
  };
  expect([await allow(1), await allow(2)]).toEqual([isAllowed, isAllowed]);
  expect(ask).toHaveBeenCalledTimes(1);
  time += 60_001;
  await allow(1);
  expect(ask).toHaveBeenCalledTimes(2);
});

it.each([
  ['whose tenant is said', TENANT, 'shared', from('u', undefined, { tenantId: 'tenant' })],
  ['of a channel that is not shared', TENANT, 'private', {}],
  ['where every tenant is allowed', { tenants: ['*'] }, 'shared', {}],
])('no tenant is asked for: a person %s', async (_, lists, type, changes) => {
  const ask = vi.fn(NOBODY_KNOWN);
  const place = asked({ ...changes, channelData: { channel: { type } } });
  expect([await permit(lists, ask).refusedBy(place), ask.mock.calls]).toEqual([undefined, []]);
});

it('each list that is set refuses by its own name', async () => {
  for (const list of ['tenants', 'users', 'conversations', 'channels'])
    expect(await permit({ [list]: ['x'] }).refusedBy(asked())).toBe(`ALLOWED_${list.toUpperCase()}`);
});

it.each([
  [undefined, true],
  [['*'], true],
  [['megan'], true],
  [['x'], false],
  [[], false],
])('with the administrators %j a person is one: %s', (admins, isAdmin) =>
  expect(permit({ admins }).isAdmin(asked())).toBe(isAdmin),
);

it('a person may ask for 30 addresses a minute', () => {
  const limited: number[] = [];
  const limits = createLimits(clock, () => limited.push(time));
  expect([limits.take('alex', 20), limits.take('alex', 20)]).toEqual([0, 60_000]);
  expect([limits.take('alex', 10), limits.take('patti', 1)]).toEqual([0, 0]);
  time = 16_000;
  expect(limits.take('alex', 1)).toBe(45_000);
  time = 61_001;
  expect(limits.take('alex', 30)).toBe(0);
  expect(limited).toEqual([1000, 16_000]);
});

it('a person may send 120 messages, and alerts 600 addresses a minute', () => {
  const { takeMessage, takeAlert } = createLimits(clock, () => {});
  for (let message = 0; message < 120; message++) expect(takeMessage('alex')).toBe(0);
  expect([takeMessage('alex'), takeMessage('patti')]).toEqual([60_000, 0]);
  expect([takeAlert(600), takeAlert(1)]).toEqual([0, 60_000]);
});

const failing = (why: string) => () => Promise.reject(new Error(why));

it('a refusal is posted once an hour, and again if it did not arrive', async () => {
  const { onceAnHour } = permit({});
  const posted: number[] = [];
  await expect(onceAnHour('megan', failing('away'))).rejects.toThrow('away');
  for (time of [1000, 3_600_000, 3_602_000, 3_603_000])
    await onceAnHour('megan', async () => void posted.push(time));
  expect(posted).toEqual([1000, 3_602_000]);
});

it('a refusal is posted again after 10,000 others', async () => {
  const { onceAnHour } = permit({});
  await onceAnHour('megan', async () => {});
  await onceAnHour('megan', failing('posted twice'));
  for (let other = 0; other < 10_000; other++) await onceAnHour(`other ${other}`, async () => {});
  await expect(onceAnHour('megan', failing('again'))).rejects.toThrow('again');
});

const MINUTE = 60_000;

it('a repeat joins the first one in flight', async () => {
  const once = createDedupe(clock, 100_000, 10 * MINUTE);
  const { promise, resolve } = Promise.withResolvers<string>();
  const both = [once('key', () => promise), once('key', async () => 'second')];
  resolve('first');
  expect(await Promise.all(both)).toEqual(['first', 'first']);
});

it('a repeat of a run that did not fail is answered for ten minutes', async () => {
  const once = createDedupe(clock, 100_000, 10 * MINUTE);
  await expect(once('key', () => Promise.reject(new Error('torn')))).rejects.toThrow('torn');
  expect(await once('key', async () => 'first')).toBe('first');
  time += 10 * MINUTE;
  expect(await once('key', async () => 'second')).toBe('first');
  time++;
  expect(await once('key', async () => 'third')).toBe('third');
});
