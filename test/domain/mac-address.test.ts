import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as mac from '../../src/domain/mac-address.ts';
import { timeOf } from '../time-of.ts';

const MAC = 'AA:BB:CC:DD:EE:FF';

/** UUIDs; IPv6 addresses and prefixes; SHA-1; EUI-64; bridges' ids; too many or too few digits; a pointer; mixed separators; no hexadecimal digit. */
const NO_ADDRESSES = `
  550e8400-e29b-41d4-a716-446655440000 {AABBCCDD-EEFF-0011-2233-445566778899}
  2001:0db8:0000:0000:aabb:ccdd:eeff:0001 2001:db8::aabb:ccdd:eeff ::aabb:ccdd:eeff ip=::aa:bb:cc:dd:ee:ff
  aabb:ccdd:eeff::/48 fe80::11:22:33:44:55:66 da39a3ee5e6b4b0d3255bfef95601890afd80709
  AA:BB:CC:FF:FE:DD:EE:11 aabbccfffeddee11 aabb.ccff.fedd.ee11 AA:BB:CC:DD:EE:FF:00 AA:BB:CC:DD:EE
  AA:BB:CC:DD:EE:F AA:BB:CC:DD:EE:FF:001122334455 0x55d4c7a0b2c0
  8FFF.AABBCCDDEEFF 0x8000.aabbccddeeff 32768/aabb.ccdd.eeff 4096.aa:bb:cc:dd:ee:ff 32768-aabb-ccdd-eeff
  1AA:BB:CC:DD:EE:FF aabbccddeeffz AA:BB-CC:DD-EE:FF GG:BB:CC:DD:EE:FF`;

const hexOf = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes).toString('hex'));

