import { describe, expect, it } from 'vitest';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { buttonsOf, wordsOf } from '../cards.ts';
import { WITH_SESSION } from '../outcomes.ts';
import { found, REPORT, stageLookup } from './lookup-stage.ts';

/** One device for each kind of answer. */
const OUTCOMES = {
  '00:1B:54:00:00:01': found({
    user_name: 'megan',
    called_station_id: 'F8-66-F2-00-10-20:Campus',
    more: { nas_port_type: 'Wireless - IEEE 802.11' },
  }),
  '00:1B:54:00:00:02': found({ passed: 'false', selected_azn_profiles: 'DenyAccess', other: {} }),
  '00:1B:54:00:00:03': found({ selected_azn_profiles: 'Quarantine_VLAN', other: {} }),
  '00:1B:54:00:00:04': { kind: 'found', tokens: [], record: {}, text: '' },
  '00:1B:54:00:00:05': { kind: 'no answer', fault: { kind: 'timed out', timeoutMs: 6000, begun: false } },
  '00:1B:54:00:00:06': { kind: 'forbidden', whose: 'person' },
} as const;

describe('several devices', () => {
  it('are counted first, then shown one a line, the worst first, each with its tokens under it', async () => {
    const addresses = [...Object.keys(OUTCOMES), '00:1B:54:00:00:99', 'FF:FF:FF:FF:FF:FF'].join(' ');
    expect(await stageLookup({ outcomes: OUTCOMES }).ask(addresses)).toEqual([
      {
        kind: 'said',
        text: `8 devices: 1 connected, 1 session found, 1 quarantined, 1 rejected, 1 no session, 1 no device, 2 failed.

\`00:1B:54:00:00:02\`: rejected. \`alex\`, \`sw-floor2-17\`, \`GigabitEthernet1/0/15\`, 2 hours ago

\`00:1B:54:00:00:03\`: quarantined. By \`Quarantine_VLAN\`. \`alex\`, \`sw-floor2-17\`, \`GigabitEthernet1/0/15\`, 2 hours ago  
\`Quarantine_VLAN\`

\`00:1B:54:00:00:05\`: time-out. The NAC did not answer within 6 s.

\`00:1B:54:00:00:06\`: not allowed. The NAC knows your account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.

\`00:1B:54:00:00:99\`: no session. The NAC knows of no current session. Is the device plugged in and awake?

\`00:1B:54:00:00:04\`: session found

\`FF:FF:FF:FF:FF:FF\`: the broadcast address. This address stands for all devices, so there is nothing to look up.

The other device is well.

\`00:1B:54:00:00:01\`: connected. \`megan\`, \`sw-floor2-17\`, \`GigabitEthernet1/0/15\`, \`Campus\`, 2 hours ago  
\`Corp_Wired_Access\`  
\`Basic_Authenticated_Access\`

The tokens were posted to the room.

I keep trying for 10 minutes; the answer will come here.

${REPORT}`,
        buttons: ['Look up all again'],
      },
    ]);
  });

  it('are counted by every verdict on a session', async () => {
    const outcomes = Object.fromEntries(
      WITH_SESSION.map(([, outcome], index) => [`00:1B:54:00:02:${10 + index}`, outcome] as const),
    );
    const { text } = await stageLookup({ outcomes }).answer(Object.keys(outcomes).join(' '));
    expect(text.split('\n')[0]).toBe(
      `${WITH_SESSION.length} devices: 1 connected, 1 connected, posture pending, 1 connected, not compliant, 1 session found, 1 web login: waiting, 1 posture: waiting, 1 onboarding: waiting, 1 device management: waiting, 1 portal: waiting, 2 quarantined, 1 rejected, 1 ended.`,
    );
  });

  it.each([
    [0, ''],
    [22_100, " A minute's limit allows more in 23 s."],
  ])('are the first 20 if there are more; a button asks for the next, in %i ms', async (nextMs, when) => {
    const stage = stageLookup({ nextMs });
    const { deeds, messages, ended } = stage.begin(addresses(43));
    await ended;
    const [offer, answer] = deeds;
    const text = `That message holds 43 addresses. I look up the first 20.${when}`;
    expect(offer).toEqual({ kind: 'said', text, buttons: ['Look up the next 20'] });
    expect(answer).toMatchObject({ text: expect.stringMatching(/^20 devices: 20 no session\.\n/) });
    const [pressed] = messages.slice(0, 1).flatMap(buttonsOf);
    const rest = addresses(43).split('\n').slice(20).join(' ');
    expect(pressed?.data).toEqual({ dialog: 'lookup', text: rest });
  });

  it('are looked up one by one, or all again, by a tap', async () => {
    const { card } = await stageLookup().answer('00:1B:54:00:00:01 00:1B:54:00:00:02');
    const lookUp = (text: string) => ({ data: { dialog: 'lookup', text } });
    const rows = ['1', '2'].map((last) => ({ selectAction: lookUp(`00:1B:54:00:00:0${last}`) }));
    const actions = [lookUp('00:1B:54:00:00:01 00:1B:54:00:00:02')];
    expect(card).toMatchObject({ body: [{}, {}, ...rows], actions });
  });
});

describe('what several devices share that are not well', () => {
  const response = '{cisco-av-pair=url-redirect=https://nac.example.com/?action=cwa; }';
  const WAITING = found({ more: { response } });
  const rejected = (network_device_name: string, fields = {}) =>
    found({ passed: 'false', network_device_name, ...fields });

  it.each<[string, LookupOutcome[], string | undefined]>([
    [
      'the network device of most',
      [...'1234'].map(() => rejected('sw-floor2-17')).concat(rejected('sw-1'), found()),
      '4 of 5 rejected hang on `sw-floor2-17`.',
    ],
    [
      'what they wait for',
      [WAITING, WAITING, WAITING, rejected('sw-floor2-17')],
      '3 of 3 waiting for web login hang on `sw-floor2-17`.',
    ],
    [
      'the reason, if not the network device',
      ['a', 'b', 'c'].map((name) => rejected(name, { failure_reason: '22040 Wrong password' })),
      '3 of 3 rejected for one reason: The password is wrong.',
    ],
    ['nothing, if they are two', [rejected('a'), rejected('a'), rejected('b')], undefined],
    ['nothing, if their verdicts differ', [rejected('a'), rejected('a'), WAITING], undefined],
    ['nothing, if they are well', [found(), found(), found()], undefined],
  ])('is said once: %s', async (_, all, sentence) => {
    const outcomes = Object.fromEntries(all.map((each, index) => [`00:1B:54:00:00:${10 + index}`, each]));
    const { text, summary, card } = await stageLookup({ outcomes }).answer(Object.keys(outcomes).join(' '));
    const [, second] = text.split('\n\n');
    if (sentence === undefined) return expect(text).not.toMatch(/ of \d/);
    expect(second).toBe(sentence);
    expect(summary?.split('\n')[1]).toBe(sentence.replaceAll('`', ''));
    expect(wordsOf(card)[1]).toBe(sentence.replaceAll('`', ''));
  });
});

describe('a lookup over the limit of a minute', () => {
  it('says how long to wait, and does not ask the NAC', async () => {
    const lookUp = () => Promise.reject(new Error('not asked here'));
    expect((await stageLookup({ lookUp, waitMs: 22_100 }).answer('AA:BB:CC:DD:EE:FF')).text).toBe(
      'That is more than I answer in a minute (30 addresses or 120 messages). Please try again in 23 s.',
    );
  });
});

function addresses(count: number): string {
  return Array.from({ length: count }, (_, index) => `00:1B:54:00:01:${10 + index}`).join('\n');
}
