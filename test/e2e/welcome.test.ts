import { expect, it } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { linesOf, only } from '../replies.ts';
import { type Bot, startBot } from '../start-bot.ts';

const BOT = [{ id: 'bot', name: 'NAC lookup' }];
const JOIN = { type: 'conversationUpdate', membersAdded: BOT };
const LEAVE = { type: 'conversationUpdate', membersRemoved: BOT };
const INSTALL = { type: 'installationUpdate', action: 'add' };
const UNINSTALL = { type: 'installationUpdate', action: 'remove' };

/** The replies to an event in a conversation. */
async function send({ say }: Bot, event: object, id = 'a:one', conversationType = 'personal') {
  const conversation = { id, conversationType, tenantId: 'sandbox-tenant' };
  const { status, replies } = await say(undefined, { conversation, ...event });
  expect(status).toBe(200);
  return replies;
}

/** How many replies each event has. */
async function counts(bot: Bot, ...events: object[]): Promise<number[]> {
  const replies: number[] = [];
  for (const event of events) replies.push((await send(bot, event)).length);
  return replies;
}

it('the welcome comes once in all threads of a channel', async () => {
  const bot = await startBot();
  const welcome = only(await send(bot, JOIN, '19:noc@thread.tacv2', 'channel'));
  expect(textOf(welcome)).toMatch(/^Hello! I ask the network access control system/);
  expect(linesOf(welcome).at(-1)).toBe('In a channel, mention me first.');
  expect(await send(bot, INSTALL, '19:noc@thread.tacv2;messageid=1', 'channel')).toEqual([]);
});

it('the welcome does not turn autoreply on', async () => {
  const bot = await startBot();
  await send(bot, JOIN, '19:noc@thread.tacv2', 'channel');
  expect(await send(bot, { text: '00:1B:54:00:00:02' }, '19:noc@thread.tacv2', 'channel')).toEqual([]);
});

it('the welcome comes once for each arrival, by any events', async () => {
  const bot = await startBot();
  const events = [JOIN, JOIN, INSTALL, UNINSTALL, INSTALL, JOIN, LEAVE, JOIN];
  expect(await counts(bot, ...events)).toEqual([1, 0, 0, 0, 1, 0, 0, 1]);
  await bot.restart();
  expect(await counts(bot, JOIN, INSTALL)).toEqual([0, 0]);
});

it('the welcome comes once for events that arrive together', async () => {
  const bot = await startBot();
  await Promise.all([JOIN, INSTALL, JOIN].map((event) => send(bot, event)));
  expect(bot.replies).toHaveLength(1);
});

it('the welcome does not come while the database is away', async () => {
  const settings = { DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' };
  const bot = await startBot({ settings, waits: false });
  expect(await counts(bot, JOIN, INSTALL, UNINSTALL)).toEqual([0, 0, 0]);
});
