import { describe, expect, it } from 'vitest';
import { allDialogs, idleLookup } from '../all-dialogs.ts';
import { buttonsOf } from '../cards.ts';
import { NOW, stageLookup } from '../commands/lookup-stage.ts';
import { answerTo, talk } from '../talk.ts';

/** Lookups among them fail. */
const dialogs = allDialogs(idleLookup());
const lookup = [stageLookup().dialog];
const macs = (count: number) => Array.from({ length: count }, (_, index) => `00:1B:54:00:01:${10 + index}`);
const lookUp = (text: string, title = `Look up ${text}`) => ({ title, data: { dialog: 'lookup', text } });
const IP = '198.51.100.23';
const UUID = '550e8400-e29b-41d4-a716-446655440000';
const UNLIKE = 'I look up devices by MAC address, in any spelling, or by IP address. I see neither here.';
const half = (pairs: number) => `That is half an address (${pairs} of 6 pairs). Give me all 6 pairs.`;
const IS_UUID = 'That is a UUID. I look up devices by MAC address or by IP address.';
const GROUPS = 'It needs 8 groups of up to 4 digits (0-9 and a-f); :: can stand once for groups of zeros.';
const OCTAL = 'with a zero in front, some systems read a number as octal. Type it without the zeros.';
const ASK_BY = 'I look up devices by MAC address; for an IP address, type';

const FAULTS: ReadonlyArray<[typed: string, fault: string]> = [
  ['lookup', 'Which device? Give me its MAC address, in any spelling, or its IP address.'],
  ['lookup the printer on floor two', UNLIKE],
  [`lookup ${UUID}`, IS_UUID],
  [UUID, IS_UUID],
  ['lookup AA:BB:CC:DD:EE:ЖЖ', 'That is no MAC address: `Ж` is not one of 0-9 and A-F.'],
  ['AA:BB:CC:DD:EE:GG', 'That is no MAC address: `G` is not one of 0-9 and A-F.'],
  ['my laptop 00:1B:54:00 is slow', half(4)],
  ['001b.5400', half(4)],
  ['00:1B:54', half(3)],
  ['001B5400007', 'That is no MAC address: it has 11 hexadecimal digits, and a MAC address has 12.'],
  ['lookup 7', 'That is no MAC address: it has 1 hexadecimal digit, and a MAC address has 12.'],
  ['lookup A:ABBCCD:DEEFF', 'I cannot read that MAC address: I do not know this grouping of its 12 digits.'],
];

const IP_FAULTS: ReadonlyArray<[typed: string, fault: string]> = [
  ['300.1.2.3', 'is no IP address: `300` is over 255. Each of the four numbers is 0 to 255.'],
  ['10.1.2', 'is no whole IP address: it has 3 numbers, and an IPv4 address has 4.'],
  ['2001:db8::/32', 'is a network, not one device. Give me the address of the device.'],
  ['198.51.100.1-198.51.100.9', 'is a range, not one device. Give me each address by itself.'],
  ['2001:db8::1::2', `is no IPv6 address. ${GROUPS}`],
];

