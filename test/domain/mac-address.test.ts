import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  faultOf,
  findMacAddresses,
  formatMacAddress,
  guessMacAddresses,
  kindOf,
  type MacAddress,
  readMacAddresses,
} from '../../src/domain/mac-address.ts';
import { timeOf } from '../time-of.ts';

const MAC = 'AA:BB:CC:DD:EE:FF';

/** UUIDs; IPv6 addresses and prefixes; SHA-1; EUI-64; too many or too few digits; mixed separators; no hexadecimal digit. */
const NO_ADDRESSES = `
  550e8400-e29b-41d4-a716-446655440000 {AABBCCDD-EEFF-0011-2233-445566778899}
  2001:0db8:0000:0000:aabb:ccdd:eeff:0001 2001:db8::aabb:ccdd:eeff ::aabb:ccdd:eeff ip=::aa:bb:cc:dd:ee:ff
  aabb:ccdd:eeff::/48 fe80::11:22:33:44:55:66 da39a3ee5e6b4b0d3255bfef95601890afd80709
  AA:BB:CC:FF:FE:DD:EE:11 aabbccfffeddee11 aabb.ccff.fedd.ee11 AA:BB:CC:DD:EE:FF:00 AA:BB:CC:DD:EE
  1AA:BB:CC:DD:EE:FF aabbccddeeffz AA:BB-CC:DD-EE:FF GG:BB:CC:DD:EE:FF`;

