import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openReadyStage, type Stage } from '../stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openReadyStage({ NAC_TIMEOUT_MS: '1500' });
});
afterAll(() => stage.close());

/** A chat service without cards, so each answer is text. */
const TEXT = { channelId: 'sms' };

/** The end of an answer if something is wrong. The tests' messages have random ids, so the number is left out. */
const REPORT = '\n\nReport number ######.';

const MAKER = '  \nMaker: `Cisco Systems, Inc`';

const CONNECTED = [
  '`AA:BB:CC:DD:EE:FF`: connected.',
  'User: `alex`',
  'IP address: `198.51.100.23`',
  'Network device: `sw-floor2-17`',
  'Port: `GigabitEthernet1/0/15`',
  'VLAN: `30`',
  expect.stringMatching(/^Since: \w{3} \d{1,2}, \d{4}, \d\d:\d\d [AP]M UTC \(3 hours ago\)$/),
  'Method: MAB',
  'Policy set: `Default`',
  'Rule: `Basic_Authenticated_Access`',
  'Authorization: `Corp_Wired_Access`',
  'Security group: `Employees`',
  'Identity group: `Workstation`',
  "This is a private, randomised address. The device made it up and may change it. Ask the user for the device's current address on this network, or to turn the private address off there.",
  'Tokens:',
  '`Corp_Wired_Access`',
  '`Basic_Authenticated_Access`\n\nThe tokens were posted to the room.',
];

