import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DeviceAddress,
  faultOf,
  findDeviceAddresses,
  findMaker,
  guessMacAddresses,
  isMacAddress,
  sortPasted,
} from '../../src/domain/device-address.ts';
import { findMacAddresses, type MacAddress } from '../../src/domain/mac-address.ts';
import { timeOf } from '../time-of.ts';

const MAC = '00:1B:54:00:00:07';
const OTHER = 'AA:BB:CC:DD:EE:FF';
const IP = '198.51.100.23';

describe('the addresses behind a command', () => {
  it.each([
    ...[IP, `${IP}.`, `who has ${IP}?`, `ip=${IP}`, `inside:${IP}/50443`, '１９８.５１.１００.２３'].map(
      (text): [string, string[]] => [text, [IP]],
    ),
    [`(${IP}), "2001:db8::23"`, [IP, '2001:db8::23']],
    [`**${IP}** [2001:db8::1 is up]`, [IP, '2001:db8::1']],
    [`IP:${IP} v6:2001:db8::23`, [IP, '2001:db8::23']],
    [`IP地址：${IP} 能查吗`, [IP]],
    [`IP주소:${IP}`, [IP]],
    [`https://${IP}:8443/admin/10.1.2.3`, [IP]],
    [`[2001:db8::1]:443 ${IP}:443`, ['2001:db8::1', IP]],
    [`${IP}, ::ffff:${IP}; ${IP}\n198.51.100.24`, [IP, '198.51.100.24']],
    [`- ${IP}\n- 198.51.100.24`, [IP, '198.51.100.24']],
    [`- ${IP}\n- ${MAC}`, [IP, MAC]],
    ['198。51', []],
    ['fe80::а1', []], // The first letter is Cyrillic.
    ['host-198.51.100.23.example.com', []],
    ['fe80::a8bb:ccff:fedd:eeff', ['fe80::a8bb:ccff:fedd:eeff']],
    ['2001:db8:0:0:aabb:ccdd:eeff:1122', ['2001:db8::aabb:ccdd:eeff:1122']],
    ['11:22:33:44:55:66::', ['11:22:33:44:55:66::']],
    ['fe80::1%001b54000007', ['fe80::1']],
    [MAC, [MAC]],
    ['10.11.12.13.14.15', ['10:11:12:13:14:15']],
    ['001122334455', ['00:11:22:33:44:55']],
    ['ticket 001122334455, or 0800-1234-5678', ['00:11:22:33:44:55', '08:00:12:34:56:78']],
    [`001122334455, ${MAC}`, [MAC]],
    [`${IP} 001122334455`, [IP]],
    [`${MAC}, 001122334455, ${IP}`, [MAC, IP]],
    [`SEP001B54000007, 0:1b:54:0:0:8, ${IP}`, [MAC, '00:1B:54:00:00:08', IP]],
    [`${MAC} ${IP}`, [MAC, IP]],
    [`${IP}, ${MAC}`, [IP, MAC]],
    [`${IP} and ${MAC};\n${OTHER}, and ${IP}.`, [IP, MAC, OTHER]],
    [`00 1B 54 00 00 07, ${IP}`, [MAC, IP]],
    [`\`${IP}\` \`001b.5400.0007\`?`, [IP, MAC]],
    [`2001:db8::23 ${MAC}`, ['2001:db8::23', MAC]],
  ])('%j: %j', (text, addresses) =>
    expect(findDeviceAddresses(text)).toEqual({ addresses, beside: [], faults: [] }),
  );

  it.each([
    [`${MAC} has ${IP}`, [MAC], [IP]],
    [`mac ${MAC} ip ${IP}`, [MAC], [IP]],
    [`192.0.2.18 992: ([001b.5400.0007/${IP}/aabb.ccdd.eeff/14:03:09 UTC`, [MAC, OTHER], ['192.0.2.18', IP]],
  ])('%j is more than a list, so its IP addresses are not asked for', (text, addresses, beside) =>
    expect(findDeviceAddresses(text)).toEqual({ addresses, beside, faults: [] }),
  );

  it.each([
    ['300.1.2.3', [], [['300.1.2.3', 'over 255']]],
    ['198.51.100.0/24.', [], [['198.51.100.0/24', 'network']]],
    ['198.51.100.0/255.255.255.0', [], [['198.51.100.0/255.255.255.0', 'network']]],
    ['198.51.100.1 - 198.51.100.9', [], [['198.51.100.1-198.51.100.9', 'range']]],
    ['198.51.100.1–20', [], [['198.51.100.1-20', 'range']]],
    [`${IP} 10.1.2`, [IP], [['10.1.2', 'parts']]],
    [`${MAC}, 300.1.2.3`, [MAC], [['300.1.2.3', 'over 255']]],
    [`${MAC} runs 10.1.2`, [MAC], []],
  ])('%j: %j, and the faults %j', (text, addresses, faults) => {
    const found = findDeviceAddresses(text);
    expect(found.addresses).toEqual(addresses);
    expect(found.faults.map(({ word, fault }) => [word, fault.kind])).toEqual(faults);
  });

  it.each(['.', ':', ' ', '1/', '1-', 'z', `${IP} - `, '11 ', '['])(
    'are found in linear time among repeats of "%s"',
    (piece) => {
      const text = piece.repeat(50_000 / piece.length);
      expect(timeOf(() => findDeviceAddresses(`${text} ${MAC} ${text}`))).toBeLessThan(1000);
    },
  );
});

