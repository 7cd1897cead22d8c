import { describe, expect, it } from 'vitest';
import { buttonsOf } from '../cards.ts';
import { NOW, stageLookup } from '../commands/lookup-stage.ts';
import { answerTo, press, talk } from '../talk.ts';

const never = () => Promise.reject(new Error('not asked here'));
const dialogs = [stageLookup({ lookUp: never }).dialog];
const UNLIKE = 'I look up devices by MAC address, in any spelling, or by IP address. I see neither here.';
const EXAMPLE = 'For example: `lookup AA:BB:CC:DD:EE:FF`';

describe('a lookup without an address', () => {
  it.each([
    ['lookup', 'Which device? Give me its MAC address, in any spelling, or its IP address.'],
    ['lookup the printer on floor two', UNLIKE],
    ['lookup laptop-17.example.com', UNLIKE],
    [
      'lookup 550e8400-e29b-41d4-a716-446655440000',
      'That is a UUID. I look up devices by MAC address or by IP address.',
    ],
    ['lookup AA:BB:CC:DD:EE:GG', 'That is no MAC address: `G` is not one of 0-9 and A-F.'],
    ['lookup AA:BB:CC:DD:EE:ЖЖ', 'That is no MAC address: `Ж` is not one of 0-9 and A-F.'],
    ['lookup AA:BB:CC:DD:EE', 'That is half an address (5 of 6 pairs). Give me all 6 pairs.'],
    ['lookup aabbccddee1', 'That is no MAC address: it has 11 hexadecimal digits, and a MAC address has 12.'],
    ['lookup 7', 'That is no MAC address: it has 1 hexadecimal digit, and a MAC address has 12.'],
    [
      'lookup AA:BB:CC:DD:EE:FF:00:11',
      'That is no MAC address: it has 16 hexadecimal digits, and a MAC address has 12.',
    ],
    [
      'lookup A:ABBCCD:DEEFF',
      'I cannot read that MAC address: I do not know this grouping of its 12 digits.',
    ],
  ])('says what is wrong with "%s"', async (text, fault) => {
    expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: `${fault}\n\n${EXAMPLE}` }]);
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
    expect(said.startsWith(`\`${clear}\`: no session.`)).toBe(true);
    expect(said).toContain(
      'I did not look up 001122334455: digits alone can be any number. If a device is meant, send them by themselves after lookup.',
    );
    expect(said).not.toContain('00:11:22:33:44:55');
  });

  it('are not called any number behind a command if there are more than 20', async () => {
    const text = Array.from({ length: 21 }, (_, index) => `0011223344${10 + index}`).join(' ');
    const [, answer] = await talk([stageLookup().dialog], `lookup ${text}`, { arrivedAt: NOW });
    expect(answer).toMatchObject({ text: expect.not.stringContaining('I did not look up') });
  });

  it.each<[string, string, object]>([
    ['said to others', 'AA:BB:CC:DD:EE:FF, ticket 202611221027', { isOverheard: true }],
    ['said to others', 'find ticket 202611221027, AA:BB:CC:DD:EE:FF', { isOverheard: true }],
    ['quoted', 'what is this?', { quoted: 'AA:BB:CC:DD:EE:FF, ticket 202611221027' }],
  ])('are not spoken of if they were %s', async (_, text, changes) => {
    const [said] = await talk([stageLookup().dialog], text, { arrivedAt: NOW, ...changes });
    expect(said).toMatchObject({ text: expect.stringMatching(/^`AA:BB:CC:DD:EE:FF`: no session\./) });
    expect(said).toMatchObject({ text: expect.not.stringContaining('202611221027') });
  });

  it.each(['001122334455', '00-11-22-33-44-55?', ' 0011 2233 4455 '])(
    'are offered if a message is nothing else: "%s"',
    async (text) => {
      const message = await answerTo(dialogs, text);
      expect(message.text).toBe('Did you mean `00:11:22:33:44:55`?');
      expect(buttonsOf(message)).toEqual([
        { title: 'Look up 00:11:22:33:44:55', data: { dialog: 'lookup', text: '00:11:22:33:44:55' } },
      ]);
    },
  );

  it.each(['ticket 202611221027', 'call me: 0800 1234 5678'])(
    'are not offered in a message with words: "%s"',
    async (text) => {
      expect((await answerTo(dialogs, text)).text).toMatch(/^I don't know that command/);
    },
  );
});

