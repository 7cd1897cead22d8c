import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { reportNumber } from '../dialogs/lookup/report.ts';
import { inThread, linesOf, only, transcriptOf } from './replies.ts';
import { NO_DATABASE, startBot } from './start-bot.ts';

const BOT = { id: 'bot' };
const OTHER = { id: 'x' };
const DEVICE = '00:1B:54:00:00:01';
const EDIT = { type: 'messageUpdate', text: 'help', channelData: { eventType: 'editMessage' } };
const CHANGE = { type: 'conversationUpdate' };
const JOIN = { ...CHANGE, membersAdded: [BOT] };
const INSTALL = { type: 'installationUpdate', action: 'add' };
const HELLO = expect.stringMatching(/^POST Hello! I ask the network access control system/);
const HELP = expect.stringMatching(/^POST I ask the network/);

describe('an activity is answered by its kind:', async () => {
  const bot = await startBot();
  let conversations = 0;

  it.each<[string, object, unknown[]]>([
    ['a message', { text: 'help', action: 'add', membersAdded: [BOT] }, [HELP]],
    ['a coming with others', { ...CHANGE, membersAdded: [OTHER, BOT] }, [HELLO]],
    ['an installation', INSTALL, [HELLO]],
    ['an uninstallation', { ...INSTALL, action: 'remove' }, []],
    ['an upgrade', { type: 'installationUpdate', action: 'add-upgrade' }, []],
    ["another's coming", { ...CHANGE, membersAdded: [OTHER] }, []],
    ['a renamed channel', { ...CHANGE, channelData: { eventType: 'channelRenamed' } }, []],
    ['an edit of a message that is not known', EDIT, [HELP]],
    ['its edit to a greeting', { ...EDIT, text: 'hello' }, [expect.stringMatching(/^POST H/)]],
    ['an undone deletion', { ...EDIT, channelData: { eventType: 'undeleteMessage' } }, []],
    ['an edit without data', { ...EDIT, channelData: undefined }, []],
    ['a deletion', { type: 'messageDelete' }, []],
    ['a reaction', { type: 'messageReaction', reactionsAdded: [{ type: 'like' }] }, []],
    ['an unknown type', { type: 'x' }, []],
  ])('%s', async (_, changes, replies) => {
    for (const channelId of ['msteams', 'webchat']) {
      const conversation = { id: `a:${conversations++}`, conversationType: 'personal' };
      const answer = await bot.say(undefined, { conversation, channelId, ...changes });
      expect([answer.status, transcriptOf(answer.replies)]).toEqual([200, replies]);
    }
  });
});

it('the welcome comes once in a channel, and turns no autoreply on', async () => {
  const bot = await startBot();
  const noc = '19:noc@thread.tacv2';
  const welcome = only((await bot.say(undefined, { ...inThread(noc, false), ...JOIN })).replies);
  expect(linesOf(welcome).at(-1)).toBe('Here, mention me first: @bot lookup AA:BB:CC:DD:EE:FF');
  await bot.say(undefined, { ...inThread(`${noc};messageid=1`, false), ...INSTALL });
  await bot.say('00:1B:54:00:00:02', inThread(noc, false));
  expect(bot.replies).toEqual([welcome]);
});

it('the welcome comes once, for events at one time, and over a restart', async () => {
  const bot = await startBot();
  await Promise.all([JOIN, INSTALL, JOIN].map((event) => bot.say(undefined, event)));
  await bot.restart();
  for (const event of [JOIN, INSTALL]) await bot.say(undefined, event);
  expect(bot.replies).toHaveLength(1);
});

it('messages to others are passed over while the database is away', async () => {
  const bot = await startBot(NO_DATABASE);
  const { status, texts } = await bot.say(`boom ${DEVICE}`, inThread('19:noc', false));
  expect({ status, texts }).toEqual({ status: 200, texts: [] });
});

it('an edit after a restart that adds the mention is answered once', async () => {
  const bot = await startBot();
  const unmentioned = { ...inThread('19:noc@thread.tacv2', false), recipient: BOT };
  expect((await bot.say('<p>/status</p>', unmentioned)).texts).toHaveLength(1);
  expect((await bot.say('<p><at>Alex</at>&nbsp;/status</p>', unmentioned)).texts).toEqual([]);
  await bot.restart();
  expect((await bot.edit('/status ', unmentioned)).texts).toEqual([]);
  await bot.say(`lookup ${DEVICE}`, unmentioned);
  await bot.restart();
  const mentioned = { ...inThread('19:noc@thread.tacv2'), recipient: BOT };
  expect((await bot.edit(`<at>NAC lookup</at> lookup ${DEVICE}`, mentioned)).texts).toHaveLength(1);
  expect((await bot.edit(`<at>NAC lookup</at> lookup ${DEVICE} please`, mentioned)).texts).toEqual([]);
});

it('a bug in a turn has a neutral sentence with its number', async () => {
  const bot = await startBot();
  const file = new DatabaseSync(join(bot.sandbox.environment.DATA_DIR ?? '', 'nac-lookup-bot.db'));
  file.exec('drop table kept');
  file.close();
  const { status, texts } = await bot.say('alerts list', { id: 'message-1' });
  const number = reportNumber(JSON.stringify(['personal-chat', 'message-1']));
  const text = `Something went wrong here. Please try again; if it stays, report number ${number}.`;
  expect({ status, texts }).toEqual({ status: 200, texts: [text] });
  expect(bot.logged('turn failed')).toMatchObject([{ number, level: 50 }]);
});

it.each<[string | undefined, object, unknown]>([
  ['help', { id: 'message-1' }, HELP],
  [undefined, INSTALL, HELLO],
])('an answer that the channel does not take is sent again: %s', async (text, changes, answer) => {
  const bot = await startBot();
  bot.refuse(404);
  expect(await bot.say(text, changes)).toMatchObject({ status: 502, texts: [] });
  const reason = 'a reply was not taken, so its message is not acknowledged';
  expect(bot.logged(reason)).toMatchObject([{ number: expect.any(Number), reason: 404 }]);
  expect(transcriptOf((await bot.say(text, changes)).replies)).toEqual([answer]);
});

it('a person who may not use the bot gets one refusal in a conversation', async () => {
  const bot = await startBot({ settings: { ALLOWED_USERS: 'other' } });
  await bot.say('autoreply on', { ...inThread('19:noc'), from: { id: 'other' } });
  const allowed = bot.replies.length;
  expect((await bot.say('boom 00:1B:54:00:00:02', inThread('19:noc', false))).texts).toEqual([]);
  expect((await bot.say(undefined, INSTALL)).texts).toEqual([]);
  for (const id of ['one', 'one', 'two'])
    await bot.say('boom 00:1B:54:00:00:02', { conversation: { id, conversationType: 'personal' } });
  const refusal =
    'POST Sorry, I may not answer you here. My administrator can change that; your id is `00000000-0000-0000-0000-000000000001`.';
  expect(transcriptOf(bot.replies).slice(allowed)).toEqual([refusal, refusal]);
  expect([bot.calls, bot.posts()]).toEqual([[], []]);
});
