import { expect, it } from 'vitest';
import { alertRoomText } from '../../../dialogs/alerts/alert-answer.ts';
import { deliveryText, numberText, renderAnswer, roomText } from '../../../dialogs/render/answer.ts';
import { createFormatter } from '../../../dialogs/render/words.ts';
import {
  type DeviceOutcome,
  type HttpFault,
  isTransient,
  type LookupOutcome,
} from '../../../src/domain/outcome.ts';
import type { PostOutcome } from '../../../src/webhook/sender.ts';
import { moreOf, wordsOf } from '../cards.ts';
import { answered, DOWN, found, POSTED, READER, WITH_SESSION, WITHOUT_SESSION } from '../outcomes.ts';

const [DEVICE, OTHER] = ['00:1B:54:00:00:07', '00:1B:54:00:00:08'];
const formatter = createFormatter({ now: READER.now, nacLink: 'https://nac.example.com/{mac}' });

const capitalised = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
const plain = (markdown: string) => markdown.replaceAll('`', '');

/** What is said of one outcome: text, card and notification of the answer, and an alert's post to the room. */
function tell(outcome: DeviceOutcome) {
  const answers = [answered(outcome, DEVICE)];
  const { text, summary, card } = renderAnswer(answers, formatter);
  const head = { state: 'firing' } as const;
  const alert = { number: 1, answers, waiting: [], head, arrivedAt: READER.now(), leftOut: 0, times: 1 };
  const [, room = ''] = alertRoomText(alert, answers, [], formatter).split('\n\n');
  const [first = ''] = text.split('  \n');
  const actions = (card?.actions ?? []) as Array<{ title: string }>;
  const titles = actions.map(({ title }) => title);
  return { first: plain(first), words: wordsOf(card), summary: summary?.split('\n')[0], room, titles };
}

it.each(WITHOUT_SESSION)('an outcome is first in text, card, summary and room: %s', (sentence, outcome) => {
  const { first, words, summary, room, titles } = tell(outcome);
  const [heading, address, why] = words;
  const bare = plain(sentence);
  expect(first).toBe(`${DEVICE}: ${bare}`);
  expect(address).toBe(DEVICE);
  expect(`${heading}. ${why}`).toBe(capitalised(bare));
  expect(bare).toContain(summary?.replace(` ${DEVICE}`, ''));
  expect(plain(room).normalize('NFKC')).toBe(`${DEVICE} ${bare}`);
  expect(titles).toEqual(['Look up again', 'Open in the NAC', 'More']);
});

it.each<[LookupOutcome, canPass: boolean, hasNumber: boolean]>([
  [DOWN, true, true],
  [{ kind: 'paused', until: READER.now(), isForAll: true }, true, true],
  [{ kind: 'fault', status: 502 }, true, true],
  [{ kind: 'fault', status: 504 }, true, true],
  [{ kind: 'fault', status: 500 }, false, true],
  [{ kind: 'no session' }, false, false],
  [{ kind: 'disconnected' }, false, false],
])('an outcome may be transient, or have a number: %j', (outcome, ...expected) => {
  const answer = answered(outcome, DEVICE);
  expect([isTransient(answer), numberText(() => 1, [answer]).length > 0]).toEqual(expected);
});

it.each(WITH_SESSION)('a session has the verdict "%s" first in each rendering', (...row) => {
  const [verdict, outcome, meaning] = row;
  const { first, words, summary, room, titles } = tell(outcome);
  const why = meaning === undefined ? '' : ` ${meaning}`;
  const heading = verdict.includes(', under') ? words.splice(0, 2).join(' ') : words.shift();
  const isKnown = outcome.kind === 'found' && outcome.record.user !== undefined;
  expect(first).toBe(`${DEVICE}: ${verdict}.${why}`);
  expect(heading).toBe(capitalised(verdict));
  expect(words[0]).toBe(DEVICE);
  if (meaning !== undefined) expect(words[1]).toBe(meaning);
  const age = verdict === 'ended' ? '' : ' 2 hours ago,';
  const where = isKnown ? ` alex, sw-floor2-17 Gi1/0/15,${age}` : '';
  expect(`${verdict}.${why}`).toContain(summary?.replace(`${where} ${DEVICE}`, ''));
  expect(room).toContain(`${DEVICE} ${verdict}${isKnown ? ', sw-floor2-17 Gi1/0/15' : ''}`);
  if (verdict !== 'connected') expect(plain(room)).toContain(why);
  expect(titles).toEqual(['Look up again', 'Open in the NAC', 'More']);
});

