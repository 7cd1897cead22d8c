import { afterEach, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../stage.ts';

const ALEX = '00000000-0000-0000-0000-000000000001';
const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
let stage: Stage;
afterEach(() => stage.close());

describe('who may use the bot', () => {
  it.each([
    ['a user by the directory id', { ALLOWED_USERS: `x,${ALEX}` }, {}],
    ['a user by the chat id', { ALLOWED_USERS: 'user-2' }, { from: { id: 'user-2' } }],
    ['a tenant', { ALLOWED_TENANTS: 'sandbox-tenant' }, {}],
    [
      'a conversation, threads included',
      { ALLOWED_CONVERSATIONS: '19:a' },
      { conversation: { id: '19:a;messageid=1' } },
    ],
    ['everyone', { ALLOWED_TENANTS: '*', ALLOWED_USERS: '*' }, {}],
  ])('%s', async (_, settings, changes) => {
    stage = await openStage(settings);
    expect((await stage.say(LOOKUP, changes)).texts[0]).toContain('connected.');
  });

  it.each([
    ['another user', { ALLOWED_USERS: 'x' }],
    ['another tenant', { ALLOWED_TENANTS: 'x' }],
    ['another conversation', { ALLOWED_CONVERSATIONS: 'x' }],
    ['one of two lists', { ALLOWED_USERS: ALEX, ALLOWED_TENANTS: 'x' }],
  ])('not %s: one sentence with the id, once an hour, and no call', async (_, settings) => {
    stage = await openStage(settings);
    expect((await stage.say(LOOKUP)).texts).toEqual([
      `Sorry, I may not answer you here. My administrator can change that; your id is \`${ALEX}\`.`,
    ]);
    expect(await stage.say(LOOKUP)).toMatchObject({ status: 200, texts: [] });
    expect(stage.sandbox.nacCalls).toEqual([]);
  });
});

describe('a message full of unfinished mentions', () => {
  it('does not block the process', async () => {
    stage = await openStage();
    const begun = Date.now();
    await stage.say('<at '.repeat(60_000));
    expect(Date.now() - begun).toBeLessThan(2000);
  });
});
