import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { pressOf } from '../../../dialogs/commands/lookup.ts';
import { createRecentLookups } from '../../../dialogs/lookup/device-lookups.ts';
import { markPosted, type ShownState, shownNow, shownStateSchema } from '../../../dialogs/lookup/report.ts';
import type { DeviceAnswer } from '../../../dialogs/render/device.ts';
import { createFormatter, toMarkdown } from '../../../dialogs/render/words.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import type { SessionFields } from '../../../src/sandbox/session-xml.ts';
import { answered, found, NONE, NOW, PLACE, READER } from '../outcomes.ts';

const [ONE, TWO, IP] = ['00:1B:54:00:00:01', '00:1B:54:00:00:02', '198.51.100.23'] as const;
const OTHER = 'another place, device or tokens';
const BEGUN = { auth_acs_timestamp: '2026-01-15T13:00:00.000Z' };
const ALIKE = { ...BEGUN, user_name: 'megan', other: { ISEPolicySetName: 'Campus' } };
const LATER = createFormatter({ now: () => NOW + 60_000 });
const session = (fields: Partial<SessionFields> = {}) =>
  found({ selected_azn_profiles: 'Corp_Access', other: {}, ...fields });

const answer = (outcome: LookupOutcome, asked: string = ONE, address = asked) =>
  answered(outcome, asked, address);

function change(before: readonly DeviceAnswer[], after: readonly DeviceAnswer[]): string | undefined {
  const { state } = shownNow(undefined, before, READER);
  const carried = shownStateSchema.parse(JSON.parse(JSON.stringify(state))); // As its button does.
  const shown = shownNow(carried, after, LATER).change;
  return shown && toMarkdown(shown);
}

it.each<[string, LookupOutcome, LookupOutcome, string, addresses?: [string, string, string]]>([
  ['the verdict', session({ passed: 'false' }), session(), 'was `rejected`'],
  ['the verdict, without a session', session(), NONE, 'was `connected`'],
  ['the verdict, without an answer', session(), { kind: 'forbidden' }, 'was `connected`'],
  ['the ANC policy', session(), session({ other: { ANCPolicy: 'Shutdown' } }), 'was `connected`'],
  ['the tokens', session(), session({ selected_azn_profiles: 'New_Access' }), OTHER],
  ['the port', session(), session({ nas_port_id: 'Gi9/9' }), OTHER],
  ['the switch', session(), session({ network_device_name: 'sw-9' }), OTHER],
  ['the device behind an IP', session(), session(), OTHER, [IP, ONE, TWO]],
  ['none, if time, user and policy set alone differ', session(), session(ALIKE), ''],
])(
  'the difference to what the message said is shown: %s',
  (_, before, after, words, [asked, one, other] = [ONE, ONE, ONE]) => {
    const said = words === '' ? 'Unchanged since 14:05 UTC.' : `Changed since 14:05 UTC: ${words}.`;
    expect(change([answer(before, asked, one)], [answer(after, asked, other)])).toBe(said);
  },
);

it('a device without an answer twice is not called unchanged', () => {
  const silent = [answer({ kind: 'forbidden' })];
  expect(change(silent, silent)).toBeUndefined();
});

it('the difference names the changed devices', () => {
  const addresses = Array.from({ length: 8 }, (_, index) => `00:1B:54:00:00:1${index}`);
  const all = (outcome: LookupOutcome, count: number) =>
    addresses.map((address, index) => answer(index < count ? outcome : session(), address));
  const one = change(all(session(), 8), all(NONE, 1));
  expect(one).toBe('Changed since 14:05 UTC: `00:1B:54:00:00:10` (was `connected`).');
  const many = change(all(NONE, 8), all(session(), 8)) ?? '';
  expect(many.match(/was `no session`/g)).toHaveLength(8);
});

it('no difference is shown in a new message', () => {
  expect(shownNow(undefined, [answer(session())], LATER).change).toBeUndefined();
});

it('unchanged since when is kept, and begins again with a change', () => {
  const first = shownNow(undefined, [answer(session())], READER).state;
  const same = shownNow(first, [answer(session())], LATER).state;
  expect([same.at, shownNow(same, [answer(NONE)], LATER).state.at]).toEqual([NOW, LATER.now()]);
});

const [OLD, NEW] = [session(), session({ selected_azn_profiles: 'New_Access' })];

it.each<[string, LookupOutcome[], boolean, number[]]>([
  ['tokens, once', [OLD, OLD], true, [1, 0]],
  ['tokens that the room did not take', [OLD, OLD], false, [1, 1]],
  ['no tokens', [NONE], true, [0]],
  ['not the tokens that it was told last, with none between', [OLD, NONE, OLD], true, [1, 0, 0]],
  [OTHER, [OLD, NEW], true, [1, 1]],
  ['another verdict', [OLD, session({ passed: 'false' })], true, [1, 1]],
  [OTHER, [OLD, session({ nas_port_id: 'Gi9/9' })], true, [1, 1]],
])('a change that the room has not seen is posted: %s', (_, outcomes, isPosted, posts) => {
  let state: ShownState | undefined;
  const posted = outcomes.map((outcome) => {
    const shown = shownNow(state, [answer(outcome)], LATER);
    if (isPosted) markPosted(shown.state, shown.toPost);
    state = shown.state;
    return shown.toPost.length;
  });
  expect(posted).toEqual(posts);
});

const said = { verdict: '[x](https://evil.example)', shown: 'x' };
const was = { at: NOW, devices: { [ONE]: said } };

it.each<[string, unknown, string | undefined]>([
  ['no object', 'was', 'card-1'],
  ['no devices', { at: NOW }, 'card-1'],
  ['no time', { at: 9e15, devices: {} }, 'card-1'],
  ['too long', { at: NOW, devices: { [ONE]: { ...said, verdict: 'x'.repeat(201) } } }, 'card-1'],
  ['no message on which it stands', was, undefined],
])('the forged data of a button is no press that edits: %s', (_, data, cardId) => {
  expect(pressOf({ submission: { data: { was: data }, cardId } })).toBeUndefined();
});

it('the forged data of a button is shown as text', () => {
  const press = pressOf({ submission: { data: { was }, cardId: 'card-1' } });
  expect(press).toEqual({ messageId: 'card-1', shownBefore: was });
  const { change } = shownNow(press?.shownBefore, [answer(session())], LATER);
  expect(toMarkdown(change ?? [])).toBe('Changed since 14:05 UTC: was `[x](https://evil.example)`.');
});

it('of an answer whose names it remembers, nothing else stays in memory', () => {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  const [recent, user_name] = [createRecentLookups(Date.now), 'alex.longname@corp.example'];
  const usedMb = () => {
    gc();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const before = usedMb();
  for (let number = 0; number < 40; number++) {
    const outcome = session({ user_name, other: { pad: 'x'.repeat(500_000) } });
    const reference = { ...PLACE.reference, conversation: { id: `chat ${number}` } };
    recent.note({ ...PLACE, reference }, [answer(outcome)], NOW);
  }
  expect(usedMb() - before).toBeLessThan(5);
  expect(JSON.stringify(recent.of('chat 39'))).toContain(user_name);
});
