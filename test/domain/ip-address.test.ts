import { expect, it } from 'vitest';
import { readIpWord } from '../../src/domain/ip-address.ts';

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
