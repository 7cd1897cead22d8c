import { expect, it } from 'vitest';
import { shownIn, textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { linesOf, only } from '../replies.ts';
import { metricsOf, opsPort } from '../serve.ts';
import { FAST, startBot } from '../start-bot.ts';
import { NOC, nameChannel, CHANNEL as THREAD } from './alertmanager.ts';

const DEVICE = '00:1B:54:00:00:31';
const AT = 'connected, sw-floor2-17 Gi1/0/15';

it('"Look up again" on an alert keeps its head, and posts the change', async () => {
  let profile = 'First_Access';
  const bot = await startBot({
    ...FAST,
    nac: () => sessionXml({ selected_azn_profiles: profile, other: {} }),
  });
  await nameChannel(bot);
  await bot.alert(`port down ${DEVICE}`, NOC);
  await bot.replied(1);
  const before = bot.posts().length;
  profile = 'Other_Access';
  const other = only((await bot.press('Look up again')).replies);
  expect(other).toMatchObject({ method: 'PUT', id: bot.replies[0]?.id, conversationId: THREAD });
  expect(linesOf(other).slice(0, 2)).toEqual(['Alert firing', `port down ${DEVICE}`]);
  expect(linesOf(other).join()).toMatch(/Changed since .*: other tokens\./);
  expect(bot.posts().slice(before)).toEqual([`${DEVICE} ${AT}\nOther_Access`]);
  const same = only((await bot.press('Look up again')).replies);
  expect(linesOf(same).join()).toMatch(/^Alert firing,.*Unchanged since /);
  expect(bot.posts()).toHaveLength(before + 1);
});

it('an edit of a message that became a job silences the job', async () => {
  // The slow device answers long after its turn, so that the edit comes first on a busy machine, too.
  const timing = { ...FAST.timing, turnMs: 800 };
  const bot = await startBot({ ...FAST, timing, settings: { OPS_PORT: await opsPort() } });
  await bot.say('lookup 00:1B:54:00:00:01'); // The first call goes alone, until the password is accepted.
  const asked = await bot.say('lookup 00:1B:54:00:00:07');
  const edited = await bot.edit('lookup AA:BB:CC:DD:EE:FF');
  expect(edited.replies.every(({ id }) => id === asked.replies[0]?.id)).toBe(true);
  const found = 'nac_lookup_bot_lookup_duration_seconds_count{outcome="found"}';
  await expect.poll(async () => (await metricsOf(bot.app))[found], { timeout: 20_000 }).toBe(3); // The slow one, too.
  expect(bot.posts().slice(1)).toMatchObject([expect.stringContaining('AA:BB:CC:DD:EE:FF')]);
  expect((await bot.say('recent')).texts[0]).not.toContain('00:1B:54:00:00:07');
  expect((await bot.say('status')).texts[0]).not.toContain('Lookups: ');
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
