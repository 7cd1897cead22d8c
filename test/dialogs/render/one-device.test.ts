import { describe, expect, it } from 'vitest';
import { renderAnswer, roomText } from '../../../dialogs/render/answer.ts';
import type { DeviceAnswer } from '../../../dialogs/render/device.ts';
import { createFormatter } from '../../../dialogs/render/words.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { moreOf, wordsOf } from '../cards.ts';
import { answered, found, NONE, NOT_POSTED, NOW, POSTED, READER, STOP } from '../outcomes.ts';

const [ONE, OTHER, IP] = ['00:1B:54:00:00:07', '00:1B:54:00:00:08', '198.51.100.23'] as const;
const ACL = 'cisco-av-pair=ACS:CiscoSecure-Defined-ACL';
const TUNNEL = { 'CVPN3000/ASA/PIX7x-Tunnel-Group-Name': 'Crew' };
const UNLISTED = { network_device_name: 'DefaultNetworkDevice' };
const DIAL = { other: { 'CVPN3000/ASA/PIX7x-Client-Type': '2' } };
const SLOW = { execution_steps: '11001,24430', other: { StepLatency: '1=14031' } };
const LINK = 'https://nac.example.com/admin/a b?mac={mac}#/endpoints/{mac}';
const URL_OF_ONE = `https://nac.example.com/admin/a%20b?mac=${ONE}#/endpoints/${ONE}`;
const OPEN = { type: 'Action.OpenUrl', title: 'Open in the NAC', url: URL_OF_ONE };

function answer(outcome: DeviceAnswer['outcome'], asked: string = ONE, nacLink?: string) {
  const formatter = createFormatter({ now: () => NOW, nacLink });
  return renderAnswer([answered(outcome, asked)], formatter, { delivery: POSTED });
}

const linesOf = (outcome: LookupOutcome, asked?: string) => answer(outcome, asked).text.split(/ *\n/);