describe('findMacAddresses', () => {
  it.each([
    ['colons', 'AA:BB:CC:DD:EE:FF'],
    ['hyphens', 'AA-BB-CC-DD-EE-FF'],
    ["Cisco's dots", 'aabb.ccdd.eeff'],
    ['bare', 'aabbccddeeff'],
    ['spaces', 'AA BB CC DD EE FF'],
    ['spaced groups of four', 'aabb ccdd ee1f', 'AA:BB:CC:DD:EE:1F'],
    ["HP's groups", 'aabbcc-ddeeff'],
    ["Huawei's groups", 'aabb-ccdd-eeff'],
    ['dotted pairs', 'aa.bb.cc.dd.ee.ff'],
    ['mixed case', 'aA:Bb:cC:Dd:Ee:fF'],
    ['en dashes', 'AA–BB–CC–DD–EE–FF'],
    ['em dashes', 'AA—BB—CC—DD—EE—FF'],
    ['figure dashes', 'AA‒BB‒CC‒DD‒EE‒FF'],
    ['non-breaking hyphens', 'AA‑BB‑CC‑DD‑EE‑FF'],
    ['direction marks', '\u2066aabb.ccdd.eeff\u2069'],
    ['quotation marks', '“AA:BB:CC:DD:EE:FF”'],
    ['minus signs', 'AA−BB−CC−DD−EE−FF'],
    ['full-width colons', 'AA：BB：CC：DD：EE：FF'],
    ['full-width letters', 'ＡＡ：ＢＢ：ＣＣ：ＤＤ：ＥＥ：ＦＦ'],
    ['ratio signs', 'AA∶BB∶CC∶DD∶EE∶FF'],
    ['non-breaking spaces', 'AA\u00a0BB\u00a0CC\u00a0DD\u00a0EE\u00a0FF'],
    ['invisible characters inside', 'AA:\u200bBB:CC:DD:\u2060EE:FF\ufeff'],
    ['a code span', '`AA:BB:CC:DD:EE:FF`'],
    ['parentheses', '(AA:BB:CC:DD:EE:FF)'],
    ['a trailing full stop', 'AA:BB:CC:DD:EE:FF.'],
    ['a dotted one with a full stop', 'aabb.ccdd.eeff.'],
    ['a trailing colon', 'AA:BB:CC:DD:EE:FF: down since noon'],
    ['a sentence', 'why is aabb.ccdd.eeff, on floor 2, so slow?'],
    ['a label without a space', 'MAC:AA:BB:CC:DD:EE:FF'],
    ['an equals sign', 'mac=aabbccddeeff;vlan=10'],
    ['a list item', '-AA:BB:CC:DD:EE:FF'],
    ['dashes around', '—AA:BB:CC:DD:EE:FF—'],
    ['a prefix length', 'AA:BB:CC:DD:EE:FF/48'],
    ['an SSID behind (Called-Station-Id)', 'AA-BB-CC-DD-EE-FF:cafe'],
    ['a time before a spaced one', '10:22:33 AA BB CC DD EE FF'],
    ['emphasis', '**AA:BB:CC:DD:EE:FF** _x_'],
  ])('reads %s', (_, text, address = MAC) => {
    expect(findMacAddresses(text)).toEqual([address]);
  });

  it('finds several of different spellings in order, each once', () => {
    const text = '11:22:33:44:55:66, aabb.ccdd.eeff and 001B54000007\nAA-BB-CC-DD-EE-FF 00 1b 54 00 00 07';
    expect(findMacAddresses(text)).toEqual(['11:22:33:44:55:66', MAC, '00:1B:54:00:00:07']);
  });

  it.each([
    ...NO_ADDRESSES.trim().split(/\s+/),
    ...['why is ::aabb:ccdd:eeff down?', 'the net aabb:ccdd:eeff:: is ours', 'AA BB CC FF FE DD EE 11'],
    ...['dead beef cafe', 'AA BB CC\nDD EE FF', ''],
  ])('finds none in %j', (text) => expect(findMacAddresses(text)).toEqual([]));

  it.each([
    ['twelve digits in a row', '001122334455'],
    ['three groups with spaces', '0011 2233 4455'],
    ['three groups with hyphens', '0011-2233-4455'],
    ['two groups', '001122-334455'],
    ['pairs with hyphens', '00-11-22-33-44-55'],
    ['pairs with dots', '00.11.22.33.44.55'],
    ['pairs with spaces', '00 11 22 33 44 55'],
    ['en dashes', '00–11–22–33–44–55'],
  ])('counts decimal digits alone as an address in the wide reading only: %s', (_, text) => {
    expect(findMacAddresses(text)).toEqual([]);
    expect(findMacAddresses(text, 'wide')).toEqual(['00:11:22:33:44:55']);
    expect(findMacAddresses(`${text}, ${MAC}`, 'wide')).toEqual([MAC]);
    expect(readMacAddresses(`${text}, ${MAC}, ${text}`).doubtful).toMatchObject([
      { address: '00:11:22:33:44:55' },
    ]);
  });

  it.each(['00:11:22:33:44:55', '0011.2233.4455', '0:11:22:33:44:55', '0x001122334455', 'SEP001122334455'])(
    'takes decimal digits for an address if their form says so: %s',
    (text) => {
      expect(findMacAddresses(text)).toEqual(['00:11:22:33:44:55']);
    },
  );

  it('returns doubtful digits as they are written, unless the same address stands there clearly', () => {
    expect(readMacAddresses('0800-1234-5678, 00-11-22-33-44-55 (00:11:22:33:44:55)')).toEqual({
      clear: ['00:11:22:33:44:55'],
      doubtful: [{ address: '08:00:12:34:56:78', written: '0800-1234-5678' }],
    });
  });

  const octets = fc.uint8Array({ minLength: 6, maxLength: 6 });
  const spelling = fc.constantFrom<(hex: string) => string>(
    (hex) => hex,
    (hex) => hex.toUpperCase(),
    (hex) => group(hex, 2, ':'),
    (hex) => group(hex, 2, '-').toUpperCase(),
    (hex) => group(hex, 2, ' '),
    (hex) => group(hex, 4, '.'),
    (hex) => group(hex, 4, '-'),
    (hex) => group(hex, 6, '-'),
  );

  it('finds any address in any spelling between any words', () => {
    const word = fc.stringMatching(/^[g-z]{1,8}$/);
    fc.assert(
      fc.property(
        octets,
        spelling,
        word,
        word,
        fc.constantFrom(' ', ', ', ' (', '\n'),
        (bytes, spell, before, after, gap) => {
          const hex = Buffer.from(bytes).toString('hex');
          expect(findMacAddresses(`${before}${gap}${spell(hex)}${gap}${after}`, 'wide')).toEqual([
            group(hex, 2, ':').toUpperCase(),
          ]);
        },
      ),
    );
  });

  it('never finds a part of a longer hexadecimal run', () => {
    const run = fc.uint8Array({ minLength: 7, maxLength: 32 });
    fc.assert(
      fc.property(run, fc.constantFrom('', ':', '-', '.', ' '), (bytes, separator) => {
        expect(findMacAddresses(group(Buffer.from(bytes).toString('hex'), 2, separator), 'wide')).toEqual([]);
      }),
    );
  });

  it('takes any text, and finds only canonical addresses, which it finds again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const address of findMacAddresses(text)) {
          expect(address).toMatch(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/);
          expect(findMacAddresses(address)).toEqual([address]);
        }
      }),
    );
  });

  it('needs time in proportion to the text', () => {
    const labelled = ['SEP', 'AP0000.', '0x', 'client-id 01:', '4096.', '00%3A', '001122334455 '];
    for (const piece of ['a', 'aa:', 'aa ', 'aabb.', '::', 'AA:BB:CC:DD:EE:FF ', ...labelled]) {
      const [short, long] = [piece.repeat(20_000 / piece.length), piece.repeat(200_000 / piece.length)];
      findMacAddresses(short);
      expect(
        timeOf(() => findMacAddresses(long)) / (timeOf(() => findMacAddresses(short)) + 0.5),
      ).toBeLessThan(60);
    }
  });
});