describe('without an address', () => {
  it.each([
    ...FAULTS.map(([typed, fault]) => [typed, fault, 'lookup AA:BB:CC:DD:EE:FF']),
    ...IP_FAULTS.map(([typed, fault]) => [`lookup ${typed}`, `\`${typed}\` ${fault}`, `lookup ${IP}`]),
  ])('"%s" is answered with what is wrong: "%s"', async (typed = '', fault, example) => {
    const text = `${fault}\n\nFor example: \`${example}\``;
    expect(await talk(dialogs, typed)).toEqual([{ kind: 'said', text }]);
  });

  it.each<[typed: string, offered: string[], before?: string]>([
    ['lookup AA:BB:CC:DD:EE:FO', ['AA:BB:CC:DD:EE:F0']],
    ['lookup l98.51.1OO.23', ['198.51.100.23']],
    ['lookup 2001:db8::10O', ['2001:db8::100']],
    [`lookup ${macs(6).join(' ').replaceAll('00:1B', 'OO:1B')}`, macs(5)],
    ['lookup 198.051.100.023', ['198.51.100.23'], `\`198.051.100.023\` is ambiguous: ${OCTAL}\n\n`],
    ['001122334455', ['00:11:22:33:44:55']],
    ['00-11-22-33-44-55?', ['00:11:22:33:44:55']],
    [' 0011 2233 4455 ', ['00:11:22:33:44:55']],
  ])('"%s" is answered with likely addresses and their buttons: %j', async (typed, offered, before = '') => {
    const message = await answerTo(dialogs, typed);
    expect(message.text).toBe(`${before}Did you mean ${offered.map((each) => `\`${each}\``).join(' or ')}?`);
    expect(buttonsOf(message)).toEqual(offered.map((each) => lookUp(each)));
  });

  it.each([
    [`That is an IP address. ${ASK_BY} \`lookup 198.51.100.23\`.`, ['198.51.100.23']],
    [`Those are IP addresses. ${ASK_BY} \`lookup 2001:db8::23\`.`, ['2001:db8::23', '198.51.100.23']],
  ])('an IP address needs a command, or the button: "%s"', async (text, ips) => {
    const message = await answerTo(dialogs, `printers ${ips.join(' ')}`, { quoted: '00:1B:54:00:00:07' });
    expect(message.text).toBe(text);
    expect(buttonsOf(message)).toEqual(ips.map((each) => lookUp(each)));
  });

  it.each([
    ...['10:22', '2026-11-22', '12345', 'thank-you', 'at 10:22:33', '10:22:33', 'ring 1234-5678'],
    ...['ticket 202611221027', 'call me: 0800 1234 5678'],
  ])('"%s" is not called nearly an address', async (text) => {
    expect((await answerTo(dialogs, text)).text).toMatch(/^I don't know that command/);
  });

  it.each([
    ['00:00:00:00:00:00', 'all zeros. This address stands for no device'],
    ['FF:FF:FF:FF:FF:FF', 'the broadcast address. This address stands for all devices'],
    ['224.0.0.251', 'a multicast address. This address stands for a group of devices'],
    ['::', 'the unspecified address. This address stands for no device'],
    ['::1', 'a loopback address. Every device has this address for itself'],
  ])('asks no NAC about what stands for no single device, and has no button: %s', async (typed, verdict) => {
    const { dialog } = stageLookup({ lookUp: () => Promise.reject(new Error('not asked here')) });
    const advice = /^(00|01|FF):/.test(typed) ? '' : ' Give me the address of one device.';
    const text = `\`${typed}\`: ${verdict}, so there is nothing to look up.${advice}`;
    expect(await talk([dialog], `lookup ${typed}`)).toEqual([{ kind: 'said', text }]);
  });
});

const CLEAR = 'AA:BB:CC:DD:EE:FF';
const IPS = `${IP}, 2001:db8::23: I look up IP addresses if nothing but addresses stands beside them.`;
const NOT_WHOLE = '300.1.2.3, 198.51.100.0/24, because I need the whole address of one device.';
const WHOLE = ', because I need the whole address of one device.';
const HSRP = '00:00:0C:07:AC:01 (HSRP group 1, a virtual gateway): routers share such an address.';
const TABLE =
  '30 001b.5400.0007 DYNAMIC Gi1/0/1\n30 0000.0c07.ac01 DYNAMIC Po1\nAll 0100.0ccc.cccc STATIC CPU';
const OVERHEARD = { isOverheard: true };
const digits = (written: string) =>
  `${written}: digits alone can be any number. If a device is meant, send them by themselves after lookup.`;
const parts = (words: string) =>
  `${words}: a MAC address has 6 pairs of digits, and one is missing or too long.`;
const mistyped = 'what seems mistyped (O for 0, l for 1). Did you mean 00:1B:54:00:00:08?';

