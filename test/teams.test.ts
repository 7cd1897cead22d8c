import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { Dialog } from '../dialogs/dialog.ts';
import { reportNumber } from '../dialogs/lookup/audit-answers.ts';
import { systemClock } from '../src/app/clock.ts';
import { createUpstream } from '../src/http.ts';
import { createChat, messageActivity } from '../src/sandbox/chat.ts';
import { listen } from '../src/sandbox/listen.ts';
import { isAway, StoreClosedError } from '../src/store/faults.ts';
import { createConnector } from '../src/teams/connector.ts';
import { createPermissions } from '../src/teams/permissions.ts';
import { createBot, createChat as createWay } from '../src/teams.ts';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

describe('a dialog that fails', () => {
  it('tells the person one neutral sentence with a number, and the log the rest', async () => {
    const { say, log } = await stage(async () => {
      throw new Error('password is canary');
    });
    const [text] = await say('boom');
    expect(text).toMatch(
      /^Something went wrong here\. Please try again; if it stays, report number \d{6}\.$/,
    );
    const number = /\d{6}/.exec(text ?? '')?.[0];
    expect(
      log.filter((line) => line.includes(`"reference":${number}`) && line.includes('turn failed')),
    ).toHaveLength(1);
  });

  it('has the number of its lookup, also when the message comes again', async () => {
    const { bot, url, chat } = await stage(async () => {
      throw new Error('a bug');
    });
    const message = { ...messageActivity(url, 'boom'), id: 'message-1', timestamp: undefined };
    for (let n = 0; n < 2; n++) await bot(message as never);
    const number = reportNumber(JSON.stringify(['personal-chat', 'message-1']));
    expect(chat.replies.at(-1)?.activity.text).toContain(`report number ${number}.`);
  });

  it('says so where it needs a database that is not open', async () => {
    const { say } = await stage(async () => {
      throw new StoreClosedError('the database is not open');
    });
    expect(await say('boom')).toEqual([
      'I cannot reach my database right now, which this needs. Please try again in a moment.',
    ]);
  });

  it('does not touch the next turn', async () => {
    let calls = 0;
    const { say } = await stage(async (turn) => {
      if (++calls === 1) throw new Error('once');
      await turn.say('well');
    });
    await say('boom');
    expect(await say('boom')).toEqual(['well']);
  });
});

describe('a long reply', () => {
  it('goes in several messages, split between lines', async () => {
    const line = 'x'.repeat(9_999);
    const { say } = await stage((turn) => turn.say(Array(5).fill(line).join('\n')));
    expect((await say('boom')).map((text) => text.length)).toEqual([19_999, 19_999, 9_999]);
  });
});

describe('a request that expects its replies', () => {
  it('gets them in the answer', async () => {
    const { bot, url } = await stage((turn) => turn.say('here'));
    const activity = { ...messageActivity(url, 'boom'), deliveryMode: 'expectReplies' };
    expect(await bot(activity as never)).toMatchObject({
      status: 200,
      body: { activities: [{ text: 'here' }] },
    });
  });
});

async function stage(answer: Dialog['answer']) {
  const chat = createChat();
  const { url, close } = await listen(chat.server);
  const channel = createUpstream({ tls: { kind: 'verify' }, timeoutMs: 2000, maxBytes: 100_000 });
  closers.push(close, channel.close);
  const log: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  const dialog: Dialog = { name: 'boom', summary: '', examples: [], details: [], answer };
  const way = createWay({
    connector: createConnector({
      channel,
      serviceHosts: { names: [], loopback: true },
      tokens: undefined,
      log: pino(sink),
    }),
    replyQueue: { put: () => Promise.reject(new Error('no database here')) },
    now: Date.now,
    log: pino(sink),
    isAway,
    logFault: () => {},
  });
  const bot = createBot({
    chat: way,
    dialogs: [dialog],
    extension: async () => undefined,
    limits: { takeMessage: () => 0 },
    welcomes: { claim: async () => false, forget: async () => {} },
    supersede: async () => {},
    isJob: async () => false,
    autoreplies: { isOn: async () => false },
    permissions: createPermissions(
      { tenants: undefined, users: undefined, conversations: undefined, admins: undefined, channels: ['*'] },
      Date.now,
    ),
    clock: systemClock,
    logFault: () => {},
    log: pino(sink),
  });
  return {
    bot,
    chat,
    url,
    log,
    async say(text: string): Promise<string[]> {
      const before = chat.replies.length;
      await bot(messageActivity(url, text) as never);
      return chat.replies.slice(before).map(({ activity }) => String(activity.text));
    },
  };
}
