import { describe, expect, it } from 'vitest';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { buttonsOf, wordsOf } from '../cards.ts';
import { redirected, STOP, WITH_SESSION } from '../outcomes.ts';
import { PLACE } from '../talk.ts';
import { DOWN, found, NONE, NOW, REPORT, stageLookup } from './lookup-stage.ts';

/** One device for each kind of answer. */
const OUTCOMES = {
  '00:1B:54:00:00:01': found({
    user_name: 'megan',
    called_station_id: 'F8-66-F2-00-10-20:Campus',
    nas_port_type: 'Wireless - IEEE 802.11',
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
    const text = `7 devices: 1 connected, 1 session found, 1 quarantined, 1 rejected, 1 no session, 2 not known.

\`00:1B:54:00:00:02\`: rejected. \`alex\`, \`sw-floor2-17 Gi1/0/15\`, 2 hours ago

\`00:1B:54:00:00:03\`: quarantined. Profile \`Quarantine_VLAN\`. \`alex\`, \`sw-floor2-17 Gi1/0/15\`, 2 hours ago  
\`Quarantine_VLAN\`

\`00:1B:54:00:00:05\`: time-out. The NAC did not answer within 6 s.

\`00:1B:54:00:00:06\`: not allowed. The NAC knows your account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.

\`00:1B:54:00:00:99\`: no session. The NAC knows of no current session. Is the device plugged in and awake?

\`00:1B:54:00:00:04\`: session found

The other device is well.

\`00:1B:54:00:00:01\`: connected. \`megan\`, \`sw-floor2-17 Gi1/0/15\`, \`Campus\`, 2 hours ago  
\`Corp_Wired_Access\`  
\`Basic_Authenticated_Access\`

The tokens were posted to the room.

I keep trying for 10 minutes; the answer will come here.

${REPORT}`;
    const said = { kind: 'said', text, buttons: ['Look up all again'] };
    expect(await stageLookup({ outcomes: OUTCOMES }).ask(addresses)).toEqual([said]);
  });

  it('are counted by every verdict on a session', async () => {
    const outcomes = Object.fromEntries(
      WITH_SESSION.map(([, outcome], index) => [`00:1B:54:00:02:${10 + index}`, outcome] as const),
    );
    const { text } = await stageLookup({ outcomes }).answer(Object.keys(outcomes).join(' '));
    expect(text.split('\n')[0]).toBe(
      `${WITH_SESSION.length} devices: 1 connected, 1 user failed, 1 posture pending, 2 not compliant, 1 session found, 1 web login: waiting, 1 posture: waiting, 1 onboarding: waiting, 1 device management: waiting, 1 portal: waiting, 2 quarantined, 1 blocked, 2 rejected, 1 ended.`,
    );
  });

  it('are not called well if something speaks against them, but for an old session', async () => {
    const failed = found({ failure_reason: '5417 Dynamic Authorization failed' });
    const held = found({ selected_azn_profiles: 'Cisco_WebAuth' });
    const old = found({ auth_acs_timestamp: '2026-01-06T14:05:00.000Z' });
    const outcomes = { '00:1B:54:00:00:01': failed, '00:1B:54:00:00:02': held, '00:1B:54:00:00:03': old };
    const { text } = await stageLookup({ outcomes }).answer(Object.keys(outcomes).join(' '));
    expect(text).toMatch(
      /:01`: connected\. The switch or controller did not carry out a change\. Check its settings/,
    );
    expect(text).toMatch(
      /:02`: connected\. By the name of its profile, the device may be held at a portal\./,
    );
    expect(text).toMatch(/The other device is well\.\n\n`00:1B:54:00:00:03`: connected\. `alex`/);
  });

  it.each([
    [0, ''],
    [22_100, " A minute's limit allows more in 23 s."],
  ])('are the first 20 if there are more; a button asks for the next, in %i ms', async (nextMs, when) => {
    const all = Array.from({ length: 43 }, (_, index) => `00:1B:54:00:01:${10 + index}`);
    const { messages, ended } = stageLookup({ nextMs }).begin(all.join('\n'));
    await ended;
    const [offer, answer] = messages;
    expect(offer?.text).toBe(`That message holds 43 addresses. I look up the first 20.${when}`);
    const data = { dialog: 'lookup', text: all.slice(20).join(' ') };
    expect(offer && buttonsOf(offer)).toEqual([{ title: 'Look up the next 20', data }]);
    expect(answer?.text).toMatch(/^20 devices: 20 no session\.\n/);
  });

  it('says how many addresses the button cannot hold', async () => {
    const hex = (index: number) => index.toString(16).padStart(2, '0');
    const all = Array.from({ length: 225 }, (_, index) => `00:1B:54:00:01:${hex(index)}`);
    const { messages, ended } = stageLookup().begin(all.join('\n'));
    await ended;
    expect(messages[0]?.text).toMatch(/ Please send the last 5 again: the button has no room for them\.$/);
  });
});

