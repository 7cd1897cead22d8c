import { describe, expect, it } from 'vitest';
import { createChooser, createSlashTest, type Sent } from '../../dialogs/choose.ts';
import { findDeviceAddresses } from '../../src/domain/device-address.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';
import { allDialogs } from './all-dialogs.ts';
import { buttonsOf } from './cards.ts';
import { answerTo, SENT, talk } from './talk.ts';

const dialogs = allDialogs();
const choose = createChooser(dialogs);
const X = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';
const IP = '198.51.100.23';

it('a slash and a command are found at the beginning of a text', () => {
  const commands = ['/lookup', ` /Look up ${X}`, '/status'];
  const others = ['lookup', '/lookups', `/giphy ${X}`, 'see /lookup', ''];
  expect([...commands, ...others].filter(createSlashTest(dialogs))).toEqual(commands);
});

it('searches the beginning alone of what a forged button sends', () => {
  const typed = `${X} ${'some words '.repeat(4000)} ${OTHER}`;
  const [, text] = chosen({ submission: { data: { dialog: 'lookup', text: typed }, cardId: undefined } });
  expect(findMacAddresses(text)).toEqual([X]);
});

const COMMANDS = ['lookup', 'Lookup', 'Lookup:', '  LOOKUP\n', '!lookup', 'look up', 'Look  Up', 'look-up'];
const ALIASES = ['find', 'whois', 'who is', 'who-is', 'mac', 'MAC:', 'session'];
const FOR_QUOTE = ['lookup', 'find', '?', 'who is this?', 'look up these please', 'Which one', 'lookup!'];
const FOR_OTHERS = ['this one', 'what is wrong with this?', 'fixed?', 'thanks, fixed', '👍', 'mac 👍', IP];

describe('the chosen dialog', () => {
  it.each<string[]>([
    ...[...COMMANDS, ...ALIASES].map((command) => [`${command} ${X}`, 'lookup', X]),
    ['/lookup aabb.ccdd.eeff', 'lookup', 'aabb.ccdd.eeff'],
    [`who is ${X}?`, 'lookup', `${X}?`],
    [X, 'lookup', X],
    ['001B54000007 is slow', 'lookup', '001B54000007 is slow'],
    [`lokup ${X}`, 'lookup', `lokup ${X}`],
    [`help ${X}`, 'lookup', `help ${X}`],
    ['lookup', 'lookup', ''],
    ['find the printer', 'lookup', 'the printer'],
    ['help', 'help', ''],
    ['Help lookup', 'help', 'lookup'],
    ['history', 'recent', ''],
    ['disconnect', 'disconnect', ''],
    [`connect alex ${X}`, 'connect', `alex ${X}`],
    [`alerts test noc ${X}`, 'alerts', `test noc ${X}`],
    [`alerts from noc: ${X}`, 'lookup', `alerts from noc: ${X}`],
    [`alerts here as ${X}`, 'lookup', `alerts here as ${X}`],
    ['posts: retry', 'posts', 'retry'],
    [`lookup ${IP}`, 'lookup', IP],
    [`who is ${IP}?`, 'lookup', `${IP}?`],
    ['mac 2001:db8::23', 'lookup', '2001:db8::23'],
    [`fields ${IP}`, 'fields', IP],
    ['lookup 300.1.2.3', 'lookup', '300.1.2.3'],
    [IP, 'lookup', IP],
    ['[2001:db8::23]:443?', 'lookup', '[2001:db8::23]:443?'],
    [`lookup${X}`, 'lookup', X],
    ['mac001b.5400.0007', 'lookup', '001b.5400.0007'],
    ['again', 'lookup', 'again'],
    ['and :08?', 'lookup', 'and :08?'],
    [`thanks, and ${X}?`, 'lookup', `thanks, and ${X}?`],
    [`the printer ${IP}`, '', `the printer ${IP}`],
    [`help ${IP}`, 'help', IP],
    ['lookups', '', 'lookups'],
    ['help-desk', '', 'help-desk'],
    ['helpful people', '', 'helpful people'],
    ['please help', '', 'please help'],
    ['', '', ''],
  ])('for "%s" is "%s"', (text = '', ...expected) => expect(chosen({ text })).toEqual(expected));

  it.each<string[]>([
    ['', `> ${OTHER} is down`, 'lookup', `> ${OTHER} is down`],
    ...[...FOR_QUOTE, 'what is this?', 'and this?'].map((text) => [text, OTHER, 'lookup', OTHER]),
    ...[...FOR_OTHERS, 'session is back, thanks'].map((text) => [text, OTHER, '', text]),
    ['', 'thank you', '', ''],
    ['lookup', 'thank you', 'lookup', ''],
    [`lookup ${X}`, OTHER, 'lookup', X],
    [X, OTHER, 'lookup', X],
    [`lookup ${IP}`, OTHER, 'lookup', IP],
    ['lookup 300.1.2.3', OTHER, 'lookup', '300.1.2.3'],
    ['again', OTHER, '', 'again'],
    ['and :08?', OTHER, '', 'and :08?'],
    ['lookup', `host ${IP} is down`, '', 'lookup'],
    ['lookup', '00:1B:54:00:00:O3', '', 'lookup'],
    ['what is this?', IP, '', 'what is this?'],
    ['help', OTHER, 'help', ''],
    ['status', OTHER, 'status', ''],
    ['posts drop', OTHER, 'posts', 'drop'],
    ['Posts drop. ', '', 'posts', 'drop'],
    ['alerts here as core.', '', 'alerts', 'here as core'],
    ['alerts stop ..', '', 'alerts', 'stop ..'],
  ])('for "%s" above the quote "%s" is "%s", with "%s"', (text = '', quoted = '', ...expected) => {
    expect(chosen({ text, quoted })).toEqual(expected);
  });

  it.each<[Record<string, unknown>, string, string]>([
    [{ dialog: 'lookup', text: X }, 'lookup', X],
    [{ dialog: 'lookup', text: IP }, 'lookup', IP],
    [{ dialog: 'fields', text: IP }, 'fields', IP],
    [{ dialog: 'lookup', text: '' }, 'lookup', ''],
    [{ dialog: 'help', text: X }, 'help', X],
    [{ dialog: 'lookup' }, 'lookup', 'typed'],
    [{ dialog: 'lookup', text: ['x'] }, 'lookup', 'typed'],
    [{ dialog: 'nonsense', text: 'x' }, '', 'x'],
    [{ dialog: '__proto__' }, '', 'typed'],
    [{ dialog: 7, text: 7 }, '', 'typed'],
    [{}, '', 'typed'],
  ])('for a button that sends %j is "%s", with "%s"', (data, name, left) => {
    const submission = { data, cardId: 'card-1' };
    expect(chosen({ text: 'typed', quoted: OTHER, submission })).toEqual([name, left]);
  });
});