it('a MAC address is told from the IP addresses that resemble it', () => {
  const addresses = [MAC, IP, '10:11:12:13::1415', 'aa:bb:cc:dd:ee:ff::'] as DeviceAddress[];
  expect(addresses.filter(isMacAddress)).toEqual([MAC]);
});

/**
 * Texts as switches, servers, devices and people write them. Below each stands what is found in it: everywhere, or behind
 * a command alone (`none; lookup ...`). The values are our own.
 */
const realTexts = readFileSync(new URL('real-texts.txt', import.meta.url), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map(readRealText);

describe('in the text of', () => {
  it.each(realTexts)('$name', ({ text, found, behindCommand }) => {
    expect(findMacAddresses(text)).toEqual(found);
    expect(findDeviceAddresses(text).addresses.filter(isMacAddress)).toEqual(behindCommand);
  });

  it('at least 120 systems', () => expect(realTexts.length).toBeGreaterThanOrEqual(120));
});

function readRealText(record: string) {
  const [, name = '', text = '', answer = ''] = /^([^\n]*)\n(.*)\n-> ([^\n]*)\n$/s.exec(record) ?? [];
  const [strict = '', wide = strict] = answer.split('; lookup ');
  return { name, text, found: addressesOf(strict), behindCommand: addressesOf(wide) };
}

function addressesOf(list: string): string[] {
  if (list === '') throw new Error('a text without "-> ..." below it');
  return list === 'none' ? [] : list.split(', ');
}

it.each([
  ...['', 'the printer please', 'floor 7', 'printer-17.example.com', 'WORKSTATION1', 'FOC2001A0BC'].map(
    (text): [string, object] => [text, { kind: 'missing' }],
  ),
  ['AA:BB:CC:DD:EE', { kind: 'half', pairs: 5 }],
  ['AA BB CC DD EE', { kind: 'half', pairs: 5 }],
  ['aabb.ccdd', { kind: 'half', pairs: 4 }],
  ['the phone 00-1B-54', { kind: 'half', pairs: 3 }],
  ['7', { kind: 'wrong length', digits: 1 }],
  ['aabbccddee', { kind: 'wrong length', digits: 10 }],
  ['the printer aabbccddee1', { kind: 'wrong length', digits: 11 }],
  ['aabbccddeeff00', { kind: 'wrong length', digits: 14 }],
  ['(550e8400-e29b-41d4-a716-446655440000)', { kind: 'uuid' }],
  ['AG:BB:CC:DD:EE:FF', { kind: 'bad character', character: 'G' }],
  ['host-17 AA:BB:CC:DD:EE:GG', { kind: 'bad character', character: 'G' }],
  ['OO:1B:54:00:00:01', { kind: 'bad character', character: 'O' }],
  ['AA:BB-CC:DD-EE:FF', { kind: 'wrong groups' }],
])('the fault of "%s" is %j', (text, fault) => expect(faultOf(text)).toEqual(fault));

describe('guesses at a mistyped address', () => {
  const slips = '00:1B:54:OO:OO:O7 oo1b.54oo.ooo7 00:lB:54:00:00:07 00:IB:54:00:00:07 00:iB:54:00:00:07';
  it.each<[string, string[]]>([
    ...`${slips} 00-|B-54-00-00-07 O0lB54000007 ${MAC}`
      .split(' ')
      .map((slip): [string, string[]] => [slip, [MAC]]),
    ['is OO:1B:54:00:00:07 or 00:lB:54:00:00:08 in?', [MAC, '00:1B:54:00:00:08']],
    ['00ll22334455', ['00:11:22:33:44:55']],
    ['call 0800 1234 5678 or 0800 l234 5679', ['08:00:12:34:56:79']],
    ['AA:BB:CC:DD:EE:GG, 00:1B:54:00:00 or 001122334455', []],
    ['look in oil, lol: no idea', []],
    ['', []],
  ])('in "%s" are %j', (text, guesses) => expect(guessMacAddresses(text)).toEqual(guesses));

  it('are right for any address whose 0 and 1 became letters', () => {
    const [zeros, ones] = [fc.constantFrom('O', 'o', '0'), fc.constantFrom('l', 'I', '|', 'i', '1')];
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 6, maxLength: 6 }), zeros, ones, (bytes, zero, one) => {
        const right = withColons(Buffer.from(bytes).toString('hex').toUpperCase());
        const wrong = right.replaceAll('0', zero).replaceAll('1', one);
        expect(guessMacAddresses(wrong)).toEqual(findMacAddresses(right));
      }),
    );
  });
});

