import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  completeTail,
  type DeviceAddress,
  isMacAddress,
  isOneDevice,
  readAddresses,
  readDeviceAddress,
  readIpWord,
} from '../../src/domain/device-address.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';
import { timeOf } from '../time-of.ts';

const MAC = '00:1B:54:00:00:07';
const OTHER = 'AA:BB:CC:DD:EE:FF';
const IP = '198.51.100.23';

it.each<[text: string, addresses: string[]]>([
  ...[IP, `${IP}.`, `who has ${IP}?`, `ip=${IP}`, `inside:${IP}/50443`, '１９８.５１.１００.２３'].map(
    (text): [string, string[]] => [text, [IP]],
  ),
  [`(${IP}), "2001:db8::23"`, [IP, '2001:db8::23']],
  [`**${IP}** [2001:db8::1 is up]`, [IP, '2001:db8::1']],
  [`IP地址：${IP} 能查吗`, [IP]],
  [`https://${IP}:8443/admin/10.1.2.3`, [IP]],
  [`[2001:db8::1]:443 ${IP}:443`, ['2001:db8::1', IP]],
  [`${IP}, ::ffff:${IP}; ${IP}\n198.51.100.24`, [IP, '198.51.100.24']],
  ['198。51', []],
  ['fe80::а1', []], // The first letter is Cyrillic.
  ['host-198.51.100.23.example.com', []],
  ['11:22:33:44:55:66::', ['11:22:33:44:55:66::']],
  ['fe80::1%001b54000007', ['fe80::1']],
  ['10.11.12.13.14.15', ['10:11:12:13:14:15']],
  [`${IP} and ${MAC};\n${OTHER}, and ${IP}.`, [MAC, OTHER, IP]],
])('behind a command %j holds %j', (text, addresses) =>
  expect(readAddresses(text, 'asked')).toMatchObject({ addresses, leftOut: [], faults: [] }),
);

it.each<[text: string, addresses: string[], others: object]>([
  [`${MAC} has ${IP}`, [MAC], { leftOut: [] }],
  [`${IP} 00:1b:54, 10:22:33`, [IP], { faults: ['00:1b:54'] }],
  ['oo:lB:54:ОО:0O:I7', [], { suspects: ['00:1B:54:00:00:17'] }], // One O is Cyrillic.
])('behind a command %j holds %j, and %j', (text, addresses, others) =>
  expect(readAddresses(text, 'asked')).toMatchObject({ addresses, ...others }),
);

it.each(['.', ':', ' ', '1/', '1-', 'z', `${IP} - `, '11 ', '[', 'a,', '001122334455\n', 'O0', ' |'])(
  'addresses are found in linear time among repeats of "%s"',
  (piece) => {
    const text = piece.repeat(50_000 / piece.length);
    expect(timeOf(() => readAddresses(`${text} ${MAC} ${text}`, 'asked'))).toBeLessThan(1000);
  },
);

it('a MAC address is no IP address that resembles it, and each is read', () => {
  const addresses = [MAC, IP, '10:11:12:13::1415', 'aa:bb:cc:dd:ee:ff::'] as DeviceAddress[];
  expect(addresses.filter(isMacAddress)).toEqual([MAC]);
  expect(addresses.flatMap(readDeviceAddress)).toEqual(addresses);
  const more = '00:00:00:00:00:01 169.254.1.1 240.0.0.1 fe80::1 ff::1 ff:a::1'.split(' ') as DeviceAddress[];
  expect([...addresses, ...more, 'user ff02' as const].filter((each) => !isOneDevice(each))).toEqual([]);
});

it.each([
  ...['00:00:00:00:00:00', 'FF:FF:FF:FF:FF:FF', '01:00:5E:00:00:FB', '33:33:00:00:00:01'],
  ...['0.0.0.0', '::', '127.0.0.1', '::1', '224.0.0.1', '239.255.255.250', 'ff02::1', '255.255.255.255'],
])('%s is no address of one device', (address) => expect(isOneDevice(address as DeviceAddress)).toBe(false));

/**
 * Texts as switches, servers, devices and people write them. Below each stand its MAC addresses; if other ones count where
 * the text is told to the bot, those (`told`); and those that are offered (`perhaps`). The values are our own.
 */
