import { describe, expect, it } from 'vitest';
import { allDialogs, idleLookup } from '../all-dialogs.ts';
import { buttonsOf } from '../buttons.ts';
import { answerTo, talk } from '../talk.ts';

const dialogs = allDialogs(idleLookup());

const INTRO = 'I ask the network access control system (NAC) about devices. Commands:';
const EVERYWHERE = [
  '`lookup`: asks the NAC for the session of a device',
  '`fields`: shows all that the NAC says of a device',
  '`recent`: shows the last lookups of this conversation',
  '`status`: tells how the other systems are and which credentials I hold',
];
const ADMINS = [
  '`posts`: shows what the room did not take, for administrators',
  '`alerts`: names this place for monitoring systems, for administrators',
];
const OUTRO = 'A MAC address alone is a lookup too. More about a command: `help lookup`';
const PERSONAL = [
  INTRO,
  [
    ...EVERYWHERE,
    '`connect`: lets your lookups run under your own account',
    '`disconnect`: forgets your own account',
    ...ADMINS,
    '`help`: says what I can do',
  ].join('  \n'),
  OUTRO,
].join('\n\n');
const SHARED = [
  INTRO,
  [
    ...EVERYWHERE,
    ...ADMINS,
    '`autoreply`: answers MAC addresses here without a mention, for administrators',
    '`help`: says what I can do',
  ].join('  \n'),
  OUTRO,
  'Here, mention me first: `@bot lookup AA:BB:CC:DD:EE:FF`',
].join('\n\n');
const ABOUT_LOOKUP = [
  '`lookup`: asks the NAC for the session of a device.',
  'Takes up to 20 MAC addresses in any spelling, anywhere in the message.  \nTakes IP addresses too (IPv4 or IPv6), after the command.  \nShows what the NAC knows, and posts the tokens to the room.',
  'For example:  \n`lookup AA:BB:CC:DD:EE:FF`  \n`lookup aabb.ccdd.eeff, 00-1B-54-00-00-07`  \n`AABBCCDDEEFF`  \n`lookup 198.51.100.23`',
].join('\n\n');

describe('help', () => {
  it.each([
    ['help', PERSONAL],
    ['Help', PERSONAL],
    ['/help', PERSONAL],
    ['commands', PERSONAL],
    ['help nonsense', PERSONAL],
    ['What can you do?', PERSONAL],
    ['what do you do', PERSONAL],
    ['How do I use this?', PERSONAL],
    ['who are you', PERSONAL],
  ])('answers "%s" in a personal chat with all commands, and a button to try one', async (text, answer) => {
    expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: answer, buttons: ['Try an example'] }]);
  });

  it.each([
    ['help lookup', ABOUT_LOOKUP],
    ['HELP Look  Up', ABOUT_LOOKUP],
    ['help whois', ABOUT_LOOKUP],
    [
      'help recent',
      '`recent`: shows the last lookups of this conversation.\n\nLists the last ten devices with their verdicts and ages. I forget them when I am restarted.\n\nFor example:  \n`recent`',
    ],
    [
      'help help',
      '`help`: says what I can do.\n\nLists the commands, or explains one of them.\n\nFor example:  \n`help`  \n`help lookup`',
    ],
  ])('answers "%s" in a personal chat', async (text, answer) => {
    expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: answer }]);
  });

  it('lists the commands for a shared place', async () => {
    expect(await talk(dialogs, 'help', { isPersonal: false })).toEqual([
      { kind: 'said', text: SHARED, buttons: ['Try an example'] },
    ]);
  });

  it("lists administrators' commands to administrators alone", async () => {
    const [deed] = await talk(dialogs, 'help', { isAdmin: false });
    expect(deed).toMatchObject({ text: expect.not.stringMatching(/administrators/) });
  });

  it('has a button that looks up the example', async () => {
    const message = await answerTo(dialogs, 'help');
    expect(buttonsOf(message).map(({ data }) => data)).toEqual([
      { dialog: 'lookup', text: 'AA:BB:CC:DD:EE:FF' },
    ]);
  });

  it.each(dialogs.map(({ name }) => name))('explains "%s"', async (name) => {
    expect(await talk(dialogs, `help ${name}`)).toMatchObject([
      { text: expect.stringMatching(new RegExp(`^\`${name}\`: [^]+\n\n[^]+\n\nFor example:  \n\`${name}`)) },
    ]);
  });
});
