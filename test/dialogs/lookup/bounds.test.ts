import { expect, it } from 'vitest';
import { alertRoomText } from '../../../dialogs/alerts/alert-answer.ts';
import { limitTokens, startLookups } from '../../../dialogs/lookup/device-lookups.ts';
import * as render from '../../../dialogs/render/answer.ts';
import type { DeviceAnswer } from '../../../dialogs/render/device.ts';
import { MESSAGE_CHARACTERS } from '../../../dialogs/render/message.ts';
import { createFormatter } from '../../../dialogs/render/words.ts';
import { findMacAddresses } from '../../../src/domain/mac-address.ts';
import { type LookupOutcome, tokensOf } from '../../../src/domain/outcome.ts';
import { splitText } from '../../../src/domain/text.ts';
import { piecesFor } from '../../../src/teams/activity.ts';
import { v2 } from '../../../src/webhook/v2.ts';
import { answered, found, PLACE } from '../outcomes.ts';

const formatter = createFormatter(Date);
const ADDRESSES = findMacAddresses(
  Array.from({ length: 20 }, (_, index) => `00:1B:54:00:77:${index + 10}`).join(' '),
);

const SHORT = Array.from({ length: 100_000 }, (_, index) => `_${index.toString(36)}`);
const LONG = Array.from({ length: 900 }, (_, index) => `Token_${index}_${'x'.repeat(980)}`);
const INVISIBLE = Array.from({ length: 2000 }, (_, index) => `_${index}${'\u3164'.repeat(100)}`);

/** A message as Teams counts it, in UTF-16 units: the card is a text within the activity, which has some 1,000 of its own. */
function unitsOf(body: string): number {
  const isCard = (value: unknown) => Object(value).type === 'AdaptiveCard';
  const withText = JSON.parse(body, (_, value) => (isCard(value) ? JSON.stringify(value) : value));
  return JSON.stringify(withText).length + 1000;
}
const TEAMS_TAKES = (100 * 1024) / 2;

it.each(
  Object.entries({ SHORT, LONG, INVISIBLE }).flatMap(([name, tokens]) =>
    ['x', '\u3164', '\u{e0001}', '😀', '`', '"', '\\'].map((fill) => [name, fill, tokens] as const),
  ),
)('20 devices fit, with %s tokens and fields of %j', async (_, fill, tokens) => {
  const answers = (await askAll(session(fill, tokens)).finished).map((answer) => explained(answer, fill));
  expect(answers.map(render.countTokens)).toEqual(ADDRESSES.map(() => tokens.length + 1));

  const message = render.renderAnswer(answers, formatter);
  const { text } = message;
  expect(splitText(text, MESSAGE_CHARACTERS).length).toBeLessThanOrEqual(4);
  for (const channelId of ['msteams', 'sms'])
    for (const { body } of piecesFor(message, { reference: { ...PLACE.reference, channelId } }))
      expect(unitsOf(body)).toBeLessThan(TEAMS_TAKES);
  const posts = [render.roomText(answers) ?? '', alertText(answers, fill)];
  for (const post of posts) expect(splitText(post, v2.maxCharacters).length).toBeLessThanOrEqual(10);

  const shown = answers.flatMap(tokensOf).length;
  const left = ADDRESSES.length * (tokens.length + 1) - shown;
  for (const said of [text, ...posts]) {
    expect(splitText(said, v2.maxCharacters).at(-1)).toContain(`${left} tokens are left out here; `);
    for (const address of ADDRESSES) expect(said).toContain(address);
  }
});

it.each([
  ['the devices', [], '`00:1B:54:00:77:10`: rejected'],
  ['their count alone', SHORT, '20 of 21 answered so far. Note.'],
])('the progress of 20 devices is one message: %s', async (_, tokens, said) => {
  const answers = await askAll(session('x', tokens)).finished;
  const waiting = findMacAddresses('00:1B:54:00:78:01');
  const { text } = render.stillAsking({ answers, waiting }, formatter, { notes: ['Note.'] });
  expect(text).toContain(said);
  expect(text.length).toBeLessThan(MESSAGE_CHARACTERS);
});

it('tokens that are too long are not called missing', async () => {
  const outcome = found({ selected_azn_profiles: `a_${'x'.repeat(1000)}`, other: {} });
  const answers = (await askAll(outcome).finished).slice(0, 1);
  expect(render.renderAnswer(answers, formatter).text).not.toContain('no tokens');
  expect(render.roomText(answers)).toBe(
    `${ADDRESSES[0]} connected, sw-floor2-17 Gi1/0/15\n\n1 token is left out here; fields ${ADDRESSES[0]} shows what the NAC says.`,
  );
});

const askAll = (outcome: LookupOutcome) => startLookups(ADDRESSES, 'alex', async () => outcome);

/** A rejection, of which most is said. Its other token is the NAC's rule. */
function session(fill: string, tokens: readonly string[]) {
  const text = fill.repeat(300);
  return found({
    passed: 'false',
    user_name: `${text}u`,
    nas_port_id: text,
    network_device_name: text,
    called_station_id: `F8-66-F2-00-10-20:${text}`,
    failure_reason: `99999 ${text}`,
    selected_azn_profiles: text,
    response: tokens.map((token) => `${token}:`).join(''),
    other: { AuthorizationPolicyMatchedRule: 'The_rule', ISEPolicySetName: text, PostureStatus: text },
  });
}

function explained(answer: DeviceAnswer, fill: string): DeviceAnswer {
  const text = fill.repeat(300);
  const attempt = { passed: false, at: 0, failureReason: text, user: text, networkDevice: text, port: text };
  return { ...answer, attempts: [attempt] };
}

function alertText(answers: readonly DeviceAnswer[], fill: string): string {
  const text = fill.repeat(300);
  const head = { state: 'firing', title: text, source: text, severity: text } as const;
  const alert = { number: 1, answers, waiting: [], head, arrivedAt: 0, leftOut: 30, times: 1 };
  return alertRoomText(alert, answers, ADDRESSES, formatter);
}

const device = (name: string, tokens: readonly string[]) =>
  answered({ kind: 'found', tokens, record: {}, text: '' }, name);
const many = (count: number) => Array.from({ length: count }, (_, index) => `Token_number_${index}`);

it('the last tokens of a device are left out, and counted', () => {
  const [short, long] = [device('one', many(2000)), device('one', many(50_000))];
  expect(limitTokens(short, 1)).toEqual(short);
  const answer = limitTokens(long, 20);
  const shown = tokensOf(answer).length;
  expect(shown).toBeGreaterThan(100);
  expect(tokensOf(answer)).toEqual(many(shown));
  expect(render.leftOutText([answer])).toEqual([
    `${50_000 - shown} tokens are left out here; fields one shows what the NAC says.`,
  ]);
  expect(tokensOf(limitTokens(device('one', INVISIBLE), 1))).toHaveLength(74); // As long as chat shows them.
});
