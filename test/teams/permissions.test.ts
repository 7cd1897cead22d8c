import type { Activity } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import { type AllowLists, createPermissions } from '../../src/teams/permissions.ts';
import { activityOf } from './handle.ts';

const ALL = { tenants: undefined, users: undefined, conversations: undefined, admins: undefined };
const EVERYONE: AllowLists = { ...ALL, channels: ['msteams', 'webchat'] };
const HERE = { id: 'chat', tenantId: 'tenant' };

/** Megan's message in the chat of the tenant, with these changes. */
const asked = (changes: object = {}) => activityOf({ conversation: HERE, ...changes });
const allows = (lists: Partial<AllowLists>, activity: Activity) =>
  createPermissions({ ...EVERYONE, ...lists }, Date.now).allow(activity);

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
  ])('%s', (_, lists, changes) => {
    expect(allows(lists, asked(changes))).toBe(true);
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
    ['a tenant that is everything', TENANT, tenantIs('*')],
    ['a tenant in capitals', TENANT, tenantIs('TENANT')],
    ['a tenant on another channel', TENANT, { channelId: 'webchat' }],
    ['nobody', { users: ['megan'] }, { from: undefined }],
    ['a sender with empty ids', { users: ['megan'] }, { from: { id: '', aadObjectId: '' } }],
  ])('not %s', (_, lists, changes) => {
    expect(allows(lists, asked(changes))).toBe(false);
  });

  it('may change what concerns the team, if named for it', () => {
    const isAdmin = (admins: readonly string[] | undefined) =>
      createPermissions({ ...EVERYONE, admins }, Date.now).isAdmin(asked());
    expect([undefined, ['*'], ['megan'], ['x'], []].map(isAdmin)).toEqual([true, true, true, false, false]);
  });
});

it('a person who may not is told once an hour, and again if the words did not arrive', async () => {
  let now = 0;
  const { tellOnce } = createPermissions(EVERYONE, () => now);
  const told: number[] = [];
  const tell = async () => void told.push(now);
  await expect(tellOnce('megan', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  for (now of [1000, 3_600_000, 3_602_000, 3_603_000]) await tellOnce('megan', tell);
  expect(told).toEqual([1000, 3_602_000]);
});