describe('the answer for one device', () => {
  it('notifies of the age since authentication, despite later accounting', () => {
    const times = { acct_status_type: 'Interim-Update', acct_acs_timestamp: new Date(NOW).toISOString() };
    expect(answer(found(times)).summary).toContain(', 2 hours ago, ');
  });

  it('has verdict, user and place, reasons, tokens, actions, in this order', () => {
    const air = { called_station_id: 'F8-66-F2-00-10-20:Campus', nas_port_type: 'Wireless - IEEE 802.11' };
    const outcome = found({ passed: 'false', failure_reason: '22040 Wrong password', ...air });
    const why = 'The password is wrong (22040). Rule `Basic_Authenticated_Access`.';
    const facts = `User: \`alex\`
IP address: \`198.51.100.23\`
Wireless controller: \`sw-floor2-17\` (\`192.0.2.17\`)
Interface: \`GigabitEthernet1/0/15\`
Wi-Fi: \`Campus\`
Access point: \`F8-66-F2-00-10-20\`
Since: 15 Jan, 12:05 UTC (2 hours ago)
Maker: \`Cisco Systems, Inc\`
Method: MAB
Policy: \`Default\`, \`Corp_Wired_Access\`
Profile: group \`Workstation\``;
    const tokens = '`Corp_Wired_Access`\n`Basic_Authenticated_Access`';
    const end = 'The tokens were posted to the room.';
    const said = `\`${ONE}\`: rejected. ${why}\n${facts}\nTokens:\n${tokens}`;
    expect(answer(outcome).text).toBe(`${said.replaceAll('\n', '  \n')}\n\n${end}`);
    const [at, detail] = [/^(?:Access|Method|Profile|Maker)/, (line: string) => at.test(line)];
    const bareFacts = facts.replaceAll('`', '').split('\n');
    const { card } = answer(outcome);
    const seen = bareFacts.filter((line) => !detail(line));
    expect(wordsOf(card)).toEqual(['Rejected', ONE, why.replaceAll('`', ''), ...seen, end]);
    const hidden = [...bareFacts.filter(detail), 'Tokens', 'Corp_Wired_Access', 'Basic_Authenticated_Access'];
    expect(wordsOf(moreOf(card))).toEqual(hidden);
  });

  it.each([
    [{ authentication_method: 'MSCHAPV2', authentication_protocol: 'PEAP' }, 'Method: `MSCHAPV2`, `PEAP`'],
    [{ authentication_method: 'webauth', authentication_protocol: 'PAP_ASCII' }, 'Method: web'],
    [{ authentication_method: 'Other' }, 'Method: `Other`'],
    [{ user_name: '00-1b-54-00-00-07' }, 'User: MAB, no user'],
    [{ user_name: '00-1B-54-00-00-08' }, 'User: `00-1B-54-00-00-08`'],
    [{}, 'Policy: `Default`, `Basic_Authenticated_Access`, `Corp_Wired_Access`'],
    [{}, 'Network device: `sw-floor2-17` (`192.0.2.17`)'],
    [{}, 'Port: `GigabitEthernet1/0/15`'],
    [{ cts_security_group: 'Employees' }, 'Security group: `Employees`'],
    [{ endpoint_policy: 'HP-Printer' }, 'Profile: `HP-Printer`, group `Workstation`'],
    [{ response: '{Tunnel-Private-Group-ID=(tag=1) 30; }' }, 'VLAN: `30`'],
    [{ response: `{${ACL}=#ACSACL#-IP-Only_Web-0a1b2c3d; }` }, 'Access list: `Only_Web`'],
    [{ execution_steps: '11001,22056' }, `\`${ONE}\`: connected.`],
    [UNLISTED, 'Network device: `192.0.2.17` (not defined in the NAC)'],
    [DIAL, 'VPN: yes'],
    [{ framed_ip_address: '169.254.7.9' }, 'IP address: `169.254.7.9` (no DHCP address)'],
    [{ response: '{cisco-av-pair=cts:security-group-tag=0010-0; }' }, 'Security group: 16'],
    [{ response: '{cisco-av-pair=device-traffic-class=voice; }' }, 'Voice domain: yes'],
    [{ other: { 'Days to Expiry': '12' } }, "The device's certificate ends in 12 days."],
    [{ calling_station_id: '203.0.113.80', other: TUNNEL }, 'VPN: `Crew`, client `203.0.113.80`'],
    [{ other: { PostureReport: 'Antivirus\\;Failed\\;(x)' } }, 'Failed policies: `Antivirus`'],
    [SLOW, 'The authentication took 14 s, most of it in step `24430` (Active Directory).'],
    [{ response_time: '3210' }, 'The authentication took 3.2 s.'],
  ])('shows what an engineer looks for: %j', (fields, fact) => {
    const lines = linesOf(found(fields));
    expect(lines).toContain(fact);
    expect(lines.join()).not.toMatch(/Unknown|nac-1/);
  });

  const NINE_DAYS = 'Since: 6 Jan, 14:05 UTC (9 days ago)';
  const accounting = (day: number, acct_status_type: string) => {
    return { acct_status_type, acct_acs_timestamp: `2026-01-${day}T13:00:00.000Z` };
  };

  it.each<[string, string, boolean, Record<string, string>?]>([
    ['2026-01-14T14:05:00.000Z', 'Since: 14 Jan, 14:05 UTC (1 day ago)', false],
    ['2026-01-14T14:04:59.999Z', 'Since: 14 Jan, 14:04 UTC (1 day ago)', true],
    ['2026-01-06T14:05:00.000Z', NINE_DAYS, true],
    ['2026-01-06T14:05:00.000Z', NINE_DAYS, false, accounting(15, 'Interim-Update')],
    ['2026-01-06T14:05:00.000Z', NINE_DAYS, true, accounting(10, 'Interim-Update')],
    ['2026-01-06T14:05:00.000Z', NINE_DAYS, false, accounting(10, 'Stop')],
    ['2026-01-15T14:04:30.000Z', 'Since: 15 Jan, 14:04 UTC (30 seconds ago)', false],
    ['yesterday, or so', 'Since: `yesterday, or so` (as the NAC wrote it, without a time zone)', false],
  ])('shows since when, and a day after the last sign a hint: %s, %s', (since, fact, isOld, more = {}) => {
    const lines = linesOf(found({ auth_acs_timestamp: since, ...more }));
    expect(lines).toContain(fact);
    expect(lines.includes('The session is older than a day; the device may be gone by now.')).toBe(isOld);
  });

  it.each([
    [{ selected_azn_profiles: 'Guest_WebAuth,Base' }, true],
    [{ selected_azn_profiles: 'Corp_Redirect', passed: 'false' as const }, false],
    [{}, false],
  ])('warns of a profile that sounds like a portal: %j, %s', (fields, isWarned) =>
    expect(linesOf(found(fields)).join().includes('By the name of its profile, ')).toBe(isWarned),
  );

  it.each<[string, LookupOutcome, string[]]>([
    ['a wired session', found(), ['show authentication sessions mac 001b.5400.0007 details']],
    ['no session', NONE, ['show mac address-table address 001b.5400.0007']],
    ['a session on Wi-Fi', found({ other: { 'cisco-wlan-ssid': 'Campus' } }), []],
    ['a VPN', found(DIAL), []],
  ])('has the next command to copy: %s', (_, outcome, commands) => {
    const words = wordsOf(moreOf(answer(outcome).card));
    const at = words.indexOf('On a switch');
    expect(at === -1 ? [] : words.slice(at + 1, at + 2)).toEqual(commands);
  });

  it('ends a sentence once, even behind words of the NAC that end one', () => {
    const [first] = linesOf(found({ ...STOP, acct_terminate_cause: 'Lost Carrier.' }));
    expect(first).toMatch(/: `Lost Carrier\.`$/);
  });

  it('without tokens says so', () => {
    const outcome: LookupOutcome = { kind: 'found', tokens: [], record: { passed: true }, text: '' };
    expect(linesOf(outcome)).toContain('The session holds no tokens to post.');
  });

  it.each([found({ nas_port_id: '' }), NONE])('says what to do about a private address', (outcome) => {
    const [address, lines] = ['02:00:5E:00:00:99', linesOf(outcome, '02:00:5E:00:00:99')];
    expect(linesOf(found(), address).join()).not.toContain('private'); // By wire.
    expect(lines).toContain(
      "This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.",
    );
    expect(lines.join()).not.toContain('Maker');
  });
});

