import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ALERTMANAGER } from '../server/alerts/recorded.ts';
import { openReadyStage, openStage, type Stage } from '../stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openReadyStage({
    ALERTS_TOKEN: 'token-for-alerts',
    ADMINS: '00000000-0000-0000-0000-000000000001',
    PUBLIC_HOST: 'bot.example.com',
  });
});
afterAll(() => stage.close());

const CHANNEL = { id: '19:noc@thread.tacv2;messageid=99', conversationType: 'channel', isGroup: true };
const MENTION = [{ type: 'mention', text: '<at>NAC lookup</at>', mentioned: { id: 'bot' } }];

describe('POST /api/alerts', () => {
  it('looks up every device and answers once, in the named thread and in the room', async () => {
    expect(
      (await stage.say('alerts here as noc', { conversation: CHANNEL, entities: MENTION })).texts,
    ).toEqual([
      expect.stringMatching(
        /^Alerts for `noc` are answered here from now on\..*\n\n`https:\/\/bot\.example\.com\/api\/alerts\/noc`\n/,
      ),
    ]);
    const [replies, posts] = [stage.replies.length, stage.sandbox.room.posts().length];
    const { status, body } = await send({ text: 'down: AA:BB:CC:DD:EE:FF, 001b.5400.0099', thread: 'noc' });
    expect(status).toBe(202);
    expect(body.lookups).toEqual([
      { mac: 'AA:BB:CC:DD:EE:FF', id: expect.any(String) },
      { mac: '00:1B:54:00:00:99', id: expect.any(String) },
    ]);
    await vi.waitFor(() => expect(stage.replies).toHaveLength(replies + 1), 10_000);
    expect(stage.replies.at(-1)).toMatchObject({
      conversationId: CHANNEL.id,
      activity: {
        summary: expect.stringMatching(
          /^Alert firing: down: [\s\S]*:99: no session[\s\S]*:FF: connected[\s\S]*were posted to the room/,
        ),
      },
    });
    expect(JSON.stringify(stage.replies.at(-1)?.activity)).not.toContain('<at>');
    expect(newPosts(posts)).toEqual([
      [
        'Alert firing: down: AA:BB:CC:DD:EE:FF, 001b.5400.0099',
        '00:1B:54:00:00:99: no session. The NAC knows of no current session. Is the device plugged in and awake?',
        'The other device is well.',
        'AA:BB:CC:DD:EE:FF\nCorp_Wired_Access\nBasic_Authenticated_Access',
      ].join('\n\n'),
    ]);
  });

  it('answers only in the room if no thread is named', async () => {
    const [replies, posts] = [stage.replies.length, stage.sandbox.room.posts().length];
    expect((await send({ text: '00:1B:54:00:00:03' })).status).toBe(202);
    await vi.waitFor(
      () =>
        expect(newPosts(posts)).toEqual([
          expect.stringMatching(
            /^Alert firing\.\n\n00:1B:54:00:00:03: rejected\. .*\nBlacklist_Access-Reject$/,
          ),
        ]),
      10_000,
    );
    expect(stage.replies).toHaveLength(replies);
  });

  it("answers Alertmanager's alert in the thread that the address names", async () => {
    const [replies, posts] = [stage.replies.length, stage.sandbox.room.posts().length];
    const authorization = `Basic ${Buffer.from('alertmanager:token-for-alerts').toString('base64')}`;
    expect((await send(ALERTMANAGER.body, { authorization }, '/api/alerts/noc')).status).toBe(202);
    await vi.waitFor(() => expect(stage.replies).toHaveLength(replies + 1), 10_000);
    const { summary, attachments } = Object(stage.replies.at(-1)?.activity);
    expect(summary).toMatch(/^Alert firing: .*\nSource: Alertmanager, Severity: critical, Since: /);
    expect(summary).toMatch(/:03: rejected[\s\S]*:99: no session/);
    expect(JSON.stringify(attachments)).toMatch(/Link: .*prometheus\.example.*Open the alert/);
    expect(newPosts(posts)).toEqual([
      expect.stringMatching(/^Alert firing: [\s\S]*:03: rejected[\s\S]*:99: no session/),
    ]);
  });

  it('takes the token in the address, and logs no token, right or wrong', async () => {
    const wrong = await send({ text: 'x' }, { authorization: '' }, '/api/alerts?token=wrong-token');
    const right = await send({ text: 'x' }, { authorization: '' }, '/api/alerts/?token=token-for-alerts');
    expect([wrong.status, right.status, right.body.lookups]).toEqual([401, 202, []]);
    await vi.waitFor(() => expect(stage.log.join()).toContain('alert refused'));
    expect(stage.log.join()).not.toMatch(/wrong-token|token-for-alerts/);
  });

  it('treats a repeat with the same Idempotency-Key as the same alert, and refuses another body', async () => {
    const posts = stage.sandbox.room.posts().length;
    const key = { 'idempotency-key': 'k-1' };
    const first = await send({ text: '00:1B:54:00:00:02' }, key);
    const again = await send({ text: '00:1B:54:00:00:02' }, key);
    expect([first.status, again.status, again.body]).toEqual([202, 202, first.body]);
    expect((await send({ text: '00:1B:54:00:00:03' }, key)).status).toBe(422);
    await vi.waitFor(() => expect(newPosts(posts)).toHaveLength(1), 10_000);
    expect((await send({ text: '00:1B:54:00:00:02' }, key)).status).toBe(202);
    await vi.waitFor(async () => expect(newPosts(posts)).toHaveLength(1));
  });

  it.each([
    ['no token', { text: 'AA:BB:CC:DD:EE:FF' }, { authorization: '' }, 401],
    ['a wrong token', { text: 'AA:BB:CC:DD:EE:FF' }, { authorization: 'Bearer token-for-alert' }, 401],
    ['no JSON', '{', {}, 400],
    ['an unknown thread', { text: 'AA:BB:CC:DD:EE:FF', thread: 'nowhere' }, {}, 404],
    ['another content type', { text: 'AA:BB:CC:DD:EE:FF' }, { 'content-type': 'text/html' }, 415],
    ['a body over 1 MB', { text: 'x'.repeat(1_048_576) }, {}, 413],
  ])('refuses %s as problem+json', async (_, body, headers, status) => {
    const calls = stage.sandbox.nacCalls.length;
    const answer = await send(body, headers);
    expect(answer).toMatchObject({
      status,
      type: 'application/problem+json',
      body: { type: 'about:blank', status },
    });
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });
});

