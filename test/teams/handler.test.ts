import { describe, expect, it } from 'vitest';
import { activityOf, handle } from './handle.ts';

/** What an activity with these changes leads to. */
async function tasksFor(changes: object): Promise<string[]> {
  const begun: string[] = [];
  const task = (name: string) => async () => void begun.push(name);
  await handle(activityOf(changes), {
    onMessage: task('message'),
    welcomes: { claim: async () => begun.push('installed') === 0, forget: task('removed') },
  });
  return begun;
}

const BOT = { id: 'bot' };
const OTHER = { id: 'x' };

describe('an activity', () => {
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
  ])('is given to its task: %s', async (_, changes, tasks) => {
    for (const channelId of ['msteams', 'webchat'])
      expect(await tasksFor({ ...changes, channelId })).toEqual(tasks);
  });
});
