import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/sandbox/listen.ts';
import { openSignedStage, type SignedStage } from '../stage.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const ALEX = '00000000-0000-0000-0000-000000000001';
const PERSONAL = { id: 'personal-chat', conversationType: 'personal', tenantId: 'sandbox-tenant' };
const ANSWERED = { status: 200, texts: [expect.stringContaining('connected.')] };
const SILENT = { status: 200, texts: [] };

const sorry = (id: string) =>
  `Sorry, I may not answer you here. My administrator can change that; your id is \`${id}\`.`;

let stage: SignedStage;
let people = 0;

/** A new person, whose hour no other test has used. */
const someone = () => ({ id: `new-${++people}`, name: 'New' });

describe('who may use the bot, with authentication on', () => {
  beforeAll(async () => {
    stage = await openSignedStage({
      ALLOWED_TENANTS: 'sandbox-tenant,second-tenant',
      ALLOWED_USERS: `${ALEX}, user-2`,
      ALLOWED_CONVERSATIONS: 'personal-chat,19:a@thread.tacv2',
    });
  });
  afterAll(() => stage.close());

  it.each<[string, Record<string, unknown>]>([
    ['by the directory id', {}],
    ['by the chat id', { from: { id: 'user-2' } }],
    ['in a thread of a channel', { conversation: { ...PERSONAL, id: '19:a@thread.tacv2;messageid=7' } }],
    [
      'of a tenant that the channel data names',
      {
        conversation: { id: 'personal-chat', conversationType: 'personal' },
        channelData: { tenant: { id: 'second-tenant' } },
      },
    ],
  ])('allows someone %s', async (_, changes) => {
    expect(await stage.say(LOOKUP, changes)).toMatchObject(ANSWERED);
  });

  it.each<[string, (person: { id: string }) => Record<string, unknown>]>([
    ['another user', () => ({})],
    [
      'a user whose chat id is allowed and whose directory id is not',
      ({ id }) => ({ from: { id: 'user-2', aadObjectId: id } }),
    ],
    ['a user whose id begins alike', ({ id }) => ({ from: { id: 'user-22', aadObjectId: `${ALEX}${id}` } })],
    [
      'another tenant',
      ({ id }) => ({ from: { id, aadObjectId: ALEX }, conversation: { ...PERSONAL, tenantId: 'x' } }),
    ],
  ])('refuses %s: one sentence with the id, and no call', async (_, changes) => {
    const person = someone();
    const before = stage.deeds();
    const sent = { from: person, ...changes(person) };
    const { aadObjectId = person.id } = sent.from as { aadObjectId?: string };
    expect(await stage.say(LOOKUP, sent)).toMatchObject({ status: 200, texts: [sorry(aadObjectId)] });
    expect(await stage.say(LOOKUP, sent)).toMatchObject(SILENT);
    expect(await stage.say('help', sent)).toMatchObject(SILENT);
    expect(stage.deeds()).toMatchObject({ nac: before.nac, posts: before.posts });
  });

  it.each<[string, Record<string, unknown>]>([
    [
      "another tenant's person in a place of an allowed one",
      { from: { id: '29:guest', aadObjectId: ALEX, tenantId: 'x' } },
    ],
    ['no tenant', { conversation: { ...PERSONAL, tenantId: undefined } }],
    [
      'an empty tenant',
      { conversation: { ...PERSONAL, tenantId: '' }, channelData: { tenant: { id: 'sandbox-tenant' } } },
    ],
    [
      'a tenant that the channel data alone calls allowed',
      { conversation: { ...PERSONAL, tenantId: 'x' }, channelData: { tenant: { id: 'sandbox-tenant' } } },
    ],
    ['a tenant that is a list', { conversation: { ...PERSONAL, tenantId: ['sandbox-tenant'] } }],
    ['a tenant that is everything', { conversation: { ...PERSONAL, tenantId: '*' } }],
    ['a tenant in capitals', { conversation: { ...PERSONAL, tenantId: 'SANDBOX-TENANT' } }],
    ['another conversation', { conversation: { ...PERSONAL, id: '19:b@thread.tacv2' } }],
    [
      'an allowed conversation as the thread of another',
      { conversation: { ...PERSONAL, id: '19:b;messageid=personal-chat' } },
    ],
    ['nobody', { from: undefined }],
    ['a sender without an id', { from: { name: 'Alex' } }],
    ['a sender whose id is a list', { from: { id: [ALEX] } }],
  ])('not with %s', async (_, changes) => {
    const before = stage.deeds();
    const { status, texts } = await stage.say(LOOKUP, changes);
    expect(status).toBe(200);
    for (const said of texts) expect(said).toMatch(/^Sorry, I may not answer you here\./);
    expect(stage.deeds()).toMatchObject({ nac: before.nac, posts: before.posts });
  });

  it('sends no reply to other kinds of activities', async () => {
    const before = stage.deeds();
    const query = {
      type: 'invoke',
      name: 'composeExtension/query',
      value: { commandId: 'lookup', parameters: [{ name: 'address', value: 'AA:BB:CC:DD:EE:FF' }] },
    };
    const { status, text, texts } = await stage.say(LOOKUP, { ...query, from: someone() });
    expect(texts).toEqual([]);
    expect(status === 200 ? text : 'Sorry').toContain('Sorry');
    const installed = { type: 'installationUpdate', action: 'add', from: someone() };
    expect(await stage.say('', installed)).toMatchObject(SILENT);
    expect(stage.deeds()).toMatchObject({ nac: before.nac, posts: before.posts, chat: before.chat });
  });

  it('repeats the refusal after an hour', async () => {
    const from = someone();
    expect(await stage.say('help', { from })).toMatchObject({ texts: [sorry(from.id)] });
    stage.skip(31_000);
    expect(await stage.say('help', { from })).toMatchObject(SILENT);
    stage.skip(3_600_000);
    expect(await stage.say('help', { from })).toMatchObject({ texts: [sorry(from.id)] });
    expect(await stage.say('help', { from })).toMatchObject(SILENT);
  });

  it('delivers the refusal though the first try fails: the channel retries, or the bot keeps it', async () => {
    const from = someone();
    stage.chat.refusals.push({ status: 503 });
    const { status } = await stage.say('help', { from, id: 'told-later' });
    if (status === 200)
      await vi.waitFor(() => expect(stage.chat.replies.at(-1)?.replyToId).toBe('told-later'), 10_000);
    else
      expect(await stage.say('help', { from, id: 'told-later' })).toMatchObject({ texts: [sorry(from.id)] });
  });
});