const registry: Readonly<Record<string, string>> = createRequire(import.meta.url)('oui-data');

describe('the maker of a device', () => {
  it.each([
    ['00:1B:54:00:00:07', 'Cisco Systems, Inc'],
    ['AA:00:03:00:00:07', undefined], // Made up by the device, though the block is a maker's.
    ['01:00:5E:00:00:FB', undefined], // A group's.
    ['FF:FF:FF:FF:FF:FF', undefined],
    ['00:00:00:00:00:00', undefined],
  ])('of %s is %s', (address, maker) => expect(findMaker(address as MacAddress)).toBe(maker));

  it('is that of the longest block, for every block of the registry', () => {
    const devices = Object.keys(registry)
      .filter((prefix) => (Number.parseInt(prefix.slice(0, 2), 16) & 3) === 0) // A maker's, and no group's.
      .map((block) => `${block.padEnd(11, '0')}1`);
    const makerOf = (device: string) => {
      const entries = [9, 7, 6].map((length) => registry[device.slice(0, length)]);
      return entries.find((entry) => entry !== undefined)?.split('\n')[0];
    };
    expect(devices.length).toBeGreaterThan(50_000);
    expect(devices.filter((device) => findMaker(withColons(device)) !== makerOf(device))).toEqual([]);
  });
});

function withColons(digits: string): MacAddress {
  return digits.replaceAll(/..(?!$)/g, '$&:') as MacAddress;
}

const TABLE = `          Mac Address Table
-------------------------------------------
Vlan    Mac Address       Type        Ports
----    -----------       --------    -----
 All    0100.0ccc.cccc    STATIC      CPU
 All    0180.c200.0000    STATIC      CPU
 All    001b.54aa.0001    STATIC      CPU
 All    ffff.ffff.ffff    STATIC      CPU
   1    7c21.0d00.0001    STATIC      Vl1
G 10    0012.3456.789a    static   -   F   F   sup-eth1(R)
  30    001b.5400.0003    DYNAMIC     Gi1/0/15
  30    001b.5400.0007    DYNAMIC     Gi1/0/16
  30    0000.0c07.ac01    DYNAMIC     Po1
  30    aabb.ccdd.eeff    STATIC      Gi1/0/17
Total Mac Addresses for this criterion: 8`;

it.each<[text: string, devices: string[], gateways: string[]]>([
  [TABLE, ['00:1B:54:00:00:03', '00:1B:54:00:00:07', 'AA:BB:CC:DD:EE:FF'], ['HSRP group 1']],
  ['lookup FF:FF:FF:FF:FF:FF', ['FF:FF:FF:FF:FF:FF'], []],
  ['0100.5e00.00fb 0180.c200.0000', ['01:00:5E:00:00:FB', '01:80:C2:00:00:00'], []],
  ['0000.0c07.acff 0000.0c9f.f12c 0005.73a0.0005', [], ['HSRP group 255', 'HSRP group 300', 'HSRP group 5']],
  ['0000.5e00.010a 0000.5e00.0207', [], ['VRRP group 10', 'VRRP group 7']],
  ['0007.b400.0a01 0000.0c07.ad01', ['00:00:0C:07:AD:01'], ['GLBP group 10']],
  [
    '0000.5e00.5301 printer, static IP, vlan20\n001b.5400.0002',
    ['00:00:5E:00:53:01', '00:1B:54:00:00:02'],
    [],
  ],
  ['198.51.100.23, 001b.5400.0003', ['198.51.100.23', '00:1B:54:00:00:03'], []],
])('a pasted text is parted into devices and gateways: %s', (text, devices, gateways) => {
  const sorted = sortPasted(text, findDeviceAddresses(text).addresses);
  expect(sorted.devices).toEqual(devices);
  expect(sorted.gateways.map(({ role }) => role)).toEqual(gateways);
});
