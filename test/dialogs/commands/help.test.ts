import { describe, expect, it } from 'vitest';
import { welcomeMessage } from '../../../dialogs/commands/help.ts';
import { allDialogs } from '../all-dialogs.ts';
import { buttonsOf, expectWellFormed } from '../cards.ts';
import { deedOf, talk } from '../talk.ts';

const dialogs = allDialogs();

const INTRO = 'I ask the network access control system (NAC) about devices. Commands:';
const OUTRO = 'A MAC address alone is a lookup too. More about a command: `help lookup`';
const MENTION = 'Here, mention me first: `@bot lookup AA:BB:CC:DD:EE:FF`';
/** The commands in their order. */
const SUMMARIES = [
  '`lookup`: asks the NAC for the session of a device',
  '`fields`: shows all that the NAC says of a device',
  '`recent`: shows the last lookups of this conversation',
  '`status`: tells how the other systems are and which credentials I hold',
  '`connect`: lets your lookups run under your own account',
  '`disconnect`: forgets your own account',
  '`posts`: shows what the room did not take, for administrators',
  '`alerts`: names this place for monitoring systems, for administrators',
  '`autoreply`: answers MAC addresses here without a mention, for administrators',
  '`help`: says what I can do',
];

function overview(place: 'personal' | 'shared', isAdmin = true): string {
  const elsewhere = place === 'shared' ? /connect`/ : /autoreply`/;
  const listed = SUMMARIES.filter(
    (each) => !elsewhere.test(each) && (isAdmin || !/administrators$/.test(each)),
  );
  return [INTRO, listed.join('  \n'), OUTRO, ...(place === 'shared' ? [MENTION] : [])].join('\n\n');
}

const ABOUT_LOOKUP = [
  '`lookup`: asks the NAC for the session of a device.',
  'Takes up to 20 MAC addresses in any spelling, anywhere in the message.  \nTakes IP addresses too (IPv4 or IPv6), after the command.  \nShows what the NAC knows, and posts the tokens to the room.',
  'For example:  \n`lookup AA:BB:CC:DD:EE:FF`  \n`lookup aabb.ccdd.eeff, 00-1B-54-00-00-07`  \n`AABBCCDDEEFF`  \n`lookup 198.51.100.23`',
].join('\n\n');

describe('help', () => {
  it.each<[string, string, object?]>([
    ...['help', 'commands', 'help nonsense', 'What can you do?', 'what do you do', 'How do I use this?'].map(
      (text): [string, string] => [text, overview('personal')],
    ),
    ['how does this work', overview('personal')],
    ['who are you', overview('personal')],
    ['help', overview('shared'), { isPersonal: false }],
    ['help', overview('personal', false), { isAdmin: false }],
  ])('answers "%s" with what is of use there, and a button to try it', async (typed, text, changes) => {
    const buttons = ['Try an example'];
    expect(await talk(dialogs, typed, changes)).toEqual([{ kind: 'said', text, buttons }]);
  });

  it.each(['help lookup', 'HELP Look  Up', 'help whois'])('explains a command: "%s"', async (text) => {
    expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: ABOUT_LOOKUP }]);
  });

  it.each(dialogs.map(({ name }) => name))('explains "%s"', async (name) => {
    expect(await talk(dialogs, `help ${name}`)).toMatchObject([
      { text: expect.stringMatching(new RegExp(`^\`${name}\`: [^]+\n\n[^]+\n\nFor example:  \n\`${name}`)) },
    ]);
  });
});

const WELCOME = [
  'Hello! I ask the network access control system (NAC) about devices. Three things to try:',
  'Send me a MAC address, in any spelling: `lookup AA:BB:CC:DD:EE:FF`',
  'Paste some lines of a log: I find every address in them, up to 20.',
  'Type `help` for all I can do.',
];

describe('the welcome', () => {
  it.each([
    ['a personal chat', true, WELCOME],
    ['a channel, where a mention is needed', false, [...WELCOME, 'In a channel, mention me first.']],
  ])('in %s says what to try, with buttons for it', (_, isPersonal, sentences) => {
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
});
