import { expect, it } from 'vitest';
import { createRecentLookups } from '../../../dialogs/lookup/device-lookups.ts';
import type { RecentLookup } from '../../../dialogs/render/device.ts';
import { sessionXml } from '../../../src/sandbox/session-xml.ts';
import { inThread, linesOf, only, TEXT } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { buttonsOf } from '../cards.ts';
import { answered, found, NONE } from '../outcomes.ts';

const device = (number: number) => `00:1B:54:00:00:${`${number}`.padStart(2, '0')}`;
const [ONE, TWO] = [device(1), device(2)];

it('recent lists the last lookups, the newest first, each with a button', async () => {
  const bot = await startBot({ nac: { [ONE]: sessionXml({}) } });
  await bot.say(ONE);
  await bot.clock.skip(60_000);
  await bot.say(TWO);
  await bot.clock.skip(60_000);
  const recent = only((await bot.say('recent')).replies);
  const first = `${ONE}: connected, alex, sw-floor2-17 Gi1/0/15`;
  expect(recent.activity.summary).toBe(`Last lookups here:\n${TWO}: no session\n${first}`);
  expect(linesOf(recent)[0]).toBe('Last lookups here');
  expect(buttonsOf(recent)).toEqual([
    { title: `${TWO}: no session`, data: { dialog: 'lookup', text: TWO } },
    { title: `${ONE}: connected`, data: { dialog: 'lookup', text: ONE } },
  ]);
  expect(await bot.ask('recent', TEXT)).toBe(
    `Last lookups here:\n\n\`${TWO}\`: no session, 1 minute ago\n\n\`${ONE}\`: connected, \`alex\`, \`sw-floor2-17 Gi1/0/15\`, 2 minutes ago`,
  );
});

it("recent shows a channel's lookups in its threads, and nowhere else", async () => {
  const bot = await startBot();
  await bot.say(ONE, inThread('19:noc;messageid=1'));
  expect(await bot.ask('recent', inThread('19:noc;messageid=2'))).toMatch(/^Last lookups here/);
  expect(await bot.ask('recent')).toContain('No lookups here yet, as far as I remember. Send me ');
});

const placeOf = (id: string) => ({ reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id } } });

it('recent lookups hold each device once, with its last verdict', () => {
  const recent = createRecentLookups(Date.now);
  recent.note(placeOf('chat'), [answered(NONE, ONE)], 0);
  recent.note(placeOf('chat'), [answered(found(), TWO)], 0);
  const before = recent.of('chat');
  recent.note(placeOf('chat'), [answered(found(), ONE)], 0);
  const said = ({ address, verdict }: RecentLookup) => `${address} ${verdict}`;
  expect(recent.of('chat').map(said)).toEqual([`${ONE} connected`, `${TWO} connected`]);
  expect(before.map(said)).toEqual([`${TWO} connected`, `${ONE} no session`]);
});

it('recent lookups are twenty each, in a thousand conversations', () => {
  const recent = createRecentLookups(Date.now);
  for (let index = 0; index < 1000; index++) recent.note(placeOf(`chat ${index}`), [answered(NONE, ONE)], 0);
  for (let index = 10; index < 31; index++)
    recent.note(placeOf('chat 0'), [answered(NONE, device(index))], 0);
  recent.note(placeOf('chat 1000'), [answered(NONE, ONE)], 0);
  const newest = Array.from({ length: 20 }, (_, index) => device(30 - index));
  expect(recent.of('chat 0').map(({ address }) => address)).toEqual(newest);
  expect(recent.of('chat 1')).toEqual([]);
  expect(recent.of('chat 2')).toHaveLength(1);
});
