import { expect, it } from 'vitest';
import { createAutoreply } from '../../../dialogs/commands/autoreply.ts';
import { talk } from '../talk.ts';

const ON =
  'I now answer every message here that holds a MAC address, each in its own thread.  \nI need the permission ChannelMessage.Read.Group in this team to hear messages without a mention. Whoever installed me can grant it.';
const CHANNEL = {
  isPersonal: false,
  place: { reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'channel;messageid=1234' } } },
};
const stateOf = (state: string) =>
  `Autoreply is ${state} here. \`autoreply on\` and \`autoreply off\` change that.`;

it.each<[string, string[], string, string[], object?]>([
  ['autoreply on', [], ON, ['channel']],
  ['Autoreply ON', [], ON, ['channel']],
  ['autoreply off', ['channel'], 'I now answer here only when I am mentioned.', []],
  ['autoreply', ['channel'], stateOf('on'), ['channel']],
  ['autoreply', ['elsewhere'], stateOf('off'), ['elsewhere']],
  ['autoreply maybe', [], stateOf('off'), []],
  ['autoreply on', [], 'I answer every message in a personal chat anyway.', [], { isPersonal: true }],
])('"%s", while autoreply is on in %j: "%s"', async (typed, before, text, after, changes = {}) => {
  const on = new Set(before);
  const autoreplies = {
    add: async (conversation: string) => on.add(conversation).has(conversation),
    remove: async (conversation: string) => on.delete(conversation),
    find: async (conversation: string) => (on.has(conversation) ? null : undefined),
  };
  const dialogs = [createAutoreply({ autoreplies })];
  expect(await talk(dialogs, typed, { ...CHANNEL, ...changes })).toEqual([{ kind: 'said', text }]);
  expect([...on]).toEqual(after);
});
