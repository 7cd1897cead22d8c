import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Reply, shownIn, textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { answer, serve } from '../serve.ts';
import { FAST, openReadyStage, openStage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, linesOf, only, pressing } from './cards.ts';

const DEVICE = '00:1B:54:00:00:31';
const AT = 'connected, sw-floor2-17 Gi1/0/15';
const THREAD = '19:noc@thread.tacv2;messageid=7';
const UNCHANGED = /^Unchanged since \d\d:\d\d [AP]M UTC\.$/m;

describe('a press of "Look up again"', () => {
  it('edits its card in its thread, and says and posts only what has changed', async () => {
    const { nac, ask, press, posts } = await open();
    const asked = await ask();
    expect(posts()).toEqual([`${DEVICE} ${AT}\nFirst_Access`]);
    const same = only((await press(asked)).replies);
    expect(same).toMatchObject({ id: asked.id, method: 'PUT', conversationId: THREAD });
    expect(linesOf(cardOf(same)).at(-1)).toMatch(UNCHANGED);
    expect(posts()).toHaveLength(1);

    nac.tokens = 'Second_Access';
    const other = only((await press(same)).replies);
    expect(other).toMatchObject({ id: asked.id, method: 'PUT' });
    expect(linesOf(cardOf(other)).slice(-2)).toEqual([
      expect.stringMatching(/^Changed since \d\d:\d\d [AP]M UTC: other tokens\.$/),
      'The tokens were posted to the room.',
    ]);
    expect(posts().slice(1)).toEqual([`${DEVICE} ${AT}\nSecond_Access`]);
  });

  it("on an alert's message edits it, and keeps the alert's head", async () => {
    const { nac, stage, press, posts } = await open();
    await stage.say('alerts here as noc', inThread(THREAD));
    stage.replies.splice(0);
    await stage.alert(`port down ${DEVICE}`, 'noc');
    await vi.waitFor(() => expect(stage.replies).toHaveLength(1), 10_000);
    nac.tokens = 'Other_Access';
    const told = posts().length;
    const same = only((await press(only(stage.replies))).replies);
    expect(same).toMatchObject({ method: 'PUT', id: stage.replies[0]?.id, conversationId: THREAD });
    expect(linesOf(cardOf(same)).slice(0, 2)).toEqual(['Alert firing', `port down ${DEVICE}`]);
    expect(linesOf(cardOf(same)).join()).toMatch(/Changed since .*: other tokens\./);
    expect(posts().slice(told)).toEqual([`${DEVICE} ${AT}\nOther_Access`]);
    const again = only((await press(same)).replies);
    expect(linesOf(cardOf(again)).join()).toMatch(/^Alert firing,.*Unchanged since /);
  });
});

it.each([false, true])(
  'a press that takes longer than a turn is answered on its card; if the process dies meanwhile: %s',
  async (dies) => {
    const { stage, nac, ask, press, posts } = await open();
    const asked = await ask();
    const held = Promise.withResolvers<void>();
    nac.held = held.promise;
    const { replies } = await press(asked);
    const still = `Still asking the NAC about ${DEVICE}.`;
    expect(replies.map(textOf)).toEqual([still, `${still} The answer will come here.`]);
    if (dies) await stage.restart();
    held.resolve();
    await vi.waitFor(() => expect(stage.replies).toHaveLength(4), 30_000);
    expect(stage.replies.map(({ id, method }) => [id, method])).toEqual(
      ['POST', 'PUT', 'PUT', 'PUT'].map((method) => [asked.id, method]),
    );
    expect(stage.replies.map(textOf)[3]).toMatch(UNCHANGED);
    expect(posts()).toHaveLength(1);
  },
);

const EDIT = { type: 'messageUpdate', channelData: { eventType: 'editMessage' } };

it('an edit that adds the missing digits is answered once, in the place of the earlier answer', async () => {
  const stage = await openStage();
  onTestFinished(stage.close);
  const id = 'edited-1';
  const half = await stage.say('lookup 00:1B:54:00:00', { id });
  expect(half.texts).toEqual([expect.stringContaining('half an address')]);
  const edit = { ...EDIT, id, timestamp: new Date().toISOString() };
  const whole = await stage.say('lookup 00:1B:54:00:00:03', edit);
  expect(whole.replies).toMatchObject([{ id: half.replies[0]?.id, method: 'PUT' }]);
  expect(whole.texts).toEqual([expect.stringContaining('rejected.')]);
  expect((await stage.say('lookup 00:1B:54:00:00:03', edit)).texts).toEqual([]);
});

it('an edit of a message that has become a job replaces what stands there, and the job stays silent', {
  timeout: 60_000,
}, async () => {
  // The slow device answers long after its turn, so that the edit comes first on a busy machine, too.
  const stage = await openReadyStage({}, { ...FAST, timing: { ...FAST.timing, turnMs: 800 } });
  onTestFinished(stage.close);
  const id = 'edited-2';
  const asked = await stage.say('lookup 00:1B:54:00:00:07', { id });
  const edited = await stage.say('lookup AA:BB:CC:DD:EE:FF', { ...EDIT, id });
  expect(edited.replies).toMatchObject([{ id: asked.replies[0]?.id, method: 'PUT' }]);
  await vi.waitFor(() => expect(stage.posts()).toHaveLength(2), 20_000);
  await vi.waitFor(async () => expect((await stage.say('recent')).texts[0]).toContain('00:1B:54:00:00:07'), {
    timeout: 10_000,
    interval: 500,
  });
  expect((await stage.say('status')).texts[0]).not.toContain('Lookups: ');
  const shown = shownIn(stage.replies).filter(({ id }) => id === asked.replies[0]?.id);
  expect(shown.map(textOf)).toEqual([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
});

/** A bot whose NAC the test changes, and what a person does in the thread. */
async function open() {
  const nac = { tokens: 'First_Access', held: Promise.resolve() };
  const NAC_URL = await serve(async (_, response) => {
    await nac.held;
    const xml = sessionXml({ selected_azn_profiles: nac.tokens, other: {} });
    answer(response, 200, { 'content-type': 'application/xml' }, xml);
  });
  const stage = await openReadyStage({ NAC_URL, ALERTS_TOKEN: 'token-for-alerts' }, FAST);
  onTestFinished(stage.close);
  return {
    stage,
    nac,
    posts: stage.posts,
    ask: async () => only((await stage.say(`lookup ${DEVICE}`, inThread(THREAD))).replies),
    press(card: Reply) {
      const button = buttonsOf(cardOf(card)).find(({ title }) => title === 'Look up again');
      return stage.say('', { ...inThread(THREAD), ...pressing(button, card.id), entities: [] });
    },
  };
}
