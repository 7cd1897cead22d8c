import { afterEach, describe, expect, it } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { openReadyStage, openStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, linesOf, pressing } from './cards.ts';

let stage: Stage;
afterEach(() => stage.close());

const BOT = [{ id: 'bot', name: 'NAC lookup' }];
const JOIN = { type: 'conversationUpdate', membersAdded: BOT };
const LEAVE = { type: 'conversationUpdate', membersRemoved: BOT };
const INSTALL = { type: 'installationUpdate', action: 'add' };
const UNINSTALL = { type: 'installationUpdate', action: 'remove' };

/** What is said when a conversation tells of this. */
async function told(changes: object, id = 'a:one', conversationType = 'personal') {
  const conversation = { id, conversationType, tenantId: 'sandbox-tenant' };
  const { status, replies } = await stage.say('', { text: undefined, conversation, ...changes });
  expect(status).toBe(200);
  return replies;
}

/** How many replies each of these gets, one after the other. */
async function counts(...all: object[]): Promise<number[]> {
  const replies: number[] = [];
  for (const each of all) replies.push((await told(each)).length);
  return replies;
}

describe('the welcome', () => {
  it('comes when the bot is added to a conversation, with buttons that work', async () => {
    stage = await openReadyStage();
    const [welcome, ...others] = await told(JOIN);
    if (!welcome || others.length > 0) throw new Error('not one welcome');
    expect(welcome).toMatchObject({ method: 'POST', conversationId: 'a:one' });
    expect(textOf(welcome)).toMatch(
      /^Hello! I ask the network access control system \(NAC\) about devices\./,
    );
    expect(linesOf(cardOf(welcome)).join('\n')).not.toContain('mention me');
    const buttons = buttonsOf(cardOf(welcome));
    expect(buttons.map(({ title }) => title)).toEqual(['Try an example', 'Help', 'Status']);
    const [, help, status] = buttons.map((button) => pressing(button, welcome.id));
    expect((await stage.say('', help)).texts).toEqual([expect.stringContaining('Commands:')]);
    expect((await stage.say('', status)).texts).toEqual([expect.stringContaining('No fault known, as of ')]);
  });

  it('comes once in a channel with all its threads, and says to mention the bot', async () => {
    stage = await openReadyStage();
    const [welcome] = await told(JOIN, '19:noc@thread.tacv2', 'channel');
    expect(welcome && textOf(welcome)).toContain('In a channel, mention me first.');
    expect(await told(INSTALL, '19:noc@thread.tacv2;messageid=1', 'channel')).toEqual([]);
  });

  it('comes once for each arrival, however it is told, and again if the bot was removed in between', async () => {
    stage = await openReadyStage();
    const arrivals = [JOIN, JOIN, INSTALL, UNINSTALL, INSTALL, JOIN, LEAVE, JOIN];
    expect(await counts(...arrivals)).toEqual([1, 0, 0, 0, 1, 0, 0, 1]);
    await Promise.all([JOIN, INSTALL, JOIN].map((each) => told(each, 'a:other')));
    expect(stage.replies.filter(({ conversationId }) => conversationId === 'a:other')).toHaveLength(1);
    await stage.restart();
    await stage.ready();
    expect(await counts(JOIN, INSTALL)).toEqual([0, 0]);
  });

  it.each([
    ['while the database is away: it could repeat', { DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' }],
    ['where the bot may not answer', { ALLOWED_USERS: 'x' }],
  ])('does not come %s', async (_, settings) => {
    stage = await openStage(settings);
    expect(await counts(JOIN, INSTALL, UNINSTALL)).toEqual([0, 0, 0]);
  });
});