describe('a message without a command', () => {
  it('is told that an IP address needs one, with a button', async () => {
    const message = await answerTo(dialogs, 'the printer 198.51.100.23');
    expect(message.text).toBe(
      'That is an IP address. I look up devices by MAC address; for an IP address, type `lookup 198.51.100.23`.',
    );
    expect(buttonsOf(message)).toEqual([
      { title: 'Look up 198.51.100.23', data: { dialog: 'lookup', text: '198.51.100.23' } },
    ]);
  });

  it.each([
    ['2001:db8::23 198.51.100.23', /^Those are IP addresses\./],
    ['00:1B:54:00:00', /^That is half an address \(5 of 6 pairs\)\. Give me all 6 pairs\./],
    ['00 1B 54 00 00', /^That is half an address \(5 of 6 pairs\)\./],
    ['001b.5400', /^That is half an address \(4 of 6 pairs\)\./],
    ['AA:BB:CC:DD:EE:GG', /^That is no MAC address: `G` is not one of/],
    ['001B5400007', /^That is no MAC address: it has 11 hexadecimal digits/],
    ['550e8400-e29b-41d4-a716-446655440000', /^That is a UUID\./],
    ['10:22', /^I don't know that command/],
    ['2026-11-22', /^I don't know that command/],
    ['12345', /^I don't know that command/],
    ['thank-you', /^I don't know that command/],
    ['my laptop 00:1B:54:00:00 is slow', /^That is half an address \(5 of 6 pairs\)\./],
    ['00:1B:54', /^That is half an address \(3 of 6 pairs\)\./],
    ['at 10:22:33', /^I don't know that command/],
    ['10:22:33', /^I don't know that command/],
    ['ring 1234-5678', /^I don't know that command/],
  ])('is told what "%s" lacks if it is nearly an address', async (text, words) => {
    expect((await answerTo(dialogs, text)).text).toMatch(words);
  });
});

describe('what was meant as an IP address', () => {
  it.each([
    ['300.1.2.3', '`300.1.2.3` is no IP address: `300` is over 255. Each of the four numbers is 0 to 255.'],
    ['10.1.2', '`10.1.2` is no whole IP address: it has 3 numbers, and an IPv4 address has 4.'],
    ['10.1.2.3.4', '`10.1.2.3.4` is no whole IP address: it has 5 numbers, and an IPv4 address has 4.'],
    ['198.51.100.0/24', '`198.51.100.0/24` is a network, not one device. Give me the address of the device.'],
    ['2001:db8::/32', '`2001:db8::/32` is a network, not one device. Give me the address of the device.'],
    ['198.51.100.1-20', '`198.51.100.1-20` is a range, not one device. Give me each address by itself.'],
    [
      '198.51.100.1-198.51.100.9',
      '`198.51.100.1-198.51.100.9` is a range, not one device. Give me each address by itself.',
    ],
    [
      '2001:db8::1::2',
      '`2001:db8::1::2` is no IPv6 address. It needs 8 groups of up to 4 digits (0-9 and a-f); :: can stand once for groups of zeros.',
    ],
  ])('is told what is wrong: %s', async (typed, fault) => {
    const said = [{ kind: 'said', text: `${fault}\n\nFor example: \`lookup 198.51.100.23\`` }];
    expect(await talk(dialogs, `lookup ${typed}`)).toEqual(said);
  });

  it('is not looked up if zeros in front make it ambiguous, but has a button', async () => {
    const message = await answerTo(dialogs, 'lookup 198.051.100.023');
    expect(message.text).toBe(
      '`198.051.100.023` is ambiguous: with a zero in front, some systems read a number as octal. Type it without the zeros.\n\nDid you mean `198.51.100.23`?',
    );
    expect(buttonsOf(message).map(({ data }) => data)).toEqual([{ dialog: 'lookup', text: '198.51.100.23' }]);
  });

  it.each([
    ['224.0.0.251', 'a multicast address. This address stands for a group of devices'],
    ['ff02::1', 'a multicast address. This address stands for a group of devices'],
    ['255.255.255.255', 'the broadcast address. This address stands for all devices'],
    ['0.0.0.0', 'the unspecified address. This address stands for no device'],
    ['::', 'the unspecified address. This address stands for no device'],
    ['127.0.0.1', 'a loopback address. Every device has this address for itself'],
    ['::1', 'a loopback address. Every device has this address for itself'],
  ])('is not looked up if it stands for no single device: %s', async (typed, verdict) => {
    const text = `\`${typed}\`: ${verdict}, so there is nothing to look up. Give me the address of one device.`;
    expect(await talk(dialogs, `lookup ${typed}`)).toEqual([{ kind: 'said', text }]);
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
    expect(text).toContain(
      `\n\nI did not look up ${named}: a MAC address has 6 pairs of digits, and one is missing or too long.`,
    );
  });

  it.each([
    'since 10:27:33',
    'since 2026-11-22',
    '2001:db8::1:2:3:4',
    '2001:db8:0:0:1:2:3:4',
    'AA:BB:CC:FF:FE:DD:EE:11',
    'host-00:1B:54:00:00',
    '00:1B:54:00:00:07',
  ])('is not seen in "%s"', async (typed) => {
    const { text } = await stageLookup().answer(`lookup AA:BB:CC:DD:EE:FF ${typed}`);
    expect(text).not.toContain('6 pairs');
  });

  it('is not spoken of if it was said to others', async () => {
    const changes = { arrivedAt: NOW, isOverheard: true };
    const deeds = await talk([stageLookup().dialog], 'AA:BB:CC:DD:EE:FF 00:1B:54:00:00', changes);
    expect(deeds).toMatchObject([{ text: expect.not.stringContaining('6 pairs') }]);
  });
});

describe('a mistyped address', () => {
  it('is named beside a correct one, and not looked up', async () => {
    const stage = stageLookup();
    const { text } = await stage.answer('00:1B:54:00:00:07 00:1B:54:OO:OO:O8');
    expect(text).toContain(
      'I did not look up what seems mistyped (O for 0, l for 1). Did you mean 00:1B:54:00:00:08?',
    );
    expect(stage.audited).toMatchObject([{ asked: '00:1B:54:00:00:07' }]);
  });

  it('is not one that comes after the first 20', async () => {
    const text = Array.from({ length: 21 }, (_, index) => `00:1B:54:00:01:${10 + index}`).join(' ');
    const [, answer] = await talk([stageLookup().dialog], `lookup ${text}`, { arrivedAt: NOW });
    expect(answer).toMatchObject({ text: expect.not.stringContaining('mistyped') });
  });

  it('is corrected in a suggestion with a button, and not looked up', async () => {
    expect(await talk(dialogs, 'lookup AA:BB:CC:DD:EE:FO')).toEqual([
      {
        kind: 'said',
        text: 'Did you mean `AA:BB:CC:DD:EE:F0`?',
        buttons: ['Look up AA:BB:CC:DD:EE:F0'],
      },
    ]);
  });

  it.each([
    ['l98.51.1OO.23', '198.51.100.23'],
    ['2001:db8::10O', '2001:db8::100'],
  ])('can be an IP address: %s', async (typed, guess) => {
    const said = { kind: 'said', text: `Did you mean \`${guess}\`?`, buttons: [`Look up ${guess}`] };
    expect(await talk(dialogs, `lookup ${typed}`)).toEqual([said]);
  });

  it('is looked up after a press of its button', async () => {
    const message = await answerTo(dialogs, 'lookup 00:1B:54:OO:OO:O7');
    const deeds = await press([stageLookup().dialog], message, 'Look up 00:1B:54:00:00:07', {
      arrivedAt: NOW,
    });
    expect(deeds).toMatchObject([
      { kind: 'said', text: expect.stringMatching(/^`00:1B:54:00:00:07`: no session\./) },
    ]);
  });

  it('is suggested with up to four others of its message', async () => {
    const text = Array.from({ length: 6 }, (_, index) => `OO:1B:54:00:00:0${index}`).join(' ');
    const message = await answerTo(dialogs, `lookup ${text}`);
    expect(message.text).toBe(
      'Did you mean `00:1B:54:00:00:00` or `00:1B:54:00:00:01` or `00:1B:54:00:00:02` or `00:1B:54:00:00:03` or `00:1B:54:00:00:04`?',
    );
    expect(message.summary).toBe(message.text.replaceAll('`', ''));
    expect(buttonsOf(message).map(({ data }) => data)).toEqual(
      [0, 1, 2, 3, 4].map((index) => ({ dialog: 'lookup', text: `00:1B:54:00:00:0${index}` })),
    );
  });
});