const WAITING = redirected('cwa');
const rejected = (network_device_name: string, fields = {}) =>
  found({ passed: 'false', network_device_name, ...fields });
const at = (name: string, count: number) => Array(count).fill(rejected(name));
const forReason = ['a', 'b', 'c'].map((name) => rejected(name, { failure_reason: '22040 Wrong password' }));
const REASON = 'for one reason: The password is wrong (22040). Rule `Basic_Authenticated_Access`.';
const HANG = 'are on `sw-floor2-17`.';

it.each<[string, LookupOutcome[], string | undefined]>([
  ['the switch of most', [...at('sw-floor2-17', 4), ...at('b', 1), found()], `4 of 5 rejected ${HANG}`],
  ['the wait', [WAITING, WAITING, WAITING, ...at('sw-floor2-17', 1)], `3 of 3 waiting for web login ${HANG}`],
  ['the reason, if not the network device', forReason, `3 of 3 rejected ${REASON}`],
  ['nothing, if they are two', [...at('a', 2), rejected('b', { other: {} })], undefined],
  ['nothing, if their verdicts differ', [...at('a', 2), WAITING], undefined],
  ['nothing, if they are well', [found(), found(), found()], undefined],
])('what devices share that are not well is said once: %s', async (_, all, sentence) => {
  const outcomes = Object.fromEntries(all.map((each, index) => [`00:1B:54:00:00:${10 + index}`, each]));
  const { text, summary, card } = await stageLookup({ outcomes }).answer(Object.keys(outcomes).join(' '));
  if (sentence === undefined) return expect(text).not.toMatch(/ of \d/);
  expect(text.split('\n\n')[1]).toBe(sentence);
  expect([summary?.split('\n')[1], wordsOf(card)[1]]).toEqual(Array(2).fill(sentence.replaceAll('`', '')));
});

it('a lookup over the limit of a minute says how long to wait, and does not ask the NAC', async () => {
  const lookUp = () => Promise.reject(new Error('not asked here'));
  const { text } = await stageLookup({ lookUp, waitMs: 22_100 }).answer('AA:BB:CC:DD:EE:FF');
  expect(text).toMatch(/^That is more than I answer in a minute .* try again in 23 s\.$/);
});

const IP = '198.51.100.23';
const IPV6 = '2001:db8::23';
const DEVICE = '00:1B:54:00:00:07';
const OTHER = '00:1B:54:00:00:08';
const ELSEWHERE = 'AA:BB:CC:DD:EE:FF';
const SESSION = found({ calling_station_id: '00-1b-54-00-00-07' });
const ALONE = ' with this IP address. It may know the device by its MAC address alone, so try that.';
const ENDED = found({ calling_station_id: DEVICE, ...STOP });

describe('a lookup by IP address', () => {
  it("names the device's own address beside the IP address, and posts the own address alone", async () => {
    const stage = stageLookup({ outcomes: { [IPV6]: SESSION } });
    const message = await stage.answer(`lookup [${IPV6}]:443`);
    expect(message.text).toMatch(/^`00:1B:54:00:00:07` at `2001:db8::23`: connected\. {2}\n/);
    expect(message.text).toContain('Maker: `Cisco Systems, Inc`');
    expect(message.summary).toMatch(/^connected\. alex, .*, 00:1B:54:00:00:07 at 2001:db8::23$/m);
    expect(stage.posts).toMatchObject([{ text: expect.stringMatching(`^${DEVICE} connected, `) }]);
    expect(buttonsOf(message).map(({ data }) => data)).toMatchObject([
      { dialog: 'lookup', text: IPV6 },
      { dialog: 'fields', text: DEVICE },
    ]);
  });

  it.each([...['203.0.113.7', '', 'AA:BB:CC:DD:EE:FF 00:1B:54:00:00:07', 'FF:FF:FF:FF:FF:FF']])(
    'stands for itself if the record names no MAC address, but "%s"',
    async (calling_station_id) => {
      const message = await stageLookup({ outcomes: found({ calling_station_id }) }).answer(`lookup ${IP}`);
      expect(message.text).toMatch(/^`198\.51\.100\.23`: connected\./);
      expect(message.text).not.toContain('Maker');
      expect(buttonsOf(message).map(({ data }) => data.text)).toEqual([IP, IP]);
    },
  );

  it.each<[string, LookupOutcome, string]>([
    ['no session', NONE, ALONE],
    ['an end', ENDED, 'The session has ended, so another device may have this IP address by now.'],
  ])('says what %s means of an IP address alone', async (_, outcomes, hint) => {
    const { answer } = stageLookup({ outcomes });
    expect((await answer(`lookup ${IP}`)).text).toContain(hint);
    expect((await answer(`lookup ${DEVICE}`)).text).not.toContain(hint);
  });

  it('is remembered for "recent" with both addresses', async () => {
    const stage = stageLookup({ outcomes: { [IP]: SESSION } });
    for (const asked of [DEVICE, IP]) await stage.ask(`lookup ${asked}`);
    const detail = [{ foreign: 'alex' }, ', ', { foreign: 'sw-floor2-17 Gi1/0/15' }];
    const lookup = { asked: IP, address: DEVICE, verdict: 'connected', detail, at: NOW };
    expect(stage.recent.of('chat')).toEqual([lookup]);
  });
});

