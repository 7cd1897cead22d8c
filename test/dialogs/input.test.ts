import { describe, expect, it } from 'vitest';
import { allDialogs } from './all-dialogs.ts';
import { NOW, stageLookup } from './commands/lookup-stage.ts';
import { type Deed, talk } from './talk.ts';

const X = '00:1B:54:00:00:07';
const GREETING = /^Hello! Send me a MAC address/;

describe('an address', () => {
  it.each([
    X,
    X.toLowerCase(),
    '001b.5400.0007',
    '001B-5400-0007',
    '001B54-000007',
    '001B54000007',
    '00 1B 54 00 00 07',
    '00-1B-54-00-00-07',
    '00–1B–54–00–00–07',
    '00—1B—54—00—00—07',
    '00‒1B‒54‒00‒00‒07',
    '00−1B−54−00−00−07',
    '00‑1B‑54‑00‑00‑07',
    '00：1B：54：00：00：07',
    '00:1B:54:\u200b00:00:07',
    '\u2066001b.5400.0007\u2069',
    '00\u00a01B\u00a054\u00a000\u00a000\u00a007',
    `<${X}>`,
    `"${X}"`,
    `“${X}”`,
    `‘${X}’`,
    `'${X}'`,
    `\`${X}\``,
    `**${X}**`,
    `(${X})`,
    `[${X}]`,
    `${X}.`,
    `${X},`,
    `${X};`,
    `${X}: is it in?`,
    `Is ${X} in?`,
    `mac=${X}/24`,
    `printer|${X}|floor 2`,
  ])('is found however it is written: %s', async (text) => {
    expect(await asked(text)).toEqual([X]);
    expect(await asked(`lookup ${text}`)).toEqual([X]);
  });

  it.each([
    ['the letter O for 0', 'OO:1B:54:OO:OO:O7'],
    ['a small o for 0', 'oo1b.54oo.ooo7'],
    ['a small L for 1', '00:lB:54:00:00:07'],
    ['a capital I for 1', '00:IB:54:00:00:07'],
    ['a bar for 1', '00-|B-54-00-00-07'],
    ['both', 'O0lB54000007'],
  ])('with %s is corrected in a suggestion, and not looked up: %s', async (_, typo) => {
    for (const text of [typo, `lookup ${typo}`, `is ${typo} in?`]) {
      const { addresses, deeds } = await say(text);
      expect(addresses).toEqual([]);
      expect(deeds).toEqual([{ kind: 'said', text: `Did you mean \`${X}\`?`, buttons: [`Look up ${X}`] }]);
    }
  });
});

const SYSLOG = `Jan 15 14:02:11 192.0.2.17 45213: Jan 15 14:02:10.882 UTC: %AUTHMGR-5-START: Starting 'dot1x' for client (001b.5400.0007) on Interface Gi1/0/15 AuditSessionID 0A0000010000002A3F5C11B2
Jan 15 14:02:41 192.0.2.17 45214: Jan 15 14:02:40.113 UTC: %DOT1X-5-FAIL: Authentication failed for client (001b.5400.0007) with reason (AAA Server Down) on Interface Gi1/0/15 AuditSessionID 0A0000010000002A3F5C11B2 Username: CORP\\alex
Jan 15 14:02:42 192.0.2.17 45215: Jan 15 14:02:41.907 UTC: %MAB-5-FAIL: Authentication failed for client (001b.5400.0008) on Interface Gi1/0/16 AuditSessionID 0A0000010000002B3F5C1A40
Jan 15 14:03:00 192.0.2.18 991: 000991: Jan 15 14:02:59.001 UTC: %SW_MATM-4-MACFLAP_NOTIF: Host 001b.5400.0009 in vlan 120 is flapping between port Te1/1/3 and port Te2/1/3
Jan 15 14:03:07 192.0.2.18 992: 000992: Jan 15 14:03:06.441 UTC: %PORT_SECURITY-2-PSECURE_VIOLATION: Security violation occurred, caused by MAC address 001b.5400.000a on port GigabitEthernet1/0/20.
Jan 15 14:03:09 2001:db8::18 993: %SW_DAI-4-DHCP_SNOOPING_DENY: 1 Invalid ARPs (Req) on Gi1/0/3, vlan 10.([001b.5400.000b/192.0.2.44/001b.5400.000c/192.0.2.1/14:03:09 UTC Thu Jan 15 2026])
Jan 15 14:03:11 wlc-campus-1: *apfMsConnTask_1: Jan 15 14:03:11.123: 00:1b:54:00:00:0d Association received from mobile on BSSID f8:66:f2:00:10:2f AP ap-floor2-3 (fe80::fa66:f2ff:fe00:1020)`;

