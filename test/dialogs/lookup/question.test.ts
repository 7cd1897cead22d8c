import { describe, expect, it } from 'vitest';
import type { Unseen } from '../../../dialogs/lookup/question.ts';
import { allDialogs, idleLookup } from '../all-dialogs.ts';
import { buttonsOf } from '../cards.ts';
import { NOW, stageLookup } from '../commands/lookup-stage.ts';
import { answerTo, talk } from '../talk.ts';

/** Lookups among them fail. */
const dialogs = allDialogs(idleLookup());
const lookup = [stageLookup().dialog];
const macs = (count: number) => Array.from({ length: count }, (_, index) => `00:1B:54:00:01:${10 + index}`);
const lookUp = (text: string, title = `Look up ${text}`) => ({ title, data: { dialog: 'lookup', text } });
const UNLIKE = 'I look up devices by MAC address, in any spelling, or by IP address. I see neither here.';
const GROUPS = 'It needs 8 groups of up to 4 digits (0-9 and a-f); :: can stand once for groups of zeros.';
const UUID = '550e8400-e29b-41d4-a716-446655440000';

describe('a lookup without an address', () => {
  it.each(
    Object.entries({
      lookup: 'Which device? Give me its MAC address, in any spelling, or its IP address.',
      'lookup the printer on floor two': UNLIKE,
      'lookup laptop-17.example.com': UNLIKE,
      [`lookup ${UUID}`]: 'That is a UUID. I look up devices by MAC address or by IP address.',
      'lookup AA:BB:CC:DD:EE:ЖЖ': 'That is no MAC address: `Ж` is not one of 0-9 and A-F.',
      'lookup AA:BB:CC:DD:EE': 'That is half an address (5 of 6 pairs). Give me all 6 pairs.',
      'lookup aabbccddee1': 'That is no MAC address: it has 11 hexadecimal digits, and a MAC address has 12.',
      'lookup 7': 'That is no MAC address: it has 1 hexadecimal digit, and a MAC address has 12.',
      'lookup A:ABBCCD:DEEFF':
        'I cannot read that MAC address: I do not know this grouping of its 12 digits.',
    }),
  )('says what is wrong with "%s"', async (text, fault) => {
    const said = `${fault}\n\nFor example: \`lookup AA:BB:CC:DD:EE:FF\``;
    expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: said }]);
  });

  it.each(
    Object.entries({
      '300.1.2.3': 'is no IP address: `300` is over 255. Each of the four numbers is 0 to 255.',
      '10.1.2': 'is no whole IP address: it has 3 numbers, and an IPv4 address has 4.',
      '2001:db8::/32': 'is a network, not one device. Give me the address of the device.',
      '198.51.100.1-198.51.100.9': 'is a range, not one device. Give me each address by itself.',
      '2001:db8::1::2': `is no IPv6 address. ${GROUPS}`,
    }),
  )('says what is wrong with the IP address %s', async (typed, fault) => {
    const said = `\`${typed}\` ${fault}\n\nFor example: \`lookup 198.51.100.23\``;
    expect(await talk(dialogs, `lookup ${typed}`)).toEqual([{ kind: 'said', text: said }]);
  });

  it('offers the IP address without the zeros in front that make it ambiguous', async () => {
    const message = await answerTo(dialogs, 'lookup 198.051.100.023');
    const octal = 'with a zero in front, some systems read a number as octal. Type it without the zeros.';
    expect(message.text).toBe(
      `\`198.051.100.023\` is ambiguous: ${octal}\n\nDid you mean \`198.51.100.23\`?`,
    );
    expect(buttonsOf(message)).toEqual([lookUp('198.51.100.23')]);
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

describe('digits that may be any number', () => {
  it.each(['lookup 001122334455', 'mac: 00-11-22-33-44-55'])(
    'are looked up behind a command: "%s"',
    async (text) => {
      expect((await stageLookup().answer(text)).text).toMatch(/^`00:11:22:33:44:55`: no session\./);
    },
  );

  it.each([
    ['AA:BB:CC:DD:EE:FF', 'AA:BB:CC:DD:EE:FF 001122334455'],
    ['AA:BB:CC:DD:EE:FF', 'lookup AA:BB:CC:DD:EE:FF, 001122334455'],
    ['AA:BB:CC:DD:EE:FF', 'lookup 001122334455, AA:BB:CC:DD:EE:FF'],
    ['198.51.100.23', 'lookup 198.51.100.23 001122334455'],
    ['198.51.100.23', 'lookup 001122334455 198.51.100.23'],
  ])('are named beside the clear address %s: "%s"', async (clear, text) => {
    const { text: said } = await stageLookup().answer(text);
    const digits =
      'digits alone can be any number. If a device is meant, send them by themselves after lookup.';
    expect(said.startsWith(`\`${clear}\`: no session.`)).toBe(true);
    expect(said).toContain(`I did not look up 001122334455: ${digits}`);
    expect(said).not.toContain('00:11:22:33:44:55');
  });

  it.each<[string, string, object]>([
    ['said to others', 'AA:BB:CC:DD:EE:FF, ticket 202611221027', { isOverheard: true }],
    ['said to others', 'find ticket 202611221027, AA:BB:CC:DD:EE:FF', { isOverheard: true }],
    ['quoted', 'what is this?', { quoted: 'AA:BB:CC:DD:EE:FF, ticket 202611221027' }],
  ])('are not spoken of if they were %s', async (_, text, changes) => {
    const { text: said } = await answerTo(lookup, text, { arrivedAt: NOW, ...changes });
    expect(said).toMatch(/^`AA:BB:CC:DD:EE:FF`: no session\./);
    expect(said).not.toContain('202611221027');
  });

  const ALONE = ['001122334455', '00-11-22-33-44-55?', ' 0011 2233 4455 '];

  it.each(ALONE)('are offered if a message is nothing else: "%s"', async (text) => {
    const said = {
      kind: 'said',
      text: 'Did you mean `00:11:22:33:44:55`?',
      buttons: ['Look up 00:11:22:33:44:55'],
    };
    expect(await talk(dialogs, text)).toEqual([said]);
  });
});

describe('a message without a command', () => {
  it('is told that an IP address needs one, with a button', async () => {
    const message = await answerTo(dialogs, 'the printer 198.51.100.23', { quoted: '00:1B:54:00:00:07' });
    const advice = 'I look up devices by MAC address; for an IP address, type `lookup 198.51.100.23`.';
    expect(message.text).toBe(`That is an IP address. ${advice}`);
    expect(buttonsOf(message)).toEqual([lookUp('198.51.100.23')]);
  });

  it.each([
    ['2001:db8::23 198.51.100.23', /^Those are IP addresses\./],
    ['00:1B:54:00:00', /^That is half an address \(5 of 6 pairs\)\. Give me all 6 pairs\./],
    ['00 1B 54 00 00', /^That is half an address \(5 of 6 pairs\)\./],
    ['001b.5400', /^That is half an address \(4 of 6 pairs\)\./],
    ['AA:BB:CC:DD:EE:GG', /^That is no MAC address: `G` is not one of/],
    ['001B5400007', /^That is no MAC address: it has 11 hexadecimal digits/],
    [UUID, /^That is a UUID\./],
    ['my laptop 00:1B:54:00:00 is slow', /^That is half an address \(5 of 6 pairs\)\./],
    ['00:1B:54', /^That is half an address \(3 of 6 pairs\)\./],
  ])('is told what "%s" lacks if it is nearly an address', async (text, words) => {
    expect((await answerTo(dialogs, text)).text).toMatch(words);
  });

  it.each([
    ...['10:22', '2026-11-22', '12345', 'thank-you', 'at 10:22:33', '10:22:33', 'ring 1234-5678'],
    ...['ticket 202611221027', 'call me: 0800 1234 5678'],
  ])('is not called nearly an address for "%s"', async (text) => {
    expect((await answerTo(dialogs, text)).text).toMatch(/^I don't know that command/);
  });
});

describe('a part of an address beside a whole one', () => {
  it.each([
    ['00:1B:54:00:00', '00:1B:54:00:00'],
    ['00-1B-54-00-00-7', '00-1B-54-00-00-7'],
    ['(00:1B:54:0:00:07)', '00:1B:54:0:00:07'],
    ['00:1B:54:00:00:007, 00:1B:54:00.', '00:1B:54:00:00:007, 00:1B:54:00'],
  ])('is named: %s', async (typed, named) => {
    const { text } = await stageLookup().answer(`AA:BB:CC:DD:EE:FF ${typed}`);
    const fault = 'a MAC address has 6 pairs of digits, and one is missing or too long.';
    expect(text).toContain(`\n\nI did not look up ${named}: ${fault}`);
  });

  it.each([
    ...['since 10:27:33', 'since 2026-11-22', '2001:db8::1:2:3:4', '2001:db8:0:0:1:2:3:4'],
    ...['AA:BB:CC:FF:FE:DD:EE:11', 'host-00:1B:54:00:00', '00:1B:54:00:00:07'],
  ])('is not seen in "%s"', async (typed) => {
    const { text } = await stageLookup().answer(`lookup AA:BB:CC:DD:EE:FF ${typed}`);
    expect(text).not.toContain('6 pairs');
  });

  it('is not spoken of if it was said to others', async () => {
    const changes = { arrivedAt: NOW, isOverheard: true };
    const { text } = await answerTo(lookup, 'AA:BB:CC:DD:EE:FF 00:1B:54:00:00', changes);
    expect(text).not.toContain('6 pairs');
  });
});

describe('a mistyped address', () => {
  it('is named beside a correct one, and not looked up', async () => {
    const stage = stageLookup();
    const { text } = await stage.answer('00:1B:54:00:00:07 00:1B:54:OO:OO:O8');
    expect(text).toContain('what seems mistyped (O for 0, l for 1). Did you mean 00:1B:54:00:00:08?');
    expect(stage.audited).toMatchObject([{ asked: '00:1B:54:00:00:07' }]);
  });

  it.each([
    macs(21).join(' '),
    Array.from({ length: 21 }, (_, index) => `0011223344${10 + index}`).join(' '),
  ])('or any number is none that comes after the first 20: %s', async (text) => {
    const [, answer] = await talk(lookup, `lookup ${text}`, { arrivedAt: NOW });
    expect(answer).toMatchObject({ text: expect.not.stringMatching(/mistyped|I did not look up/) });
  });

  it.each([
    ['AA:BB:CC:DD:EE:FO', 'AA:BB:CC:DD:EE:F0'],
    ['l98.51.1OO.23', '198.51.100.23'],
    ['2001:db8::10O', '2001:db8::100'],
  ])('is corrected in a suggestion with a button, and not looked up: %s', async (typed, guess) => {
    const said = { kind: 'said', text: `Did you mean \`${guess}\`?`, buttons: [`Look up ${guess}`] };
    expect(await talk(dialogs, `lookup ${typed}`)).toEqual([said]);
  });

  it('is suggested with up to four others of its message', async () => {
    const message = await answerTo(dialogs, `lookup ${macs(6).join(' ').replaceAll('00:1B', 'OO:1B')}`);
    const guesses = macs(5);
    expect(message.text).toBe(`Did you mean ${guesses.map((guess) => `\`${guess}\``).join(' or ')}?`);
    expect(message.summary).toBe(`Did you mean ${guesses.join(' or ')}?`);
    expect(buttonsOf(message)).toEqual(guesses.map((guess) => lookUp(guess)));
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

describe('a message with nothing that can be read', () => {
  it.each<[string, Unseen[], string]>([
    ['', ['picture', 'picture'], 'what is in a picture'],
    ['?', ['picture', 'file'], 'what is in a picture or what is in a file'],
    ['lookup', ['quote'], 'the text of that quote'],
    ['who is this?', ['code'], 'the code of that snippet'],
    ['', ['component'], 'what is in a Loop component'],
  ])('is told so: "%s" %s', async (text, unseen, things) => {
    expect((await answerTo(dialogs, text, { unseen })).text).toBe(
      `I cannot see ${things}. Please send me the MAC address as text.`,
    );
  });

  it.each<[string, RegExp]>([
    ['thanks', /^I don't know that command/],
    ['help', /Commands:|^I ask/],
    ['lookup 300.1.2.3', /^`300\.1\.2\.3` is no IP address/],
  ])('is another than one with words: "%s"', async (text, answer) => {
    expect((await answerTo(dialogs, text, { unseen: ['picture'] })).text).toMatch(answer);
  });
});
