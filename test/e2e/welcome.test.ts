import { afterEach, describe, expect, it } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { type Answer, openStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, linesOf, pressing } from './cards.ts';

let stage: Stage;
afterEach(() => stage.close());

async function open(settings: Record<string, string> = {}): Promise<void> {
  stage = await openStage(settings);
  await stage.ready();
}

const HELLO = /^Hello! I ask the network access control system \(NAC\) about devices\./;
const BOT = [{ id: 'bot', name: 'NAC lookup' }];

/** A new conversation, with the activities for the bot's arrival and removal. */
function conversationOf(id: string, conversationType = 'personal') {
  const tell = (changes: object): Promise<Answer> =>
    stage.say('', {
      text: undefined,
      conversation: { id, conversationType, tenantId: 'sandbox-tenant' },
      ...changes,
    });
  return {
    join: (membersAdded: object[] = BOT) => tell({ type: 'conversationUpdate', membersAdded }),
    leave: () => tell({ type: 'conversationUpdate', membersRemoved: BOT }),
    install: (action = 'add') => tell({ type: 'installationUpdate', action }),
    uninstall: () => tell({ type: 'installationUpdate', action: 'remove' }),
    tell,
  };
}

const count = ({ status, replies }: Answer) => [status, replies.length];

describe('the welcome', () => {
  it('comes when the bot is added to a conversation, with two buttons', async () => {
    await open();
    const { status, replies } = await conversationOf('a:one').join();
    const [welcome] = replies;
    if (!welcome) throw new Error('no welcome');
    expect([status, replies.length, welcome.method, welcome.conversationId]).toEqual([
      200,
      1,
      'POST',
      'a:one',
    ]);
    expect(textOf(welcome)).toMatch(HELLO);
    expect(linesOf(cardOf(welcome)).join('\n')).not.toContain('mention me');
    expect(buttonsOf(cardOf(welcome)).map(({ title }) => title)).toEqual([
      'Try an example',
      'Help',
      'Status',
    ]);
    const [, help, status_] = buttonsOf(cardOf(welcome)).map((button) => pressing(button, welcome.id));
    expect((await stage.say('', help)).texts).toEqual([expect.stringContaining('Commands:')]);
    expect((await stage.say('', status_)).texts).toEqual([expect.stringContaining('No fault known, as of ')]);
  });

  it('says in a channel that people must mention the bot', async () => {
    await open();
    const { texts } = await conversationOf('19:noc@thread.tacv2', 'channel').join();
    expect(texts).toEqual([expect.stringContaining('In a channel, mention me first.')]);
  });

  it('comes once, for any number and kind of activities about one arrival', async () => {
    await open();
    const one = conversationOf('a:one');
    expect(count(await one.join())).toEqual([200, 1]);
    expect(count(await one.join())).toEqual([200, 0]);
    expect(count(await one.install())).toEqual([200, 0]);
    const other = conversationOf('a:other');
    expect(count(await other.install())).toEqual([200, 1]);
    expect(count(await other.join())).toEqual([200, 0]);
    const third = conversationOf('a:third');
    await Promise.all([third.join(), third.install(), third.join()]);
    expect(stage.replies.filter(({ conversationId }) => conversationId === 'a:third')).toHaveLength(1);
  });

  it('comes once for all threads of a channel', async () => {
    await open();
    expect(count(await conversationOf('19:noc@thread.tacv2', 'channel').join())).toEqual([200, 1]);
    expect(count(await conversationOf('19:noc@thread.tacv2;messageid=1', 'channel').install())).toEqual([
      200, 0,
    ]);
  });

  it('does not come when somebody else joins or leaves, or the bot is upgraded or goes', async () => {
    await open();
    const here = conversationOf('a:one');
    expect(count(await here.join([{ id: 'user-9', name: 'Megan' }]))).toEqual([200, 0]);
    expect(
      count(await here.tell({ type: 'conversationUpdate', membersRemoved: [{ id: 'user-9' }] })),
    ).toEqual([200, 0]);
    expect(count(await here.tell({ type: 'conversationUpdate', topicName: 'NOC' }))).toEqual([200, 0]);
    expect(count(await here.install('add-upgrade'))).toEqual([200, 0]);
    expect(count(await here.uninstall())).toEqual([200, 0]);
    expect(count(await here.join([{ id: 'user-9' }, ...BOT]))).toEqual([200, 1]);
  });

  it('comes again if the bot was removed in between', async () => {
    await open();
    const here = conversationOf('a:one');
    expect(count(await here.join())).toEqual([200, 1]);
    expect(count(await here.uninstall())).toEqual([200, 0]);
    expect(count(await here.install())).toEqual([200, 1]);
    expect(count(await here.leave())).toEqual([200, 0]);
    expect(count(await here.join())).toEqual([200, 1]);
    expect(count(await here.join())).toEqual([200, 0]);
  });

  it('does not come again after a restart', async () => {
    await open();
    const here = conversationOf('a:one');
    expect(count(await here.join())).toEqual([200, 1]);
    await stage.restart();
    await stage.ready();
    expect(count(await here.join())).toEqual([200, 0]);
    expect(count(await here.install())).toEqual([200, 0]);
    expect(count(await conversationOf('a:other').join())).toEqual([200, 1]);
  });

  it('does not come while the database is away, because it could repeat', async () => {
    stage = await openStage({ DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' });
    const here = conversationOf('a:one');
    expect(count(await here.join())).toEqual([200, 0]);
    expect(count(await here.uninstall())).toEqual([200, 0]);
  });

  it.each([
    ['of another user', { ALLOWED_USERS: 'x' }],
    ['of another tenant', { ALLOWED_TENANTS: 'x' }],
    ['of another conversation', { ALLOWED_CONVERSATIONS: 'x' }],
  ])('does not come where the bot may not answer: %s', async (_, settings) => {
    await open(settings);
    const here = conversationOf('a:one');
    expect(count(await here.join())).toEqual([200, 0]);
    expect(count(await here.install())).toEqual([200, 0]);
  });
});