const SHOW_COMMANDS = `sw-floor2-17#show mac address-table interface Gi1/0/15
Vlan    Mac Address       Type        Ports
----    -----------       --------    -----
 120    001b.5400.0007    DYNAMIC     Gi1/0/15
sw-floor2-17#show authentication sessions interface Gi1/0/16
Interface  MAC Address    Method  Domain  Status Fg Session ID
Gi1/0/16   001b.5400.0008 mab     DATA    Auth      0A0000010000002B3F5C1A40
sw-floor2-17#show ip arp vlan 120
Internet  192.0.2.44             12   001b.5400.0009  ARPA   Vlan120`;

const WINDOWS = `   Physical Address. . . . . . . . . : 00-1B-54-00-00-07
   Link-local IPv6 Address . . . . . : fe80::21b:54ff:fe00:7%12(Preferred)
   IPv4 Address. . . . . . . . . . . : 192.0.2.44(Preferred)
   Lease Obtained. . . . . . . . . . : Thursday, 15 January 2026 14:02:11
   DHCPv6 Client DUID. . . . . . . . : 00-01-00-01-2C-3A-4B-5D-00-1B-54-00-00-08`;

describe('pasted lines', () => {
  it.each([
    [
      'of a syslog',
      SYSLOG,
      ['00:07', '00:08', '00:09', '00:0A', '00:0B', '00:0C', '00:0D', 'F8:66:F2:00:10:2F'],
    ],
    ['of a switch', SHOW_COMMANDS, ['00:07', '00:08', '00:09']],
    ['of a laptop', WINDOWS, ['00:07']],
  ])('%s hold the addresses of the devices, and no others', async (_, text, ends) => {
    const addresses = ends.map((end) => (end.length === 5 ? `00:1B:54:00:${end}` : end));
    expect(await asked(text)).toEqual(addresses);
    expect(await asked(`look up\n${text}`)).toEqual(addresses);
  });
});

describe('a quote', () => {
  it.each(['', 'lookup', 'find', 'who is this?'])(
    'is looked up if the message above it says only "%s"',
    async (text) => {
      expect(await asked(text, { quoted: 'Access point: 001b.5400.0007 is down' })).toEqual([X]);
    },
  );

  it.each([
    ['lookup 00:1B:54:00:00:08', ['00:1B:54:00:00:08']],
    ['help', []],
    ['recent', []],
    ['status', []],
  ])('is not looked up below "%s"', async (text, addresses) => {
    expect(await asked(text, { quoted: X })).toEqual(addresses);
  });
});

describe("a card's button", () => {
  it('looks up its address', async () => {
    const submission = { data: { dialog: 'lookup', text: '001b.5400.0007' }, cardId: 'card-1' };
    expect(await asked('', { submission })).toEqual([X]);
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{}, GREETING],
    [{ dialog: 'nonsense', text: 7 }, GREETING],
    [{ dialog: 'constructor', text: {} }, GREETING],
    [{ dialog: ['lookup'], text: X }, /^I don't know that command/],
    [{ dialog: 'nonsense', text: '[x](https://example.com)' }, /^I don't know that command/],
    [{ dialog: 'lookup', text: 7 }, /^Which device\?/],
    [{ dialog: 'lookup', text: '<script>' }, /^I look up devices by MAC address/],
    [{ dialog: 'help', text: ['x'] }, /^I ask the network access control system/],
    [{ dialog: 'alerts', text: 7 }, /^`alerts here as NAME`/],
  ])('gets a harmless answer if it is forged: %j', async (data, answer) => {
    const { addresses, deeds } = await say('', { submission: { data, cardId: 'card-1' } });
    expect(addresses).toEqual([]);
    expect(deeds).toMatchObject([{ kind: 'said', text: expect.stringMatching(answer) }]);
  });
});

type Changes = Parameters<typeof talk>[2];

/** The addresses that the NAC is asked about, in order. */
async function asked(text: string, changes: Changes = {}): Promise<string[]> {
  return (await say(text, changes)).addresses;
}

async function say(text: string, changes: Changes = {}): Promise<{ addresses: string[]; deeds: Deed[] }> {
  const addresses: string[] = [];
  const { dialog } = stageLookup({
    async lookUp(address) {
      addresses.push(address);
      return { kind: 'no session' };
    },
  });
  const deeds = await talk(allDialogs(dialog), text, { arrivedAt: NOW, ...changes });
  return { addresses, deeds };
}

describe('a mistyped address with a quote', () => {
  it('is suggested; the quoted device is not looked up', async () => {
    const dialogs = allDialogs(stageLookup().dialog);
    expect(await talk(dialogs, 'lookup 00:1B:54:OO:OO:O7', { quoted: '00:1B:54:00:00:99' })).toMatchObject([
      { kind: 'said', text: 'Did you mean `00:1B:54:00:00:07`?' },
    ]);
  });
});
