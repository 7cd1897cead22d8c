import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { reportNumber } from '../dialogs/lookup/report.ts';
import { inThread, transcriptOf } from './replies.ts';
import { type Bot, startBot } from './start-bot.ts';

const BOT = { id: 'bot' };
const OTHER = { id: 'x' };
const DEVICE = '00:1B:54:00:00:01';
const EDIT = { type: 'messageUpdate', text: 'help', channelData: { eventType: 'editMessage' } };
const HELLO = expect.stringMatching(/^POST Hello!/);
const HELP = expect.stringMatching(/^POST I ask the network/);

describe('an activity is answered by its kind:', async () => {
  const bot = await startBot();
  let conversations = 0;

  it.each<[string, object, unknown[]]>([
    ['a message', { text: 'help', action: 'add', membersAdded: [BOT] }, [HELP]],
    ['a coming with others', { type: 'conversationUpdate', membersAdded: [OTHER, BOT] }, [HELLO]],
    ['an installation', { type: 'installationUpdate', action: 'add' }, [HELLO]],
    ['a going', { type: 'conversationUpdate', membersRemoved: [BOT] }, []],
    ['an uninstallation', { type: 'installationUpdate', action: 'remove' }, []],
    ['the first half of an upgrade', { type: 'installationUpdate', action: 'remove-upgrade' }, []],
    ['the second half of an upgrade', { type: 'installationUpdate', action: 'add-upgrade' }, []],
    ["another's coming", { type: 'conversationUpdate', membersAdded: [OTHER] }, []],
    ["another's going", { type: 'conversationUpdate', membersRemoved: [OTHER] }, []],
    ['another topic', { type: 'conversationUpdate', topicName: 'NOC' }, []],
    ['a renamed channel', { type: 'conversationUpdate', channelData: { eventType: 'channelRenamed' } }, []],
    ['an edit of a message that is not known', EDIT, [HELP]],
    ['its edit to no command', { ...EDIT, text: 'hello' }, []],
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

it('an edit after a restart that adds the mention is answered once', async () => {
  const bot = await startBot();
  const conversation = { id: '19:noc@thread.tacv2', conversationType: 'channel' };
  const entities = [{ type: 'mention', text: '<at>NAC</at>', mentioned: { id: 'bot' } }];
  const unmentioned = { conversation, recipient: BOT };
  expect((await bot.say('/status', unmentioned)).texts).toHaveLength(1);
  await bot.restart();
  expect((await bot.edit('/status ', unmentioned)).texts).toEqual([]);
  await bot.say(`lookup ${DEVICE}`, unmentioned);
  await bot.restart();
  const mentioned = { ...unmentioned, entities };
  expect((await bot.edit(`<at>NAC</at> lookup ${DEVICE}`, mentioned)).texts).toHaveLength(1);
  expect((await bot.edit(`<at>NAC</at> lookup ${DEVICE} please`, mentioned)).texts).toEqual([]);
});

describe('a bug in a turn', () => {
  function dropTable({ sandbox }: Bot): void {
    const file = new DatabaseSync(join(sandbox.environment.DATA_DIR ?? '', 'nac-lookup-bot.db'));
    file.exec('drop table kept');
    file.close();
  }

  it('has a neutral sentence with its number, and the log has the rest', async () => {
    const bot = await startBot();
    dropTable(bot);
    const { status, texts } = await bot.say('alerts list', { id: 'message-1' });
    const number = reportNumber(JSON.stringify(['personal-chat', 'message-1']));
    const text = `Something went wrong here. Please try again; if it stays, report number ${number}.`;
    expect({ status, texts }).toEqual({ status: 200, texts: [text] });
    expect(bot.logged('turn failed')).toMatchObject([{ number, level: 50 }]);
  });
});

describe('an answer that the channel does not take', () => {
  it('is not acknowledged, and tried again when the message comes again', async () => {
    const bot = await startBot();
    bot.refuse(404);
    expect(await bot.say('help', { id: 'message-1' })).toMatchObject({ status: 502, texts: [] });
    expect(bot.logged('a reply was not taken, so its message is not acknowledged')).toHaveLength(1);
    expect(transcriptOf((await bot.say('help', { id: 'message-1' })).replies)).toEqual([HELP]);
  });

  it('is sent again when the installation is announced again', async () => {
    const bot = await startBot();
    const installed = { type: 'installationUpdate', action: 'add' };
    bot.refuse(404);
    expect((await bot.say(undefined, installed)).status).toBe(502);
    expect(transcriptOf((await bot.say(undefined, installed)).replies)).toEqual([HELLO]);
  });
});

it('an unmentioned message is passed over without the database', async () => {
  const settings = { DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' };
  const bot = await startBot({ settings, waits: false });
  const { status, texts } = await bot.say('boom 00:1B:54:00:00:02', inThread('19:noc', false));
  expect({ status, texts }).toEqual({ status: 200, texts: [] });
});

describe('a person who may not use the bot', () => {
  const start = () => startBot({ settings: { ALLOWED_USERS: 'other' } });

  it('gets no answer to words for others', async () => {
    const bot = await start();
    await bot.say('autoreply on', { ...inThread('19:noc'), from: { id: 'other' } });
    expect((await bot.say('boom 00:1B:54:00:00:02', inThread('19:noc', false))).texts).toEqual([]);
  });

  it('gets one refusal in each conversation', async () => {
    const bot = await start();
    for (const id of ['one', 'one', 'two'])
      await bot.say('boom 00:1B:54:00:00:02', { conversation: { id, conversationType: 'personal' } });
    const refusal =
      'POST Sorry, I may not answer you here. My administrator can change that; your id is `00000000-0000-0000-0000-000000000001`.';
    expect(transcriptOf(bot.replies)).toEqual([refusal, refusal]);
    expect([bot.calls, bot.posts()]).toEqual([[], []]);
  });

  it('gets no welcome', async () => {
    const bot = await start();
    expect((await bot.say(undefined, { type: 'installationUpdate', action: 'add' })).texts).toEqual([]);
  });
});
