import { describe, expect, it } from 'vitest';
import { renderAnswer } from '../../../dialogs/render/answer.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { type SessionFields, sessionXml } from '../../../src/sandbox/session-xml.ts';
import { TEXT } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { buttonsOf, wordsOf } from '../cards.ts';
import { answered, found, READER, redirected, WITH_SESSION } from '../outcomes.ts';

const session = (fields: Partial<SessionFields> = {}) =>
  sessionXml({ auth_acs_timestamp: '2026-01-15T12:05:00.000Z', ...fields });

const render = (...outcomes: readonly LookupOutcome[]) => {
  const answers = outcomes.map((outcome, index) => answered(outcome, `00:1B:54:00:02:${10 + index}`));
  return renderAnswer(answers, READER);
};

describe('several devices', () => {
  it('are counted first, then shown one a line, the worst first, with tokens', async () => {
    const nac = {
      '00:1B:54:00:00:01': session({ user_name: 'megan', other: { 'cisco-wlan-ssid': 'Campus' } }),
      '00:1B:54:00:00:02': session({ passed: 'false', selected_azn_profiles: 'DenyAccess', other: {} }),
      '00:1B:54:00:00:03': session({ selected_azn_profiles: 'Quarantine_VLAN', other: {} }),
      '00:1B:54:00:00:04': '<sessionParameters><known>yes</known></sessionParameters>',
      '00:1B:54:00:00:05': 0,
      '00:1B:54:00:00:06': 403,
    };
    const bot = await startBot({ at: '2026-01-15T14:05:00Z', nac, settings: { NAC_HISTORY: '0' } });
    const addresses = [...Object.keys(nac), '00:1B:54:00:00:99', 'FF:FF:FF:FF:FF:FF'].join(' ');
    const text = await bot.ask(addresses, TEXT);
    const shown = text.replace(/\d{6}/, 'N');
    expect(shown).toBe(`7 devices: 1 rejected, 1 quarantined, 2 not known, 1 no session, and others.

\`00:1B:54:00:00:02\`: rejected. \`alex\`, \`sw-floor2-17 Gi1/0/15\`, 2 hours ago

\`00:1B:54:00:00:03\`: quarantined. Profile \`Quarantine_VLAN\`. \`alex\`, \`sw-floor2-17 Gi1/0/15\`, 2 hours ago  
\`Quarantine_VLAN\`

\`00:1B:54:00:00:05\`: the NAC could not be reached. The NAC or the network between is down, or NAC_URL is wrong.

\`00:1B:54:00:00:06\`: not allowed. The NAC knows the account, but the account may not read sessions (403). On Cisco ISE, the account needs the role MnT Admin.

\`00:1B:54:00:00:99\`: no session. The NAC knows of no current session. Is the device plugged in and awake? The NAC has no record of it (never seen, or removed).

\`00:1B:54:00:00:04\`: session found.

The rest is well.

\`00:1B:54:00:00:01\`: connected. \`megan\`, \`sw-floor2-17\`, \`Campus\`, 2 hours ago  
\`Corp_Wired_Access\`

The tokens were posted to the room.

I keep trying for 10 minutes; the answer will come here.

Report number N. Tell it to the bot's operator.`);
  });

  it('are counted by every verdict on a session', () => {
    const headlines = WITH_SESSION.map(([, outcome]) => render(outcome, outcome).text.split('\n')[0]);
    const kinds = headlines.map((words) => /^2 devices: 2 (.*)\.$/.exec(words ?? '')?.[1]);
    expect([...new Set(kinds)].join(', ')).toBe(
      'connected, rejected, under a policy, suppressed, did not finish, user failed, ended, quarantined, waiting for web login, waiting for posture, waiting for onboarding, waiting for device management, waiting for portal, waiting for hotspot, blocked, posture pending, not compliant, session found',
    );
  });

  it('are not well if something speaks against them but age', () => {
    const { text } = render(
      found({ failure_reason: '5417 Dynamic Authorization failed' }),
      found({ selected_azn_profiles: 'Cisco_WebAuth' }),
      found({ auth_acs_timestamp: '2026-01-06T14:05:00.000Z' }),
    );
    for (const words of [
      ':10`: connected. The switch or controller did not carry out a change of authorization (5417).',
      ':11`: connected. By the name of its profile, the device may be held at a portal.',
      'The rest is well.\n\n`00:1B:54:00:02:12`: connected. `alex`',
    ])
      expect(text).toContain(words);
  });

  it('are the first 20 of many; a button asks for the others', async () => {
    const all = Array.from({ length: 43 }, (_, index) => `00:1B:54:00:01:${10 + index}`);
    const bot = await startBot({ nac: {}, settings: { NAC_HISTORY: '0' } });
    const { replies, texts } = await bot.say(all.join('\n'));
    expect(texts).toEqual([
      'That message holds 43 addresses. I look up the first 20.',
      expect.stringMatching(/^20 devices: 20 no session\.\n/),
    ]);
    const data = { dialog: 'lookup', text: all.slice(20).join(' ') };
    expect(buttonsOf(replies[0])).toEqual([{ title: 'Look up 23 more', data }]);
  });
});

const WAITING = redirected('cwa');
const rejected = (network_device_name: string, fields = {}) =>
  found({ passed: 'false', network_device_name, ...fields });
const at = (name: string, count: number) => Array<LookupOutcome>(count).fill(rejected(name));
const HANG = 'are on sw-floor2-17.';

it.each<[string, LookupOutcome[], string | undefined]>([
  ['the switch of most', [...at('sw-floor2-17', 4), ...at('b', 1), found()], `4 of 5 rejected ${HANG}`],
  ['the policy', Array(3).fill(found({ other: { ANCPolicy: 'Cut' } })), `3 of 3 under a policy ${HANG}`],
  ['a warning', Array(3).fill(found({ other: { 'Days to Expiry': '3' } })), `3 of 3 with a warning ${HANG}`],
  ['the wait', [WAITING, WAITING, WAITING, ...at('sw-floor2-17', 1)], `3 of 3 waiting for web login ${HANG}`],
  ['nothing, if they are two', [...at('a', 2), rejected('b', { other: {} })], undefined],
  ['nothing, if their verdicts differ', [...at('a', 2), WAITING], undefined],
  ['nothing, if they are well', [found(), found(), found()], undefined],
])('what devices share that are not well is said once: %s', (_, all, sentence) => {
  const { card, summary = '' } = render(...all);
  if (sentence === undefined) return expect(summary).not.toMatch(/ of \d/);
  expect([summary.split('\n')[1], wordsOf(card)[1]]).toEqual([sentence, sentence]);
});

it('a lookup over the limit says how long to wait, and calls no NAC', async () => {
  const bot = await startBot({ nac: {}, settings: { NAC_HISTORY: '0' } });
  const all = Array.from({ length: 30 }, (_, index) => `00:1B:54:00:01:${10 + index}`);
  for (const part of [all.slice(0, 20), all.slice(20)]) await bot.say(part.join(' '));
  for (const command of ['', 'fields ', 'watch ']) {
    const text = await bot.ask(`${command}AA:BB:CC:DD:EE:FF`);
    expect(text).toMatch(/^That is more than I answer in a minute .* try again in (?:5\d|60) s\.$/);
  }
  expect(bot.calls).toHaveLength(30);
});