describe('several addresses of both kinds', () => {
  it('can be of both kinds in a list, each asked for again as it was by a tap, and all', async () => {
    const stage = stageLookup({ outcomes: { [IP]: SESSION, [OTHER]: SESSION } });
    const message = await stage.answer(`lookup ${OTHER}, ${IP} and ${IPV6}`);
    expect(message.summary).toMatch(/^3 devices: 2 connected, 1 no session\./);
    expect(message.text).toContain('`00:1B:54:00:00:07` at `198.51.100.23`: connected. ');
    const texts = buttonsOf(message).map(({ data }) => data.text);
    expect(texts).toEqual([IPV6, OTHER, IP, `${OTHER} ${IP} ${IPV6}`]);
  });

  it('of one device are answered and posted once', async () => {
    const stage = stageLookup({ outcomes: { [IP]: SESSION, [DEVICE]: SESSION } });
    const { text } = await stage.answer(`lookup ${DEVICE} ${IP}`);
    expect(text).toMatch(/^`00:1B:54:00:00:07` at `198\.51\.100\.23`: connected\./);
    expect(stage.posts[0]?.text.match(/00:1B/g)).toHaveLength(1);
  });
});

it('a kept lookup by IP address is stored as it was asked, and asked so again', async () => {
  const stage = stageLookup({ outcomes: { [IP]: DOWN, [DEVICE]: DOWN } });
  await stage.ask(`lookup ${IP}, ${DEVICE}`);
  expect(stage.jobs).toMatchObject([{ job: { addresses: [IP, DEVICE] } }]);
  const later = stageLookup({ outcomes: { [IP]: SESSION, [DEVICE]: NONE } });
  for (const { job, key } of stage.jobs) expect(await later.resume(job, key)).toEqual({ kind: 'done' });
  expect(later.later).toMatchObject([{ text: expect.stringContaining(`\`${DEVICE}\` at \`${IP}\``) }]);
});

it.each([
  ['again', [DEVICE, OTHER]],
  ['try again', [DEVICE, OTHER]],
  ['And again, please?', [DEVICE, OTHER]],
  ['and :09?', ['00:1B:54:00:00:09']],
  ['what about :0A:0B', ['00:1B:54:00:0A:0B']],
])('"%s" means the last answer, if there is one', async (text, asked) => {
  const clock = { now: NOW };
  const stage = stageLookup({ now: () => clock.now++ });
  expect((await stage.answer(text)).text).toMatch(/^I remember no lookup here\./);
  for (const typed of ['00:1B:54:00:00:01', `${DEVICE} ${OTHER}`, text]) await stage.ask(typed);
  expect(stage.audited.slice(3).map((each) => each.asked)).toEqual(asked);
});

it.each([
  [`lookup ${ELSEWHERE} ${DEVICE}`, 'AA:BB:CC:DD:EE:08'],
  [`lookup ${IP}`, undefined],
])('"and :08?" after "%s" means the first device\'s address with other pairs: %s', async (typed, asked) => {
  const stage = stageLookup({ outcomes: { [IP]: NONE } });
  await stage.ask(typed);
  const { text } = await stage.answer('and :08?');
  if (asked === undefined) expect(text).toMatch(/^The first device of the last answer has no MAC address\./);
  else expect(stage.audited.at(-1)?.asked).toBe(asked);
});

it('"again" means the last answer in its thread, and "recent" those of the whole channel', async () => {
  const clock = { now: NOW };
  const stage = stageLookup({ now: () => clock.now++ });
  const inThread = (root: number, text: string) => {
    const reference = { ...PLACE.reference, conversation: { id: `channel;messageid=${root}` } };
    return stage.begin(text, { place: { ...PLACE, reference } }).ended;
  };
  await inThread(1, DEVICE);
  await inThread(2, OTHER);
  await inThread(1, 'again');
  expect(stage.audited.map(({ asked }) => asked)).toEqual([DEVICE, OTHER, DEVICE]);
  expect(stage.recent.of('channel').map(({ asked }) => asked)).toEqual([DEVICE, OTHER]);
});