it("shared facts and an alert's length are shown", () => {
  const answers = [1, 2, 3].map((each) => answered(found({ passed: 'false' }), `00:1B:54:00:00:0${each}`));
  const at = READER.now();
  const head = { state: 'resolved', startsAt: at - 720_000 } as const;
  const alert = { number: 1, answers, waiting: [], head, arrivedAt: at - 60_000, leftOut: 0, times: 1 };
  const room = alertRoomText(alert, answers, [], READER);
  expect(room).toMatch(/^Resolved after 11 minutes; /);
  expect(room).toContain('3 of 3 rejected are on sw-floor2-17.');
});

const unanswered = (fault: HttpFault): PostOutcome => ({ kind: 'no answer', fault, final: false });
const timedOut = unanswered({ kind: 'timed out', timeoutMs: 5000, begun: true });
const WHY = "because the bot does not trust the certificate of the room's webhook (expired or not yet valid)";

/** Markdown, a link finder or a card's formulas could misread them. */
const MISLEADING = 'Wired_802.1X _lead trail_ __both__ a-_-b Corp_example.com Größe_名前 7_ _.x'.split(' ');

it.each<[fault: string, outcome: PostOutcome]>([
  ['its webhook does not exist (not found)', { kind: 'not found', final: true }],
  ['its webhook rejected them (HTTP status 400)', { kind: 'rejected', status: 400, final: true }],
  ['its webhook answered with an error', { kind: 'error verdict', final: false }],
  ['its webhook failed (HTTP status 503)', { kind: 'failed', status: 503, final: false }],
  ['its webhook did not answer within 5 s (time-out)', timedOut],
  [`nothing was sent, ${WHY}`, unanswered({ kind: 'untrusted', reason: 'expired' })],
  ['its webhook could not be reached', unanswered({ kind: 'unreachable', code: 'ECONNREFUSED' })],
  ['its webhook sent an answer that could not be read', unanswered({ kind: 'cut off' })],
])("a post's fault is described alone and as retried: %s", (fault, outcome) => {
  const advice = "Please pass them on yourself. The bot's operator can check the webhook's settings.";
  const none = `The tokens were not posted to the room: ${fault}.`;
  expect(deliveryText({ outcome, isQueued: false })).toBe(`${none} ${advice}`);
  const later = `${none} I keep trying for 24 hours.`;
  expect(deliveryText({ outcome, isQueued: true })).toBe(later);
});

it('a post of an alert, and one that waits, are described', () => {
  expect(deliveryText(POSTED, 'devices')).toBe('The devices were posted to the room.');
  const outcome = { kind: 'waiting' } as const;
  const kept = 'The tokens are not posted yet. I keep trying for 24 hours.';
  expect(deliveryText({ outcome, isQueued: true })).toBe(kept);
  expect(deliveryText({ outcome, isQueued: false })).toMatch('I cannot promise that it will.');
});

it('tokens stand literally in the post, the summary and the card', () => {
  const tokens = MISLEADING.map((token) => `${token}:`).join('');
  const answers = [answered(found(), DEVICE), answered(found({ response: tokens, other: {} }), OTHER)];
  const at = 'connected, sw-floor2-17 Gi1/0/15';
  const own = ['Corp_Wired_Access', ...MISLEADING].join('\n');
  const posted = `${DEVICE} ${at}\nCorp_Wired_Access\nBasic_Authenticated_Access\n\n${OTHER} ${at}\n${own}`;
  expect(roomText(answers)).toBe(posted);
  const spans = MISLEADING.map((token) => `\`${token}\``);
  for (const shown of [answers, answers.slice(1)]) {
    const { text, card, summary } = renderAnswer(shown, READER, { delivery: POSTED });
    for (const words of [wordsOf(moreOf(card)), summary?.split('\n')])
      expect(words).toEqual(expect.arrayContaining(MISLEADING));
    expect(text.split(/ *\n/)).toEqual(expect.arrayContaining(spans));
  }
});