describe('a forbidden service address', { timeout: 60_000 }, () => {
  let port: number;
  beforeAll(async () => {
    port = await freePort(0);
    stage = await openSignedStage({ OPS_PORT: String(port) });
    await stage.ready();
  });
  afterAll(() => stage.close());

  const keptReplies = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /^nac_lookup_bot_jobs\{queue="reply",state="waiting"\} (\d+)$/m.exec(metrics)?.[1];
  };

  it('gets no token and no reply, neither to a question nor to one kept while the address was allowed', async () => {
    for (let count = 0; count < 10; count++) stage.chat.refusals.push({ status: 400 });
    expect(await stage.say(LOOKUP, { id: 'kept' })).toMatchObject(SILENT);
    expect(await keptReplies()).toBe('1');
    stage.chat.refusals.length = 0;
    const before = stage.deeds();

    await stage.restart({ SERVICE_HOSTS: 'smba.trafficmanager.net' });
    expect(await stage.say(LOOKUP)).toMatchObject({ status: 403, texts: [] });
    await vi.waitFor(async () => expect(await keptReplies()).toBe('0'), { timeout: 40_000, interval: 500 });
    // A token is asked for at each start, so the authority hears more.
    expect(stage.deeds()).toEqual({ ...before, authority: expect.any(Number) });
  });
});