const realTexts = readFileSync(new URL('real-texts.txt', import.meta.url), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map(readRealText);

it.each(realTexts)('in the text of $name', ({ text, found, told, perhaps }) => {
  expect(findMacAddresses(text)).toEqual(found);
  const { addresses, suspects } = readAddresses(text, 'addressed');
  expect([addresses.filter(isMacAddress), suspects.filter(isMacAddress)]).toEqual([told, perhaps]);
});

function readRealText(record: string) {
  const [, name = '', text = '', answer = ''] = /^([^\n]*)\n(.*)\n-> ([^\n]*)\n$/s.exec(record) ?? [];
  const [, found = '', told = found, perhaps = 'none'] =
    /^([^;]+)(?:; told ([^;]+))?(?:; perhaps ([^;]+))?$/.exec(answer) ?? [];
  const listOf = (list: string) => (list === 'none' ? [] : list.split(', '));
  return { name, text, found: listOf(found), told: listOf(told), perhaps: listOf(perhaps) };
}

it.each<[address: string, tail: string, expected: string[]]>([
  [MAC, ':08', ['00:1B:54:00:00:08']],
  [MAC, '8', ['00:1B:54:00:00:08']],
  [MAC, '5a-01', ['00:1B:54:00:5A:01']],
  [MAC, '108', []],
  [IP, '.108', ['198.51.100.108']],
  [IP, '300', []],
  ['2001:db8::1', ':08', []],
])('the last part of %s is replaced by %s: %j', (address, tail, expected) =>
  expect(completeTail(address as DeviceAddress, tail)).toEqual(expected),
);

const TABLE = ` All    0100.0ccc.cccc    STATIC      CPU
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

const OWN = ['00:1B:54:AA:00:01', '7C:21:0D:00:00:01', '00:12:34:56:78:9A'];

it.each<[text: string, devices: string[], left: string[]]>([
  [TABLE, ['00:1B:54:00:00:03', MAC, OTHER], [...OWN, '00:00:0C:07:AC:01']],
  ['FF:FF:FF:FF:FF:FF', ['FF:FF:FF:FF:FF:FF'], []],
  ['0100.5e00.00fb 0180.c200.0000', ['01:00:5E:00:00:FB', '01:80:C2:00:00:00'], []],
  ['0000.0c07.acff', [], ['00:00:0C:07:AC:FF']],
  ['0000.5e00.010a', [], ['00:00:5E:00:01:0A']],
  ['0000.0c9f.f12c', [], ['00:00:0C:9F:F1:2C']],
  ['0007.b400.0a01 0000.0c07.ad01', ['00:00:0C:07:AD:01'], ['00:07:B4:00:0A:01']],
  ['0000.5e00.5301 printer, static IP, vlan20', ['00:00:5E:00:53:01'], []],
  [`AP MAC ${OTHER}, ${MAC}`, [MAC], [OTHER]],
])('a pasted text is parted into devices and what is none: %s', (text, devices, left) => {
  const { addresses, leftOut } = readAddresses(text, 'addressed');
  expect([addresses, leftOut]).toEqual([devices, left]);
});

function wordByWord<T>(rows: ReadonlyArray<readonly [words: string, expected: T]>): Array<[string, T]> {
  return rows.flatMap(([words, expected]) => words.split(' ').map((word): [string, T] => [word, expected]));
}

it.each(
  wordByWord([
    ['198.51.100.23 198.51.100.23:443 [198.51.100.23]:443 198.51.100.23/32', '198.51.100.23'],
    ['198.51.100.23/50443 ::ffff:198.51.100.23 ::FFFF:198.51.100.23', '198.51.100.23'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:db8::23 2001:DB8:0:0:0:0:0:23', '2001:db8::23'],
    ['2001:0db8:0000:0000:0001:0000:0000:0023', '2001:db8::1:0:0:23'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8::', '2001:db8::'],
    ['::', '::'],
    ['[2001:db8::1] [2001:db8::1]:443 2001:db8::1/128', '2001:db8::1'],
    ['fe80::a8bb:ccff:fedd:eeff', 'fe80::a8bb:ccff:fedd:eeff'],
    ['fe80::1%eth0 [fe80::1%25en0]:8080', 'fe80::1'],
    ['64:ff9b::198.51.100.23', '64:ff9b::c633:6417'],
    ['11:22:33:44:55:66:198.51.100.23', '11:22:33:44:55:66:c633:6417'],
  ]),
)('the word %s is the IP address %s', (word, address) => expect(readIpWord(word)).toBe(address));

const FAULTS = `300.1.2.3 300.1.2.3:443 198.51.100.1234 10.1 10.1.2 10.1.2.3.4 2001:db8::1::2 2001:db8::10O fe80::12345
  198.51.100.0/24 198.51.100.0/255.255.255.0 10.1.0.0/16 255.255.255.0 2001:db8::/32 198.51.100.1-20 198.51.100.1-198.51.100.9
  2001:db8::1-2001:db8::9 2001:db8::1-9f 198.51.100.* 198.51.100.x 198.51.100.X 198.051.100.023 198.51.100.00`;
const OTHERS = `
  AA:BB:CC:DD:EE:FF aabb.ccdd.eeff 0011.2233.4455 0100.1122.3344.55 32768.0011.2233.4455
  1:0:1b:54:0:0:7 00:1b:54:00:00:07:cafe 10.11.12.13.14.15 AA-BB-CC-DD-EE-FF 001B54000007
  00:1B:54:00:00 00:1B:54:00::07 00:1B:54:00:00:071 00:1B:54:FF:FE:00:00:07 001b:5400:07
  14:03:09 std::vector sw-floor2-17 host-198.51.100.23 198.51.100.23-printer 7`;
it.each([...FAULTS.split(/\s+/), ...OTHERS.trim().split(/\s+/), '', '1.'.repeat(60)])(
  '"%s" is no IP address',
  (word) => expect(readIpWord(word)).toBeUndefined(),
);
