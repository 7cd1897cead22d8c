import { expect, it } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { type Stage, stageForTest } from '../stage.ts';
import { linesOf, only } from './cards.ts';

const BOT = [{ id: 'bot', name: 'NAC lookup' }];
const JOIN = { type: 'conversationUpdate', membersAdded: BOT };
const LEAVE = { type: 'conversationUpdate', membersRemoved: BOT };
const INSTALL = { type: 'installationUpdate', action: 'add' };
const UNINSTALL = { type: 'installationUpdate', action: 'remove' };

/** What a bot says when a conversation tells of something. */
async function told({ say }: Stage, changes: object, id = 'a:one', conversationType = 'personal') {
  const conversation = { id, conversationType, tenantId: 'sandbox-tenant' };
  const { status, replies } = await say('', { text: undefined, conversation, ...changes });
  expect(status).toBe(200);
  return replies;
}

async function counts(stage: Stage, ...all: object[]): Promise<number[]> {
  const replies: number[] = [];
  for (const each of all) replies.push((await told(stage, each)).length);
  return replies;
}

it('the welcome comes when the bot is added, once in all threads of a channel', async () => {
  const stage = await stageForTest();
  const welcome = only(await told(stage, JOIN, '19:noc@thread.tacv2', 'channel'));
  expect(textOf(welcome)).toMatch(/^Hello! I ask the network access control system/);
  expect(linesOf(welcome).at(-1)).toBe('In a channel, mention me first.');
  expect(await told(stage, INSTALL, '19:noc@thread.tacv2;messageid=1', 'channel')).toEqual([]);
  const overheard = { text: '00:1B:54:00:00:02' }; // A welcome does not turn autoreply on.
  expect(await told(stage, overheard, '19:noc@thread.tacv2', 'channel')).toEqual([]);
});

it('the welcome comes once for each arrival, however it is told, and again if the bot was removed in between', async () => {
  const stage = await stageForTest();
  const arrivals = [JOIN, JOIN, INSTALL, UNINSTALL, INSTALL, JOIN, LEAVE, JOIN];
  expect(await counts(stage, ...arrivals)).toEqual([1, 0, 0, 0, 1, 0, 0, 1]);
  await Promise.all([JOIN, INSTALL, JOIN].map((each) => told(stage, each, 'a:other')));
  expect(stage.replies.filter(({ conversationId }) => conversationId === 'a:other')).toHaveLength(1);
  await stage.restart();
  expect(await counts(stage, JOIN, INSTALL)).toEqual([0, 0]);
});

it('the welcome does not come while the database is away, because it could repeat', async () => {
  const stage = await stageForTest({ DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' }, { waits: false });
  expect(await counts(stage, JOIN, INSTALL, UNINSTALL)).toEqual([0, 0, 0]);
});