describe('the alerts command', () => {
  it('sends a test alert, which is answered as all alerts are', async () => {
    const conversation = { ...CHANNEL, id: '19:noc@thread.tacv2;messageid=test' };
    await stage.say('alerts here as büro', { conversation, entities: MENTION });
    const [replies, posts] = [stage.replies.length, stage.sandbox.room.posts().length];
    const { texts } = await stage.say('alerts test büro 00:1B:54:00:00:03');
    expect(texts).toEqual(['A test alert with `00:1B:54:00:00:03` is on its way to `büro`.']);
    await vi.waitFor(() => expect(stage.replies).toHaveLength(replies + 2), 10_000);
    expect(stage.replies.at(-1)).toMatchObject({
      conversationId: conversation.id,
      activity: {
        summary: expect.stringMatching(
          /^Alert firing: Test alert\nSource: .*typed by.*Alex[\s\S]*\nrejected\. .*:03$/m,
        ),
      },
    });
    expect(newPosts(posts)).toEqual([
      expect.stringMatching(/^Alert firing: Test alert\nSource: .*typed by.*Alex[\s\S]*:03: rejected/),
    ]);
    expect((await stage.say('alerts test nowhere')).texts[0]).toContain('No place has the name `nowhere`.');
  });

  it('tells an address that a sender can use as it stands', async () => {
    const [told = ''] = (await stage.say('alerts here as büro')).texts;
    const path = /`https:\/\/bot\.example\.com(\/\S+)`/.exec(told)?.[1];
    expect((await send({ text: 'no address' }, {}, path)).status).toBe(202);
  });

  it('lists the names and removes one', async () => {
    await stage.say('alerts here as lab');
    expect((await stage.say('alerts list')).texts[0]).toContain('`lab`');
    expect((await stage.say('alerts stop lab')).texts).toEqual(['Alerts for `lab` are no longer answered.']);
    expect((await stage.say('alerts stop lab')).texts).toEqual(['No place has the name `lab`.']);
    expect((await send({ text: 'AA:BB:CC:DD:EE:FF', thread: 'lab' })).status).toBe(404);
    expect((await stage.say('alerts')).texts[0]).toContain('`alerts here as NAME`');
  });

  it.each(['alerts list', 'autoreply on', 'posts'])('%s is for administrators', async (text) => {
    const { texts } = await stage.say(text, { from: { id: 'somebody' } });
    expect(texts).toEqual(['This command is for the administrators of the bot.']);
  });
});

describe('autoreply', () => {
  it('answers unmentioned channel messages with a MAC address, once it is on', async () => {
    const unmentioned = { conversation: { ...CHANNEL, id: '19:lab@thread.tacv2;messageid=5' } };
    const question = 'switch port down for 00:1B:54:00:00:02';
    expect((await stage.say(question, unmentioned)).texts).toEqual([]);
    expect((await stage.say('autoreply on', { ...unmentioned, entities: MENTION })).texts[0]).toContain(
      'ChannelMessage.Read.Group',
    );
    expect((await stage.say(question, unmentioned)).replies).toMatchObject([
      {
        conversationId: unmentioned.conversation.id,
        activity: { summary: expect.stringMatching(/^connected\. .*00:1B:54:00:00:02$/m) },
      },
    ]);
    expect((await stage.say('good morning', unmentioned)).texts).toEqual([]);
    expect((await stage.say('lookup 001122334455, ticket 202611221027', unmentioned)).texts).toEqual([]);
    const { texts } = await stage.say(`${question}, ticket 202611221027`, unmentioned);
    expect(texts.join()).not.toContain('202611221027');
    await stage.say('autoreply off', { ...unmentioned, entities: MENTION });
    expect((await stage.say(question, unmentioned)).texts).toEqual([]);
  });
});

describe('without ALERTS_TOKEN', () => {
  it('the route does not exist', async () => {
    const other = await openStage();
    const response = await fetch(`${other.bot.url}/api/alerts`, { method: 'POST', body: '{}' });
    await other.close();
    expect(response.status).toBe(404);
  });
});

async function send(body: unknown, headers: Record<string, string> = {}, path = '/api/alerts') {
  const response = await fetch(`${stage.bot.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token-for-alerts', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
}

function newPosts(from: number): string[] {
  return stage.sandbox.room
    .posts()
    .slice(from)
    .map(({ text }) => text);
}