describe('what stands beside a clear address', () => {
  it.each<[typed: string, named: string[], clear?: string, sent?: Parameters<typeof answerTo>[2]]>([
    ['lookup 001122334455', [], '00:11:22:33:44:55'],
    ['mac: 00-11-22-33-44-55', [], '00:11:22:33:44:55'],
    [`${CLEAR} 001122334455`, [digits('001122334455')]],
    [`lookup ${CLEAR} and :08, :09?`, [`:08, :09${WHOLE}`]],
    [`lookup ${IP} and .108`, [`.108${WHOLE}`], IP],
    [`lookup ${CLEAR} since 10:22`, []],
    [`lookup ${CLEAR}, 001122334455`, [digits('001122334455')]],
    [`lookup 001122334455, ${CLEAR}`, [digits('001122334455')]],
    [`lookup ${IP} 001122334455`, [digits('001122334455')], IP],
    [`lookup 001122334455 ${IP}`, [digits('001122334455')], IP],
    [`${CLEAR}, ticket 202611221027`, [], CLEAR, OVERHEARD],
    [`find ticket 202611221027, ${CLEAR}`, [], CLEAR, OVERHEARD],
    ['what is this?', [], CLEAR, { quoted: `${CLEAR}, ticket 202611221027` }],
    [`${CLEAR} 00:1B:54:00:00`, [parts('00:1B:54:00:00')]],
    [`${CLEAR} 00-1B-54-00-00-7`, [parts('00-1B-54-00-00-7')]],
    [`${CLEAR} (00:1B:54:0:00:07)`, [parts('00:1B:54:0:00:07')]],
    [`${CLEAR} 00:1B:54:00:00:007, 00:1B:54:00.`, [parts('00:1B:54:00:00:007, 00:1B:54:00')]],
    [`${CLEAR} 00:1B:54:00:00`, [], CLEAR, OVERHEARD],
    [`${CLEAR} 00:1B:54:OO:OO:O8`, [mistyped]],
    [`lookup ${CLEAR} moved from ${IP} to 2001:db8::23`, [IPS]],
    [`lookup ${IP} 300.1.2.3 198.51.100.0/24 198.51.100.*`, [NOT_WHOLE], IP],
    [`${CLEAR} moved from ${IP} to 300.1.2.3`, []],
    [TABLE, [HSRP], '00:1B:54:00:00:07'],
  ])('of "%s" is named, and not looked up: %j', async (typed, named, clear = CLEAR, sent = {}) => {
    const { text } = await answerTo(lookup, typed, { arrivedAt: NOW, ...sent });
    const [answer, ...others] = text.split('\n\nI did not look up ');
    expect(answer).toMatch(new RegExp(`^\`${clear}\`: no session\\.`));
    expect(others).toEqual(named);
  });

  it.each([
    ...['since 10:27:33', 'since 2026-11-22', '2001:db8::1:2:3:4', '2001:db8:0:0:1:2:3:4'],
    ...['AA:BB:CC:FF:FE:DD:EE:11', 'host-00:1B:54:00:00', '00:1B:54:00:00:07'],
  ])('is no part of an address: "%s"', async (typed) => {
    const { text } = await answerTo(lookup, `lookup ${CLEAR} ${typed}`, { arrivedAt: NOW });
    expect(text).not.toContain('6 pairs');
  });

  it.each([
    macs(21).join(' '),
    Array.from({ length: 21 }, (_, index) => `0011223344${10 + index}`).join(' '),
  ])('is nothing that comes after the first 20: %s', async (text) => {
    const [, answer] = await talk(lookup, `lookup ${text}`, { arrivedAt: NOW });
    expect(answer).toMatchObject({ text: expect.not.stringMatching(/mistyped|I did not look up/) });
  });
});

it.each([
  [1, ' Here is one: `00:1B:54:00:01:10`.', 'Look up 00:1B:54:00:01:10'],
  [3, ' Here are 3.', 'Look up the 3 quoted addresses'],
  [21, ' Here are 21.', 'Look up the first 20 of 21 quoted addresses'],
])('words above a quote get its addresses offered, 20 at most: %i', async (count, words, title) => {
  const message = await answerTo(dialogs, 'thanks, fixed', { quoted: macs(count).join(' and ') });
  expect(message.text).toBe(`I look up quoted addresses only after \`lookup\`.${words}`);
  expect(buttonsOf(message)).toEqual([lookUp(macs(Math.min(count, 20)).join(' '), title)]);
});

const cannotSee = (things: string) => `I cannot see ${things}. Please send me the MAC address as text.`;

it.each<[string, Parameters<typeof answerTo>[2] & object, string]>([
  ['', { unseen: ['picture', 'picture'] }, cannotSee('what is in a picture')],
  ['?', { unseen: ['picture', 'file'] }, cannotSee('what is in a picture or what is in a file')],
  ['lookup', { unseen: ['quote'] }, cannotSee('the text of that quote')],
  ['who is this?', { unseen: ['code'] }, cannotSee('the code of that snippet')],
  ['', { unseen: ['component'] }, cannotSee('what is in a Loop component')],
  ['thanks', { unseen: ['picture'] }, "I don't know that command"],
  ['lookup 0000.0c07.ac01', { unseen: [] }, `I did not look up ${HSRP}`],
  ['help', { unseen: ['picture'] }, 'I ask'],
  ['lookup 300.1.2.3', { unseen: ['picture'] }, '`300.1.2.3` is no IP address'],
])('a message with nothing that can be read is told so, but not one with words: "%s", %j', async (...row) => {
  const [text, sent, said] = row;
  expect((await answerTo(dialogs, text, sent)).text.startsWith(said)).toBe(true);
});
