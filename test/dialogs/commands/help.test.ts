import { describe, expect, it } from 'vitest';
import { welcomeMessage } from '../../../dialogs/commands/help.ts';
import { code } from '../../../dialogs/format/words.ts';
import { allDialogs } from '../all-dialogs.ts';
import { buttonsOf, expectWellFormed } from '../cards.ts';
import { deedOf, talk } from '../talk.ts';

const dialogs = allDialogs();

const INTRO = 'I ask the network access control system (NAC) about devices. Commands:';
const OUTRO = 'A MAC address alone is a lookup too. More about a command: `help lookup`';
const MENTION = 'Here, mention me first: `@bot lookup AA:BB:CC:DD:EE:FF`';
const MINE = ['lookup', 'fields', 'recent', 'status', 'connect', 'disconnect', 'help'];
const PERSONAL = [...MINE.slice(0, -1), 'posts', 'alerts', 'help'];
const SHARED = ['lookup', 'fields', 'recent', 'status', 'posts', 'alerts', 'autoreply', 'help'];
const HELP = ['help', 'commands', 'help nonsense', 'What can you do?', 'what do you do'];

describe('help', () => {
  it.each<[string, string[], object?]>([
    ...[...HELP, 'How do I use this?', 'how does this work', 'who are you'].map(
      (text): [string, string[]] => [text, PERSONAL],
    ),
    ['help', SHARED, { isPersonal: false }],
    ['help', MINE, { isAdmin: false }],
  ])('answers "%s" with what is of use there, and a button to try it', async (typed, names, changes) => {
    const listed = names.map((each) => `\`${each}\`: ${dialogs.find(({ name }) => name === each)?.summary}`);
    const mention = names === SHARED ? [MENTION] : [];
    const text = [INTRO, listed.join('  \n'), OUTRO, ...mention].join('\n\n');
    const said = { kind: 'said', text, buttons: ['Try an example'] };
    expect(await talk(dialogs, typed, changes)).toEqual([said]);
  });

  it.each([
    ...dialogs.map(({ name }) => [name, name]),
    ...['Look  Up', 'whois'].map((alias) => [alias, 'lookup']),
  ])('explains "%s"', async (typed, command) => {
    const { summary, details = [], examples = [] } = dialogs.find(({ name }) => name === command) ?? {};
    const all = [`\`${command}\`: ${summary}.`, details.join('  \n')];
    const text = [...all, ['For example:', ...examples.map(code)].join('  \n')].join('\n\n');
    expect(await talk(dialogs, `HELP ${typed}`)).toEqual([{ kind: 'said', text }]);
  });
});

const WELCOME = [
  'Hello! I ask the network access control system (NAC) about devices. Three things to try:',
  'Send me a MAC address, in any spelling: `lookup AA:BB:CC:DD:EE:FF`',
  'Paste some lines of a log: I find every address in them, up to 20.',
  'Type `help` for all I can do.',
];

it.each([
  ['a personal chat', true, WELCOME],
  ['a channel, where a mention is needed', false, [...WELCOME, 'In a channel, mention me first.']],
])('the welcome in %s says what to try, with buttons for it', (_, isPersonal, sentences) => {
  const message = welcomeMessage(isPersonal);
  expectWellFormed(message);
  const buttons = ['Try an example', 'Help', 'Status'];
  expect(deedOf(message)).toEqual({ kind: 'said', text: sentences.join('\n\n'), buttons });
  expect(message.summary).toBe(sentences.join('\n').replaceAll('`', ''));
  expect(buttonsOf(message).map(({ data }) => data)).toEqual([
    { dialog: 'lookup', text: 'AA:BB:CC:DD:EE:FF' },
    { dialog: 'help', text: '' },
    { dialog: 'status', text: '' },
  ]);
});
