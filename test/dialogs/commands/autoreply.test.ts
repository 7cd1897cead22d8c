import { describe, expect, it } from 'vitest';
import { createAutoreply } from '../../../dialogs/commands/autoreply.ts';
import { talk } from '../talk.ts';

const PERMISSION =
  'I need the permission ChannelMessage.Read.Group in this team to hear messages without a mention. Whoever installed me can grant it.';
const CHANNEL = {
  isPersonal: false,
  place: { reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'channel;messageid=1234' } } },
};

describe('autoreply', () => {
  it.each(['autoreply on', 'Autoreply ON'])('turns on for the whole channel: "%s"', async (text) => {
    const { dialogs, on } = stage();
    expect(await talk(dialogs, text, CHANNEL)).toEqual([
      {
        kind: 'said',
        text: `I now answer every message here that holds a MAC address, each in its own thread.  \n${PERMISSION}`,
      },
    ]);
    expect([...on]).toEqual(['channel']);
  });

  it('turns off', async () => {
    const { dialogs, on } = stage('channel');
    expect(await talk(dialogs, 'autoreply off', CHANNEL)).toEqual([
      { kind: 'said', text: 'I now answer here only when I am mentioned.' },
    ]);
    expect(on.size).toBe(0);
  });

  it.each([
    ['autoreply', 'on', ['channel']],
    ['autoreply', 'off', ['elsewhere']],
    ['autoreply maybe', 'off', []],
  ])('answers "%s" with its state, %s, and how to change it', async (text, state, conversations) => {
    const { dialogs, on } = stage(...conversations);
    expect(await talk(dialogs, text, CHANNEL)).toEqual([
      {
        kind: 'said',
        text: `Autoreply is ${state} here. \`autoreply on\` and \`autoreply off\` change that.`,
      },
    ]);
    expect([...on]).toEqual(conversations);
  });

  it('changes nothing in a personal chat', async () => {
    const { dialogs, on } = stage();
    expect(await talk(dialogs, 'autoreply on')).toEqual([
      { kind: 'said', text: 'I answer every message in a personal chat anyway.' },
    ]);
    expect(on.size).toBe(0);
  });

  it('is for administrators', async () => {
    const { dialogs, on } = stage();
    expect(await talk(dialogs, 'autoreply on', { ...CHANNEL, isAdmin: false })).toEqual([
      { kind: 'said', text: 'This command is for the administrators of the bot.' },
    ]);
    expect(on.size).toBe(0);
  });
});

function stage(...conversations: string[]) {
  const on = new Set(conversations);
  const autoreplies = {
    turnOn: async (conversation: string) => void on.add(conversation),
    turnOff: async (conversation: string) => void on.delete(conversation),
    isOn: async (conversation: string) => on.has(conversation),
  };
  return { dialogs: [createAutoreply({ autoreplies })], on };
}
