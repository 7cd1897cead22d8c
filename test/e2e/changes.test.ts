import { expect, it } from 'vitest';
import { shownIn, textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { linesOf, only } from '../replies.ts';
import { metricsOf, opsPort } from '../serve.ts';
import { FAST, startBot } from '../start-bot.ts';
import { until } from '../test-clock.ts';
import { NOC, nameChannel, CHANNEL as THREAD } from './alertmanager.ts';

const DEVICE = '00:1B:54:00:00:31';

it('"Look up again" on an alert keeps its head, and posts the change', async () => {
  let profile = 'First_Access';
  const nac = () => sessionXml({ selected_azn_profiles: profile, other: {} });
  const bot = await startBot({ ...FAST, nac });
  await nameChannel(bot);
  await bot.alert(`port down ${DEVICE}`, NOC);
  await bot.replied(1);
  const before = bot.posts().length;
  profile = 'Other_Access';
  const other = only((await bot.press('Look up again')).replies);
  expect(other).toMatchObject({ method: 'PUT', id: bot.replies[0]?.id, conversationId: THREAD });
  expect(linesOf(other).slice(0, 2)).toEqual(['Alert firing', `port down ${DEVICE}`]);
  expect(linesOf(other).join()).toMatch(/Changed since .*: other tokens\./);
  expect(bot.posts().slice(before)).toEqual([`${DEVICE} connected, sw-floor2-17 Gi1/0/15\nOther_Access`]);
  const same = only((await bot.press('Look up again')).replies);
  expect(linesOf(same).join()).toMatch(/^Alert firing,.*Unchanged since /);
  expect(bot.posts()).toHaveLength(before + 1);
});

it('an edit of a message that became a job silences the job', async () => {
  const slow = Promise.withResolvers<string>();
  const nac = (address: string) => (address === DEVICE ? slow.promise : sessionXml({}));
  const settings = { OPS_PORT: await opsPort() };
  const bot = await startBot({ nac, settings, timing: { progressMs: 50, turnMs: 200 } });
  await bot.say('lookup 00:1B:54:00:00:01'); // The first call goes alone, until the password is accepted.
  const asked = await bot.say(`lookup ${DEVICE}`);
  const edited = await bot.edit('lookup AA:BB:CC:DD:EE:FF');
  expect(edited.replies.every(({ id }) => id === asked.replies[0]?.id)).toBe(true);
  slow.resolve(sessionXml({}));
  const found = 'nac_lookup_bot_lookup_duration_seconds_count{outcome="found"}';
  await until(async () => expect((await metricsOf(bot.app))[found]).toBe(3)); // The slow one, too.
  expect((await bot.say('status')).texts[0]).not.toContain('Lookups: ');
  expect(bot.posts().slice(1)).toEqual([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
  expect((await bot.say('recent')).texts[0]).not.toContain(DEVICE);
  const shown = shownIn(bot.replies).filter(({ id }) => id === asked.replies[0]?.id);
  expect(shown.map(textOf)).toEqual([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
});

it('an edit of a follow-up is answered in the place of its answer', async () => {
  const bot = await startBot();
  await bot.say('lookup 00:1B:54:00:00:01');
  const asked = await bot.say('and :03?');
  const { replies, texts } = await bot.edit('and :08?');
  expect(replies).toMatchObject([{ id: asked.replies[0]?.id, method: 'PUT' }]);
  expect(texts[0]).toContain('00:1B:54:00:00:08');
});
