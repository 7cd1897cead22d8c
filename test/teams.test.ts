import type { Activity } from 'botbuilder';
import { describe, expect, it } from 'vitest';
import type { Dialog } from '../dialogs/dialog.ts';
import { createReaders } from '../dialogs/format/words.ts';
import { reportNumber } from '../dialogs/lookup/report.ts';
import { systemClock } from '../src/app/start.ts';
import { createLog, withNumber } from '../src/ops/log.ts';
import { messageActivity } from '../src/sandbox/chat.ts';
import { createPermissions } from '../src/teams/admission.ts';
import { createBot } from '../src/teams.ts';
import { AWAY, activityOf, handle, openService } from './teams/handle.ts';

async function tasksFor(changes: object): Promise<string[]> {
  const begun: string[] = [];
  const task = (name: string) => async () => void begun.push(name);
  await handle(activityOf(changes), {
    onMessage: task('message'),
    welcomes: { add: async () => begun.push('installed') === 0, remove: task('removed') },
  });
  return begun;
}

const BOT = { id: 'bot' };
const OTHER = { id: 'x' };

it.each([
  ['a message', { action: 'add', membersAdded: [BOT] }, ['message']],
  ['a coming with others', { type: 'conversationUpdate', membersAdded: [OTHER, BOT] }, ['installed']],
  ['a going', { type: 'conversationUpdate', membersRemoved: [BOT] }, ['removed']],
  ['an installation', { type: 'installationUpdate', action: 'add' }, ['installed']],
  ['an uninstallation', { type: 'installationUpdate', action: 'remove' }, ['removed']],
  ['the first half of an upgrade', { type: 'installationUpdate', action: 'remove-upgrade' }, []],
  ['the second half of an upgrade', { type: 'installationUpdate', action: 'add-upgrade' }, []],
  ["another's coming", { type: 'conversationUpdate', membersAdded: [OTHER] }, []],
  ["another's going", { type: 'conversationUpdate', membersRemoved: [OTHER] }, []],
  ['another topic', { type: 'conversationUpdate', topicName: 'NOC' }, []],
  ['a renamed channel', { type: 'conversationUpdate', channelData: { eventType: 'channelRenamed' } }, []],
  ['an edit', { type: 'messageUpdate', text: 'x', channelData: { eventType: 'editMessage' } }, ['message']],
  ['an undone deletion', { type: 'messageUpdate', channelData: { eventType: 'undeleteMessage' } }, []],
  ['an edit without data', { type: 'messageUpdate', text: 'x' }, []],
  ['a deletion', { type: 'messageDelete' }, []],
  ['a reaction', { type: 'messageReaction', reactionsAdded: [{ type: 'like' }] }, []],
  ['an unknown type', { type: 'x' }, []],
])('an activity is given to its task: %s', async (_, changes, tasks) => {
  for (const channelId of ['msteams', 'webchat'])
    expect(await tasksFor({ ...changes, channelId })).toEqual(tasks);
});

describe('a dialog that fails', () => {
  it('tells the person one neutral sentence with the number of the lookup, and the log the rest', async () => {
    const { bot, message, texts, log } = await stage(async () => {
      throw new Error('password is canary');
    });
    for (let n = 0; n < 2; n++) await bot({ ...message, id: 'message-1' });
    const number = reportNumber(JSON.stringify(['personal-chat', 'message-1']));
    expect(texts()).toEqual([
      `Something went wrong here. Please try again; if it stays, report number ${number}.`,
    ]);
    const told = log.filter((line) => line.includes(`"number":${number}`));
    expect(told).toEqual([expect.stringContaining('turn failed')]);
  });

  it('says so where it needs a database that is not open', async () => {
    const { bot, message, texts } = await stage(() => Promise.reject(AWAY));
    await bot(message);
    expect(texts()).toEqual([
      'I cannot reach my database right now, which this needs. Please try again in a moment.',
    ]);
  });
});

it('an answer is not acknowledged where the channel does not take it, and tried anew when the message comes again', async () => {
  const { bot, message, service, texts, log } = await stage((turn) => turn.say('here'));
  service.refusals.push({ status: 404 });
  expect(await bot(message)).toEqual({ status: 502 });
  expect(log.join()).toContain('turn not acknowledged');
  expect(await bot(message)).toEqual({ status: 200 });
  expect(texts()).toEqual(['here']);
});

it('a late message that is a job already is acknowledged, and left to the job', async () => {
  const { bot, message, texts } = await stage((turn) => turn.say('here'), { isJob: true });
  expect(await bot({ ...message, timestamp: new Date(0) })).toEqual({ status: 200 });
  expect(texts()).toEqual([]);
});

it('a welcome that the channel did not take is said when the installation is told again', async () => {
  const undone: string[] = [];
  const welcomes = { add: async () => true, remove: async (id: string) => undone.push(id) };
  const say = () => Promise.reject(new Error('not taken'));
  const installed = activityOf({ type: 'installationUpdate', action: 'add' });
  await expect(handle(installed, { welcomes, replies: { say } })).rejects.toThrow('not taken');
  expect(undone).toEqual([installed.conversation.id]);
});

it('an unmentioned message with an address is passed over while the database is away', async () => {
  const { bot, message, texts } = await stage((turn) => turn.say('here'), {
    find: () => Promise.reject(AWAY),
  });
  const conversation = { ...message.conversation, conversationType: 'channel' };
  expect(await bot({ ...message, text: 'boom 00:1B:54:00:00:02', conversation })).toEqual({ status: 200 });
  expect(texts()).toEqual([]);
});

it('a person who may not use the bot is told so once in each conversation, and not for words said to others', async () => {
  const answer: Dialog['answer'] = (turn) => turn.say('here');
  const { bot, message, texts } = await stage(answer, { users: ['other'], find: async () => null });
  const say = (id: string, conversation: object) =>
    bot({
      ...message,
      id,
      text: 'boom 00:1B:54:00:00:02',
      conversation: { ...message.conversation, ...conversation },
    });
  await say('overheard', { conversationType: 'channel' });
  expect(texts()).toEqual([]);
  for (const conversation of [{ id: 'one' }, { id: 'one' }, { id: 'two' }])
    await say(`asked ${texts().length}`, conversation);
  expect(texts()).toEqual(Array(2).fill(expect.stringMatching(/^Sorry, I may not answer you here\./)));
});

type StageOptions = { isJob?: boolean; find?: () => Promise<null | undefined>; users?: string[] };

async function stage(
  answer: Dialog['answer'],
  { isJob = false, find = async () => undefined, users }: StageOptions = {},
) {
  const log: string[] = [];
  const logger = createLog({ level: 'info', secrets: [], destination: { write: (line) => log.push(line) } });
  const { service, ...chat } = await openService({ log: logger });
  const all = { tenants: undefined, users, conversations: undefined, admins: undefined };
  const bot = createBot({
    chat,
    dialogs: [{ name: 'lookup', summary: '', examples: [], details: [], answer }],
    extension: async () => undefined,
    readerOf: createReaders(Date),
    limits: { takeMessage: () => 0 },
    welcomes: { add: async () => false, remove: async () => {} },
    supersede: async () => {},
    isJob: async () => isJob,
    withNumber,
    noticeFor: () => undefined,
    autoreplies: { find },
    permissions: createPermissions({ ...all, channels: ['*'] }, Date.now, async () => undefined),
    clock: systemClock,
    logFault: () => {},
    log: logger,
  });
  return {
    bot,
    service,
    log,
    message: messageActivity(service.url, 'lookup') as unknown as Activity,
    texts: () => service.replies.map(({ activity }) => String(activity.text)),
  };
}