it.each([`connect the printer ${X} to port 3`, `fields ${X}`])(
  '"%s", said to others, is no command',
  (text) => {
    expect(chosen({ text, isOverheard: true, isPersonal: false })).toEqual(['lookup', text]);
  },
);

it.each([
  ...['thanks', 'Thank you!', 'ok', 'OK 👍', '👍', 'danke schön', "d'accord", 'gracias', 'спасибо'],
  ...['ありがとうございます', '谢谢', 'شكرا'],
])('thanks get a word in a personal chat, and nothing in a channel: "%s"', async (text) => {
  expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: "You're welcome." }]);
  expect(await talk(dialogs, text, { isPersonal: false })).toEqual([]);
});

it.each(['posts drop', 'alerts here as noc', 'autoreply on'])('"%s" is for administrators', async (text) => {
  const [refusal] = await talk(dialogs, text, { isAdmin: false });
  expect(refusal).toEqual({ kind: 'said', text: 'This command is for the administrators of the bot.' });
});

const GREETING =
  'Hello! Send me a MAC address, and I ask the NAC about it: `lookup AA:BB:CC:DD:EE:FF`. Type `help` for all I can do.';
const TRY = 'Try `lookup AA:BB:CC:DD:EE:FF`, or `help` for all I can do.';
const UNKNOWN = `I don't know that command, and I see no MAC address in your message.\n\n${TRY}`;

describe('a message that chooses no dialog', () => {
  it.each([
    ...['', ' ', 'hi', 'Hello!', 'hey', 'Hallo', 'good morning :-)', '???'].map((text) => [text, GREETING]),
    ...['what is this', 'helpful people', '[click](https://example.com) `x`', 'ping'.repeat(500)].map(
      (text) => [text, UNKNOWN],
    ),
  ])('"%s" is answered with "%s", and help', async (typed = '', text = '') => {
    const message = await answerTo(dialogs, typed);
    expect(message.text).toBe(text);
    expect(buttonsOf(message)).toEqual([{ title: 'help', data: { dialog: 'help', text: '' } }]);
  });

  it.each([
    ['lokup', 'lookup', ''],
    ['Lookpu printer 7', 'lookup', 'printer 7'],
    ['hepl', 'help', ''],
    ['hlep lookup', 'help', 'lookup'],
    ['conect alex hunter2', 'connect', ''],
    ['disconect', 'disconnect', ''],
    ['post retry', 'posts', 'retry'],
    ['/recnt', 'recent', ''],
    ['lokup [click](https://example.com)', 'lookup', ''],
    ['lokup {{DATE(2026-01-01T00:00:00Z,SHORT)}}', 'lookup', ''],
    [`lokup ${'printer '.repeat(9)}`, 'lookup', ''],
  ])('"%s" is answered with the nearest command, "%s", and a button with "%s"', async (typed, name, rest) => {
    const message = await answerTo(dialogs, typed);
    expect(message.text).toBe(`I don't know that command. Did you mean \`${name}\`?\n\n${TRY}`);
    expect(message.summary).toBe(message.text.replaceAll('`', '').replace('\n\n', '\n'));
    const title = `${name} ${rest}`.trim();
    expect(buttonsOf(message)).toEqual([{ title, data: { dialog: name, text: rest } }]);
  });

  it.each([
    ['00:1B:54:OO:OO:O7', ''],
    ['lookup 00:lB:54:00:00:07', ''],
    ['is O0lB54000007 in?', ''],
    ['lookup 00:1B:54:OO:OO:O7', OTHER],
  ])('"%s" above the quote "%s" has its address corrected in a suggestion', async (typo, quoted) => {
    expect((await answerTo(dialogs, typo, { quoted })).text).toBe(`Did you mean \`${X}\`?`);
  });
});

function chosen(sent: Partial<Sent>): [name: string, text: string] {
  const { dialog, text, addresses, isCommand } = choose({ ...SENT, ...sent });
  const takesIp = dialog.takesIpAddresses && isCommand;
  expect(addresses).toEqual(takesIp ? findDeviceAddresses(text).addresses : findMacAddresses(text));
  return [dialog.name, text];
}