it('buttons ask again, open the page in the NAC, and show more', () => {
  const { card } = answer(found(), ONE, LINK);
  const again = { title: 'Look up again', data: { dialog: 'lookup', text: ONE } };
  expect(card?.actions).toMatchObject([again, OPEN, { type: 'Action.ShowCard', title: 'More' }]);
  const more = moreOf(card);
  expect(more?.actions).toMatchObject([{ title: 'All fields', data: { dialog: 'fields', text: ONE } }]);
  expect(wordsOf(more)).toContain('Corp_Wired_Access');
  expect(wordsOf(card)).not.toContain('Corp_Wired_Access');
});

it('tokens are shown at once if the room has not got them', () => {
  const { card } = renderAnswer([answered(found(), ONE)], READER, { delivery: NOT_POSTED });
  expect(wordsOf(card)).toContain('Corp_Wired_Access');
  expect(wordsOf(moreOf(card))).toContain('User: alex');
});

it('there are no buttons for an address that stands for no device', () => {
  const { card } = answer({ kind: 'no device' }, 'FF:FF:FF:FF:FF:FF', LINK);
  expect(wordsOf(card)[0]).toBe('Not one device');
  expect(card).not.toHaveProperty('actions');
});

it.each<[string, DeviceAnswer[], boolean]>([
  ['that was asked for by its IP address', [answered(found(), IP, ONE)], true],
  ['whose MAC address is not known', [answered(NONE, IP)], false],
  ['of several: a press shows the card', [answered(found(), ONE), answered(found(), OTHER)], false],
])('a button opens the page of a device %s, if there is one', (_, answers, isThere) => {
  const { card } = renderAnswer(answers, createFormatter({ now: () => NOW, nacLink: LINK }));
  expect(JSON.stringify(card).includes('https://nac.example.com')).toBe(isThere);
});

const OWN = 'Asked under your own account.';

it.each<[string, 'person' | 'stand-in', string[]]>([
  [OWN, 'person', [ONE]],
  [OWN, 'person', [ONE, OTHER]],
  ["Asked under the bot's account, because own ones cannot be read now.", 'stand-in', [ONE, OTHER]],
])('the account is named once, and not in the post: %s', (words, whose, devices) => {
  const answers = devices.map((device) => answered({ ...found(), whose } as LookupOutcome, device));
  const { text, summary = '', card } = renderAnswer(answers, READER);
  for (const said of [text, summary, wordsOf(card).join('\n')]) expect(said.split(words)).toHaveLength(2);
  expect(roomText(answers)).not.toContain('account');
});
