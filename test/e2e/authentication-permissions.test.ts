import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/sandbox/listen.ts';
import { openSignedStage, type SignedStage } from '../stage.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';
const SILENT = { status: 200, texts: [] };

let stage: SignedStage;
afterEach(() => stage.close());

describe('a person who may not use the bot', () => {
  const sorry = (id: string) =>
    `Sorry, I may not answer you here. My administrator can change that; your id is \`${id}\`.`;

  it('gets one sentence with the id, and nothing else happens', async () => {
    stage = await openSignedStage({ ALLOWED_USERS: 'user-2', ALLOWED_TENANTS: 'sandbox-tenant' });
    const before = stage.deeds();
    const from = { id: 'new', name: 'New' };
    expect(await stage.say(LOOKUP, { from })).toMatchObject({ status: 200, texts: [sorry('new')] });
    expect(await stage.say('help', { from })).toMatchObject(SILENT);
    expect(await stage.say(LOOKUP, { from, conversation: { id: 'personal-chat' } })).toMatchObject(SILENT);
    const installed = { type: 'installationUpdate', action: 'add', from };
    expect(await stage.say('', installed)).toMatchObject(SILENT);
    for (const odd of [undefined, { name: 'Alex' }, { id: ['user-2'] }])
      await stage.say(LOOKUP, { from: odd, tenantId: 'x' });
    expect(stage.deeds()).toMatchObject({ nac: before.nac, posts: before.posts });
    expect(await stage.say(LOOKUP, { from: { id: 'user-2' } })).toMatchObject({
      texts: [expect.stringContaining('connected.')],
    });
  });
});

it('a forbidden service address gets no token and no reply, neither to a question nor to one kept while it was allowed', {
  timeout: 60_000,
}, async () => {
  const port = await freePort(0);
  stage = await openSignedStage({ OPS_PORT: String(port) });
  await stage.ready();
  const keptReplies = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /^nac_lookup_bot_jobs\{queue="reply",state="waiting"\} (\d+)$/m.exec(metrics)?.[1];
  };
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