it('an address is written with colons or hyphens, upper case', () => {
  expect(formatMacAddress(MAC as MacAddress, 'colon')).toBe(MAC);
  expect(formatMacAddress(MAC as MacAddress, 'hyphen')).toBe('AA-BB-CC-DD-EE-FF');
});

it.each([
  ['00:00:00:00:00:00', 'zero'],
  ['FF:FF:FF:FF:FF:FF', 'broadcast'],
  ['01:00:5E:00:00:FB', 'multicast'],
  ['33:33:00:00:00:01', 'multicast'],
  ['AA:BB:CC:DD:EE:FF', 'device'],
  ['00:00:00:00:00:01', 'device'],
])('%s is %s', (address, kind) => expect(kindOf(address as MacAddress)).toBe(kind));

describe('the fault', () => {
  it.each([
    ['', { kind: 'missing' }],
    ['the printer please', { kind: 'missing' }],
    ['AA:BB:CC:DD:EE', { kind: 'half', pairs: 5 }],
    ['AA BB CC DD EE', { kind: 'half', pairs: 5 }],
    ['aabb.ccdd', { kind: 'half', pairs: 4 }],
    ['the phone 00-1B-54', { kind: 'half', pairs: 3 }],
    ['aabbccddee', { kind: 'wrong length', digits: 10 }],
    ['7', { kind: 'wrong length', digits: 1 }],
    ['floor 7', { kind: 'missing' }],
    ['printer-17.example.com', { kind: 'missing' }],
    ['WORKSTATION1', { kind: 'missing' }],
    ['FOC2001A0BC', { kind: 'missing' }],
    ['host-17 AA:BB:CC:DD:EE:GG', { kind: 'bad character', character: 'G' }],
    ['(550e8400-e29b-41d4-a716-446655440000)', { kind: 'uuid' }],
    ['aabbccddeeff00', { kind: 'wrong length', digits: 14 }],
    ['the printer aabbccddee1', { kind: 'wrong length', digits: 11 }],
    ['AG:BB:CC:DD:EE:FF', { kind: 'bad character', character: 'G' }],
    ['OO:1B:54:00:00:01', { kind: 'bad character', character: 'O' }],
    ['AA:BB-CC:DD-EE:FF', { kind: 'wrong groups' }],
  ])('of "%s" is %j', (text, fault) => expect(faultOf(text)).toEqual(fault));
});

function group(hex: string, size: number, separator: string): string {
  return (hex.match(new RegExp(`.{${size}}`, 'g')) ?? []).join(separator);
}

const X = '00:1B:54:00:00:07';

describe('guesses at a mistyped address', () => {
  it.each([
    ['00:1B:54:OO:OO:O7', [X]],
    ['oo1b.54oo.ooo7', [X]],
    ['00:lB:54:00:00:07', [X]],
    ['00:IB:54:00:00:07', [X]],
    ['00:iB:54:00:00:07', [X]],
    ['00-|B-54-00-00-07', [X]],
    ['O0lB54000007', [X]],
    ['is OO:1B:54:00:00:07 or 00:lB:54:00:00:08 in?', [X, '00:1B:54:00:00:08']],
    [X, [X]],
    ['00ll22334455', ['00:11:22:33:44:55']],
    ['001122334455', []],
    ['call 0800 1234 5678 or 0800 l234 5679', ['08:00:12:34:56:79']],
    ['AA:BB:CC:DD:EE:GG', []],
    ['00:1B:54:00:00', []],
    ['look in oil, lol: no idea', []],
    ['', []],
  ])('in "%s" are %j', (text, guesses) => {
    expect(guessMacAddresses(text)).toEqual(guesses);
  });

  it('are right for any address whose 0 and 1 became letters', () => {
    const address = fc
      .array(fc.integer({ min: 0, max: 255 }), { minLength: 6, maxLength: 6 })
      .map((octets) => octets.map((octet) => octet.toString(16).padStart(2, '0').toUpperCase()).join(':'));
    const typed = fc.record({
      zero: fc.constantFrom('O', 'o', '0'),
      one: fc.constantFrom('l', 'I', '|', 'i', '1'),
    });
    fc.assert(
      fc.property(address, typed, (right, { zero, one }) => {
        const wrong = right.replaceAll('0', zero).replaceAll('1', one);
        expect(guessMacAddresses(wrong)).toEqual(findMacAddresses(right));
      }),
    );
  });
});