describe('findMacAddresses', () => {
  it.each([
    // Unicode's dashes, colons, letters, and quotation marks stand for those of ASCII.
    ...`AA:BB:CC:DD:EE:FF AA-BB-CC-DD-EE-FF aabb.ccdd.eeff aabbccddeeff aabbcc-ddeeff aabb-ccdd-eeff aa.bb.cc.dd.ee.ff
    aA:Bb:cC:Dd:Ee:fF AA–BB–CC–DD–EE–FF AA—BB—CC—DD—EE—FF AA‒BB‒CC‒DD‒EE‒FF AA‑BB‑CC‑DD‑EE‑FF AA−BB−CC−DD−EE−FF
    AA：BB：CC：DD：EE：FF ＡＡ：ＢＢ：ＣＣ：ＤＤ：ＥＥ：ＦＦ AA∶BB∶CC∶DD∶EE∶FF “AA:BB:CC:DD:EE:FF”`.split(
      /\s+/,
    ),
    ...['AA BB CC DD EE FF', 'AA  BB CC  DD EE FF'],
    ...['AA\u00a0BB\u00a0CC\u00a0DD\u00a0EE\u00a0FF', '\u2066aabb.ccdd.eeff\u2069'],
    'AA:\u200bBB:CC:DD:\u2060EE:FF\ufeff',
    // Scripts that put no spaces between words, or glue their particles.
    ...['AA:BB:CC:DD:EE:FF는 왜 안 돼?', '端末AA:BB:CC:DD:EE:FFを調べて', 'ตรวจสอบaabb.ccdd.eeffหน่อย'],
    // What stands around an address: punctuation, a label, an SSID behind it (Called-Station-Id), a time before it.
    ...['(AA:BB:CC:DD:EE:FF)', 'aabb.ccdd.eeff.', 'AA:BB:CC:DD:EE:FF: down since noon'],
    ...['—AA:BB:CC:DD:EE:FF—', 'MAC:AA:BB:CC:DD:EE:FF', 'mac=aabbccddeeff;vlan=10'],
    ...['AA:BB:CC:DD:EE:FF/48', '**AA:BB:CC:DD:EE:FF** _x_', 'AA-BB-CC-DD-EE-FF:cafe'],
    ...['10:22:33 AA BB CC DD EE FF'],
  ])('reads %j', (text) => expect(mac.findMacAddresses(text)).toEqual([MAC]));

  const SEVERAL = '11:22:33:44:55:66, aabb.ccdd.eeff and 001B54000007\nAA-BB-CC-DD-EE-FF 00 1b 54 00 00 07';
  it.each([
    ['aabb ccdd ee1f', ['AA:BB:CC:DD:EE:1F']], // No words.
    ['SEP55d4c7a0b2c0', ['55:D4:C7:A0:B2:C0']], // No pointer.
    [SEVERAL, ['11:22:33:44:55:66', MAC, '00:1B:54:00:00:07']],
  ])('finds those of %j in order: %j', (text, all) => expect(mac.findMacAddresses(text)).toEqual(all));

  it.each([
    ...NO_ADDRESSES.trim().split(/\s+/),
    ...['why is ::aabb:ccdd:eeff down?', 'the net aabb:ccdd:eeff:: is ours', 'AA BB CC FF FE DD EE 11'],
    ...['dead beef cafe', 'AA BB CC\nDD EE FF', '1.32778.001b.5400.0007', ''],
  ])('finds none in %j', (text) => expect(mac.findMacAddresses(text)).toEqual([]));

  it.each([
    ...['001122334455', '0011 2233 4455', '0011-2233-4455', '001122-334455'],
    ...['00-11-22-33-44-55', '00.11.22.33.44.55', '00 11 22 33 44 55', '00–11–22–33–44–55'],
  ])('decimal digits alone are doubtful: %s', (text) => {
    const [only] = mac.findSightings(mac.plainText(text)).sightings;
    expect(only).toMatchObject({ address: '00:11:22:33:44:55', isDoubtful: true });
    expect(mac.findMacAddresses(text)).toEqual([]);
  });

  it.each([
    ...['00:11:22:33:44:55', '0011.2233.4455', '0:11:22:33:44:55', '0x001122334455', 'SEP001122334455'],
  ])('takes decimal digits for an address if their form says so: %s', (text) =>
    expect(mac.findMacAddresses(text)).toEqual(['00:11:22:33:44:55']),
  );

  it('tells where an address stands, with its label', () => {
    const plain = mac.plainText('ring\t0800-1234-5678, SEP001122334455');
    const places = mac
      .findSightings(plain)
      .sightings.map((each) => `${plain.slice(each.start, each.end)} ${each.isDoubtful}`);
    expect(places).toEqual(['0800-1234-5678 true', 'SEP001122334455 false']);
  });

  it('never finds a part of a longer hexadecimal run', () =>
    fc.assert(
      fc.property(hexOf(7, 32), fc.constantFrom('', ':', '-', '.', ' '), (hex, separator) => {
        expect(mac.findSightings(mac.plainText(group(hex, 2, separator))).sightings).toEqual([]);
      }),
    ));

  const labelled = ['SEP', 'AP0000.', '0x', 'client-id 01:', '4096.', '00%3A', '001122334455 '];
  it.each(['a', 'aa:', 'aa ', 'aabb.', '::', 'AA:BB:CC:DD:EE:FF ', ...labelled])(
    'needs little time for many of "%s"',
    (text) =>
      expect(timeOf(() => mac.findMacAddresses(text.repeat(200_000 / text.length)))).toBeLessThan(1000),
  );
});

const registry: Readonly<Record<string, string>> = createRequire(import.meta.url)('oui-data');

it.each([
  ['00:1B:54:00:00:07', 'Cisco Systems, Inc'],
  ['AA:00:03:00:00:07', undefined], // Made up by the device, though the block is a maker's.
  ['01:00:5E:00:00:FB', undefined], // A group's.
  ['FF:FF:FF:FF:FF:FF', undefined],
  ['00:00:00:00:00:00', undefined],
])('the maker of %s is %s', (address, maker) => expect(mac.findMaker(address as mac.MacAddress)).toBe(maker));

it('the maker of a device is that of the longest block, for each block', () => {
  const devices = Object.keys(registry)
    .filter((prefix) => (Number.parseInt(prefix.slice(0, 2), 16) & 3) === 0) // A maker's, and no group's.
    .map((block) => `${block.padEnd(11, '0')}1`);
  const makerOf = (device: string) => {
    const entries = [9, 7, 6].map((length) => registry[device.slice(0, length)]);
    return entries.find((entry) => entry !== undefined)?.split('\n')[0];
  };
  expect(devices.length).toBeGreaterThan(50_000);
  expect(devices.filter((device) => mac.findMaker(mac.toMacAddress(device)) !== makerOf(device))).toEqual([]);
});

function group(hex: string, size: number, separator: string): string {
  return (hex.match(new RegExp(`.{${size}}`, 'g')) ?? []).join(separator);
}
