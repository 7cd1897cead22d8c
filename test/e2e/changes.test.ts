import { expect, it, vi } from 'vitest';
import { type Reply, shownIn, textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { answer, metricsOf, opsPort, serve } from '../serve.ts';
import { FAST, stageForTest } from '../stage.ts';
import { ALERTS_TOKEN, nameChannel, CHANNEL as THREAD } from './alert-stage.ts';
import { buttonsOf, inThread, linesOf, only, pressing } from './cards.ts';

const DEVICE = '00:1B:54:00:00:31';
const AT = 'connected, sw-floor2-17 Gi1/0/15';

it('a press of "Look up again" edits its card in its thread, keeps an alert\'s head, and tells only what has changed', async () => {
  const { nac, stage, press, posts } = await open();
  await nameChannel(stage);
  await stage.alert(`port down ${DEVICE}`, 'noc');
  await vi.waitFor(() => expect(stage.replies).toHaveLength(1), 10_000);
  const told = posts().length;
  nac.tokens = 'Other_Access';
  const other = only((await press(only(stage.replies))).replies);
  expect(other).toMatchObject({ method: 'PUT', id: stage.replies[0]?.id, conversationId: THREAD });
  expect(linesOf(other).slice(0, 2)).toEqual(['Alert firing', `port down ${DEVICE}`]);
  expect(linesOf(other).join()).toMatch(/Changed since .*: other tokens\./);
  expect(posts().slice(told)).toEqual([`${DEVICE} ${AT}\nOther_Access`]);
  const same = only((await press(other)).replies);
  expect(linesOf(same).join()).toMatch(/^Alert firing,.*Unchanged since /);
  expect(posts()).toHaveLength(told + 1);
});

it('an edit of a message that has become a job replaces what stands there, and the job stays silent', async () => {
  // The slow device answers long after its turn, so that the edit comes first on a busy machine, too.
  const settings = { OPS_PORT: await opsPort() };
  const stage = await stageForTest(settings, { ...FAST, timing: { ...FAST.timing, turnMs: 800 } });
  const edit = { id: 'edited-1', type: 'messageUpdate', channelData: { eventType: 'editMessage' } };
  const asked = await stage.say('lookup 00:1B:54:00:00:07', { id: edit.id });
  const edited = await stage.say('lookup AA:BB:CC:DD:EE:FF', edit);
  expect(edited.replies).toMatchObject([{ id: asked.replies[0]?.id, method: 'PUT' }]);
  const answered = async () =>
    (await metricsOf(stage.bot))['nac_lookup_bot_lookup_duration_seconds_count{outcome="found"}'];
  await expect.poll(answered, { timeout: 20_000 }).toBe(2); // The slow device's answer has come.
  expect(stage.posts()).toMatchObject([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
  expect((await stage.say('recent')).texts[0]).not.toContain('00:1B:54:00:00:07');
  expect((await stage.say('status')).texts[0]).not.toContain('Lookups: ');
  const shown = shownIn(stage.replies).filter(({ id }) => id === asked.replies[0]?.id);
  expect(shown.map(textOf)).toEqual([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
});

it('an edit of a follow-up is answered in the place of its answer', async () => {
  const stage = await stageForTest({}, FAST);
  const edit = { id: 'edited-1', type: 'messageUpdate', channelData: { eventType: 'editMessage' } };
  await stage.say('lookup 00:1B:54:00:00:01');
  const asked = await stage.say('and :03?', { id: edit.id });
  const { replies, texts } = await stage.say('and :08?', edit);
  expect(replies).toMatchObject([{ id: asked.replies[0]?.id, method: 'PUT' }]);
  expect(texts[0]).toContain('00:1B:54:00:00:08');
});

/** A bot whose NAC the test changes, and what a person does in the thread. */
async function open() {
  const nac = { tokens: 'First_Access' };
  const NAC_URL = await serve((_, response) => {
    const xml = sessionXml({ selected_azn_profiles: nac.tokens, other: {} });
    answer(response, 200, { 'content-type': 'application/xml' }, xml);
  });
  const stage = await stageForTest({ NAC_URL, ALERTS_TOKEN }, FAST);
  return {
    stage,
    nac,
    posts: stage.posts,
    press(card: Reply) {
      const button = buttonsOf(card).find(({ title }) => title === 'Look up again');
      return stage.say('', { ...inThread(THREAD), ...pressing(button, card.id), entities: [] });
    },
  };
}
