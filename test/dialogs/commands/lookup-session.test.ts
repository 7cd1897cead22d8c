import { describe, expect, it } from 'vitest';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { WITH_SESSION } from '../outcomes.ts';
import { found, stageLookup } from './lookup-stage.ts';

const DEVICE = '00:1B:54:00:00:07';
const BUTTONS = ['Look up again', 'Show all fields', 'Show the tokens'];

describe('a session', () => {
  it('is shown with the verdict first, then user and place, reasons, tokens, and what the bot did', async () => {
    expect(await stageLookup({ outcomes: found() }).ask(`lookup ${DEVICE}`)).toEqual([
      {
        kind: 'said',
        text: `\`${DEVICE}\`: connected.  
User: \`alex\`  
IP address: \`198.51.100.23\`  
Network device: \`sw-floor2-17\`  
Port: \`GigabitEthernet1/0/15\`  
Since: 15 Jan 2026, 12:05 UTC (2 hours ago)  
Maker: \`Cisco Systems, Inc\`  
Method: MAB  
Policy set: \`Default\`  
Rule: \`Basic_Authenticated_Access\`  
Authorization: \`Corp_Wired_Access\`  
Identity group: \`Workstation\`  
Tokens:  
\`Corp_Wired_Access\`  
\`Basic_Authenticated_Access\`

The tokens were posted to the room.`,
        buttons: BUTTONS,
      },
    ]);
  });

  it('names the wireless network', async () => {
    const outcomes = found({
      called_station_id: 'F8-66-F2-00-10-20:Campus',
      nas_port_id: 'Capwap1',
      more: { nas_port_type: 'Wireless - IEEE 802.11' },
    });
    expect(await linesOf(outcomes)).toEqual(
      expect.arrayContaining([
        'Port: `Capwap1`',
        'Wi-Fi: `Campus`',
        'Since: 15 Jan 2026, 12:05 UTC (2 hours ago)',
      ]),
    );
  });

  it.each([
    [{ authentication_method: 'dot1x', authentication_protocol: 'EAP-TLS' }, 'Method: 802.1X, `EAP-TLS`'],
    [{ authentication_method: 'webauth', authentication_protocol: 'PAP_ASCII' }, 'Method: web'],
    [{ authentication_method: 'Other' }, 'Method: `Other`'],
    [{ user_name: '00-1b-54-00-00-07' }, 'User: MAB, no user'],
    [{ user_name: '001b.5400.0007' }, 'User: MAB, no user'],
    [{ user_name: '00-1B-54-00-00-08' }, 'User: `00-1B-54-00-00-08`'],
    [{ more: { cts_security_group: 'Employees' } }, 'Security group: `Employees`'],
    [{ more: { endpoint_policy: 'HP-Printer' } }, 'Endpoint profile: `HP-Printer`'],
    [{ more: { response: '{Tunnel-Private-Group-ID=(tag=1) 30; }' } }, 'VLAN: `30`'],
    [
      { more: { response: '{cisco-av-pair=ACS:CiscoSecure-Defined-ACL=#ACSACL#-IP-Only_Web-0a1b2c3d; }' } },
      'Downloadable ACL: `Only_Web`',
    ],
  ])('shows what an engineer looks for: %j', async (fields, fact) => {
    const lines = await linesOf(found(fields));
    expect(lines).toContain(fact);
    expect(lines.join()).not.toMatch(/Unknown|nac-1/);
  });

  it.each([
    ['22040 Wrong password or invalid shared secret', 'The password is wrong.'],
    [
      '22056 Subject not found in the applicable identity store(s)',
      'The NAC finds no such user or device in its identity stores.',
    ],
    [
      '5411 Supplicant stopped responding to ISE',
      'The device stopped answering. Is it asleep, or is its 802.1X service hung?',
    ],
    ['15039 Rejected per authorization profile', 'The authorization policy rejects the device.'],
  ])('that was rejected says why beside the verdict, in words: %s', async (failure_reason, meaning) => {
    const lines = await linesOf(found({ passed: 'false', failure_reason, other: RULE }));
    expect(lines[0]).toBe(`\`${DEVICE}\`: rejected. ${meaning}`);
    expect(lines).not.toContain(meaning);
    expect(lines).toEqual(
      expect.arrayContaining([`Why: \`${failure_reason}\``, 'The rule `Deny_All` rejected the device.']),
    );
  });

  it('that was rejected for an unknown reason shows the reason without an explanation', async () => {
    const lines = await linesOf(found({ passed: 'false', failure_reason: '99999 Gremlins', other: {} }));
    expect(lines[0]).toBe(`\`${DEVICE}\`: rejected. \`99999 Gremlins\`.`);
    expect(lines.filter((each) => each.includes('Gremlins'))).toHaveLength(1);
  });

  it.each([
    ['11001,24408,22057,11003', 'Possible cause: the password is wrong in Active Directory.'],
    ['11001, 22057, 22056', 'Possible cause: the NAC finds no such user or device in its identity stores.'],
    ['22057', 'Possible cause: an identity store did not accept the user or device.'],
  ])('that was rejected without a reason names a possible cause: step %s', async (execution_steps, cause) => {
    const [first] = await linesOf(found({ passed: 'false', more: { execution_steps }, other: {} }));
    expect(first).toBe(`\`${DEVICE}\`: rejected. ${cause}`);
  });

  it('that was let in names no possible cause, though its steps hold one', async () => {
    expect((await linesOf(found({ more: { execution_steps: '11001,22056' } })))[0]).toBe(
      `\`${DEVICE}\`: connected.`,
    );
  });

  it.each(WITH_SESSION)('has the verdict "%s"', async (verdict, outcomes, meaning) => {
    const [first = ''] = await linesOf(outcomes);
    const why = meaning === undefined ? '' : ` ${meaning}`;
    expect(first.replaceAll('`', '')).toBe(`${DEVICE}: ${verdict}.${why}`);
  });

  it.each([
    ['cwa', 'The device reaches only a login page until somebody signs in there.'],
    ['mdm', 'The device reaches only a portal until the device management has enrolled it.'],
  ])('that waits says what for: %s', async (action, hint) => {
    const response = `{cisco-av-pair=url-redirect=https://nac.example.com/?action=${action}; }`;
    expect(await linesOf(found({ more: { response } }))).toContain(hint);
  });

  it('that began long ago is not old while accounting goes on, or when it has ended', async () => {
    const old = 'The session is older than a day; the device may be gone by now.';
    const begun = { auth_acs_timestamp: '2026-01-06T14:05:00.000Z' };
    const at = (acct_acs_timestamp: string, acct_status_type = 'Interim-Update') =>
      linesOf(found({ ...begun, more: { acct_status_type, acct_acs_timestamp } }));
    expect(await at('2026-01-15T13:00:00.000Z')).not.toContain(old);
    expect(await at('2026-01-10T13:00:00.000Z')).toContain(old);
    expect(await at('2026-01-10T13:00:00.000Z', 'Stop')).not.toContain(old);
  });

  it('without tokens says so, and does not mention the room', async () => {
    const outcome: LookupOutcome = { kind: 'found', tokens: [], record: { passed: true }, text: '' };
    const stage = stageLookup({ outcomes: outcome });
    expect(await stage.ask(`lookup ${DEVICE}`)).toEqual([
      {
        kind: 'said',
        text: `\`${DEVICE}\`: connected.  \nMaker: \`Cisco Systems, Inc\`  \nThe session holds no tokens to post.`,
        buttons: BUTTONS.slice(0, 2),
      },
    ]);
    expect(stage.posts).toEqual([]);
  });

  it.each([
    ['2026-01-14T14:05:00.000Z', 'Since: 14 Jan 2026, 14:05 UTC (1 day ago)', false],
    ['2026-01-14T14:04:59.999Z', 'Since: 14 Jan 2026, 14:04 UTC (1 day ago)', true],
    ['2026-01-06T14:05:00.000Z', 'Since: 6 Jan 2026, 14:05 UTC (9 days ago)', true],
    ['2026-01-15T14:04:30.000Z', 'Since: 15 Jan 2026, 14:04 UTC (30 seconds ago)', false],
    ['yesterday, or so', 'Since: `yesterday, or so`', false],
  ])(
    'since %s is shown with its age, and with a hint if it is older than a day',
    async (since, fact, isOld) => {
      const lines = await linesOf(found({ auth_acs_timestamp: since }));
      expect(lines).toContain(fact);
      expect(lines.includes('The session is older than a day; the device may be gone by now.')).toBe(isOld);
    },
  );

  it('with a private address says what to do about it', async () => {
    const { text } = await stageLookup({ outcomes: found() }).answer('lookup 02:00:5E:00:00:99');
    expect(text).toContain(
      '\nThis is a private, randomised address. The device made it up and may change it.',
    );
    expect(text).not.toContain('Maker');
  });

  it("shows times in the asker's time zone", async () => {
    const stage = stageLookup({ outcomes: found() });
    const place = {
      reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } },
      locale: 'de-DE',
      timeZone: 'Europe/Berlin',
    };
    const { deeds, ended } = stage.begin(DEVICE, { place });
    await ended;
    expect(deeds).toMatchObject([
      { text: expect.stringContaining('Since: 15 Jan 2026, 13:05 CET (2 hours ago)') },
    ]);
  });

  it('is remembered for "recent"', async () => {
    const stage = stageLookup({ outcomes: found() });
    await stage.ask(DEVICE);
    expect(stage.recent.of('chat')).toEqual([
      { asked: DEVICE, address: DEVICE, verdict: 'connected', at: Date.UTC(2026, 0, 15, 14, 5) },
    ]);
  });
});

const RULE = { AuthorizationPolicyMatchedRule: 'Deny_All' };

/** The lines of the answer, without line ends. */
async function linesOf(outcomes: LookupOutcome): Promise<string[]> {
  const { text } = await stageLookup({ outcomes }).answer(`lookup ${DEVICE}`);
  return text.split('\n').map((each) => each.trimEnd());
}