describe('a lookup', () => {
  it('answers with the session and its tokens, and posts them to the room once', async () => {
    const before = stage.sandbox.room.posts().length;
    const { status, texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF', TEXT);
    expect(status).toBe(200);
    expect(texts.map((text) => text.split('  \n'))).toEqual([CONNECTED]);
    expect(posts(before)).toEqual(['AA:BB:CC:DD:EE:FF\nCorp_Wired_Access\nBasic_Authenticated_Access']);
  });

  it.each([
    [
      'lookup 00:1B:54:00:99:99',
      `\`00:1B:54:00:99:99\`: no session. The NAC knows of no current session. Is the device plugged in and awake?  \nThe NAC lists no attempt in the last 24 hours.${MAKER}`,
    ],
    [
      '00:1B:54:00:04:03',
      `\`00:1B:54:00:04:03\`: not allowed. The NAC knows the bot's account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.${MAKER}${REPORT}`,
    ],
    [
      '00:1B:54:00:05:00',
      `\`00:1B:54:00:05:00\`: the NAC reported a fault (HTTP status 500). Please ask those who run the NAC.${MAKER}${REPORT}`,
    ],
    [
      '00:1B:54:00:05:03',
      `\`00:1B:54:00:05:03\`: the NAC reported a fault (HTTP status 503). Please ask those who run the NAC.${MAKER}\n\nI keep trying for 10 minutes; the answer will come here.${REPORT}`,
    ],
    [
      '00:1B:54:00:0B:01',
      `\`00:1B:54:00:0B:01\`: the NAC's answer was not usable: a login page came instead of a session. Whoever runs the bot can check whether NAC_URL names the monitoring node.${MAKER}${REPORT}`,
    ],
    [
      '00:1B:54:00:0B:02',
      `\`00:1B:54:00:0B:02\`: the NAC's answer was not usable: it was cut off before its end. Please ask those who run the NAC.${MAKER}${REPORT}`,
    ],
    [
      '00:1B:54:00:0B:03',
      `\`00:1B:54:00:0B:03\`: the NAC's answer was not usable: it began but did not end in time. Please ask those who run the NAC.${MAKER}${REPORT}`,
    ],
    [
      '00:1B:54:00:0B:04',
      `\`00:1B:54:00:0B:04\`: the NAC's answer was not usable: too large (over 1 MB). Please ask those who run the NAC.${MAKER}${REPORT}`,
    ],
    [
      '00:1B:54:00:0B:05',
      `\`00:1B:54:00:0B:05\`: the NAC's answer was not usable: too large (over 1 MB). Please ask those who run the NAC.${MAKER}${REPORT}`,
    ],
    [
      '00:1B:54:00:0B:06',
      `\`00:1B:54:00:0B:06\`: time-out. The NAC did not answer within 1.5 s.${MAKER}\n\nI keep trying for 10 minutes; the answer will come here.${REPORT}`,
    ],
    [
      '00:1B:54:00:0B:07',
      `\`00:1B:54:00:0B:07\`: the NAC's answer was not usable: it holds no session in a form that I know. Please ask those who run the NAC.${MAKER}${REPORT}`,
    ],
    [
      '00:00:00:00:00:00',
      '`00:00:00:00:00:00`: all zeros. This address stands for no device, so there is nothing to look up.',
    ],
    [
      'ff-ff-ff-ff-ff-ff',
      '`FF:FF:FF:FF:FF:FF`: the broadcast address. This address stands for all devices, so there is nothing to look up.',
    ],
    [
      '01:00:5e:00:00:fb',
      '`01:00:5E:00:00:FB`: a multicast address. This address stands for a group of devices, so there is nothing to look up.',
    ],
  ])('of %s is answered only in the chat', async (text, answer) => {
    const before = stage.sandbox.room.posts().length;
    const { status, texts } = await stage.say(text, TEXT);
    expect(status).toBe(200);
    expect(texts.map((each) => each.replace(/number \d{6}\.$/, 'number ######.'))).toEqual([answer]);
    expect(posts(before)).toEqual([]);
  });

  it('of a session without tokens is answered, and nothing is posted', async () => {
    const before = stage.sandbox.room.posts().length;
    const { texts } = await stage.say('lookup 00:1B:54:00:00:04', TEXT);
    expect(texts[0]).toMatch(
      /^`00:1B:54:00:00:04`: connected\.[\s\S]*The session holds no tokens to post\.$/,
    );
    expect(posts(before)).toEqual([]);
  });

  it('of a rejected device says so first, and why', async () => {
    const { texts } = await stage.say('lookup 00:1B:54:00:00:03', TEXT);
    expect(texts[0]).toMatch(
      /^`00:1B:54:00:00:03`: rejected\. The authorization policy rejects the device\. {2}\n[\s\S]* {2}\nWhy: `15039 Rejected per authorization profile` {2}\n/,
    );
  });

  it('of several devices causes one answer and one post', async () => {
    const before = stage.sandbox.room.posts().length;
    const { texts } = await stage.say('see 00-1b-54-00-00-02,\n00:1B:54:00:99:99 and 001b.5400.0003.', TEXT);
    expect(texts).toHaveLength(1);
    expect(texts[0]?.split('\n\n').map((part) => part.slice(0, 32))).toEqual([
      '3 devices: 1 connected, 1 reject',
      expect.stringContaining('`00:1B:54:00:00:03`: rejected.'),
      expect.stringContaining('`00:1B:54:00:99:99`: no session'),
      'The other device is well.',
      expect.stringContaining('`00:1B:54:00:00:02`: connected.'),
      'The tokens were posted to the ro',
    ]);
    expect(posts(before)).toEqual([
      '00:1B:54:00:00:02\nGuest_Internet_Only\nGuest_Access\n\n00:1B:54:00:00:03\nBlacklist_Access-Reject',
    ]);
  });

  it("shows a device's values as text, never as markup", async () => {
    const { texts } = await stage.say('lookup 00:1B:54:00:00:06', TEXT);
    expect(texts[0]).toContain('User: `ˋ**bold** [link](https://example.com) <at>everyone</at> ![:Team](1)`');
  });
});

describe('a lookup that cannot begin', () => {
  it.each([
    ['lookup', 'Which device? Give me its MAC address, in any spelling, or its IP address.'],
    ['lookup AA:BB:CC:DD:EE', 'That is half an address (5 of 6 pairs). Give me all 6 pairs.'],
    ['lookup AG:BB:CC:DD:EE:FF', 'That is no MAC address: `G` is not one of 0-9 and A-F.'],
    [
      'lookup AA:BB-CC:DD-EE:FF',
      'I cannot read that MAC address: I do not know this grouping of its 12 digits.',
    ],
  ])('"%s": the answer says what is wrong and what to do; the NAC is not asked', async (text, answer) => {
    const calls = stage.sandbox.nacCalls.length;
    expect((await stage.say(text, TEXT)).texts).toEqual([
      `${answer}\n\nFor example: \`lookup AA:BB:CC:DD:EE:FF\``,
    ]);
    expect(stage.sandbox.nacCalls).toHaveLength(calls);
  });

  it('answers the first 20 of 21 addresses', async () => {
    const addresses = Array.from({ length: 21 }, (_, index) => `00:1B:54:00:77:${(index + 16).toString(16)}`);
    const calls = stage.sandbox.nacCalls.length;
    const from = { id: 'someone-else' }; // Earlier tests have not used this person's minute.
    const [offer = '', answer = ''] = (await stage.say(addresses.join('\n'), { from })).texts;
    expect(offer).toBe('That message holds 21 addresses. I look up the first 20.');
    expect(answer.match(/: no session/g)).toHaveLength(20);
    expect(stage.sandbox.nacCalls).toHaveLength(calls + 20);
  });
});

describe('where a reply goes', () => {
  it('answers in the channel thread of the question', async () => {
    const { replies } = await stage.say('<at>NAC lookup</at>&nbsp;lookup AA:BB:CC:DD:EE:FF', {
      ...TEXT,
      id: 'question-7',
      conversation: { id: '19:team@thread.tacv2;messageid=42', conversationType: 'channel', isGroup: true },
      entities: [
        { type: 'mention', text: '<at>NAC lookup</at>', mentioned: { id: 'bot', name: 'NAC lookup' } },
      ],
    });
    expect(replies).toMatchObject([
      {
        method: 'POST',
        conversationId: '19:team@thread.tacv2;messageid=42',
        replyToId: 'question-7',
        activity: { type: 'message', replyToId: 'question-7', textFormat: 'markdown', from: { id: 'bot' } },
      },
    ]);
  });

  it.each([
    [
      'without entities of mentions',
      {
        text: '@NAC lookup AA:BB:CC:DD:EE:FF',
        entities: [{ type: 'mention', text: '@NAC', mentioned: { id: 'bot' } }],
      },
    ],
    [
      'with broken entities',
      { entities: [null, 5, { type: 'mention' }, { type: 'mention', mentioned: null }] },
    ],
    ['without sender and recipient', { from: undefined, recipient: undefined }],
    ['with fields of another shape', { from: 5, recipient: [], locale: {}, entities: 'x', timestamp: 7 }],
  ])('answers a message %s', async (_, changes) => {
    const from = { id: 'patti' };
    const { status, texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF', { ...TEXT, from, ...changes });
    expect(status).toBe(200);
    expect(texts[0]).toContain('`AA:BB:CC:DD:EE:FF`: connected.');
  });

  it.each(['conversationUpdate', 'typing', 'messageReaction', 'event'])(
    'says nothing to a %s',
    async (type) => {
      expect(await stage.say('lookup AA:BB:CC:DD:EE:FF', { type })).toMatchObject({ status: 200, texts: [] });
    },
  );
});

function posts(from: number): string[] {
  return stage.sandbox.room
    .posts()
    .slice(from)
    .map(({ text }) => text);
}
