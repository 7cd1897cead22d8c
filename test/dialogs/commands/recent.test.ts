import { describe, expect, it } from 'vitest';
import { createRecent } from '../../../dialogs/commands/recent.ts';
import { createRecentLookups, type RecentLookup } from '../../../dialogs/lookup/told.ts';
import { buttonsOf, wordsOf } from '../cards.ts';
import { answered } from '../outcomes.ts';
import { answerTo } from '../talk.ts';
import { found, NONE } from './lookup-stage.ts';

const device = (number: number) => `00:1B:54:00:00:${`${number}`.padStart(2, '0')}`;
const [ONE, TWO] = [device(1), device(2)];
const placeOf = (id: string) => ({ reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id } } });
const CHAT = placeOf('chat');

describe('recent', () => {
  it('lists the last lookups, the newest first, each to be looked up again by a tap', async () => {
    const message = await answerTo([stage()], 'recent');
    expect(message.text).toBe(
      `Last lookups here:  \n\`${TWO}\`: no session, <20 s> ago  \n\`${ONE}\`: connected, \`alex\`, \`sw-floor2-17 Gi1/0/15\`, <10 s> ago`,
    );
    expect(wordsOf(message.card)[0]).toBe('Last lookups here');
    expect(message.summary).toMatch(/\n00:1B:54:00:00:01: connected, alex, sw-floor2-17 Gi1\/0\/15$/);
    expect(buttonsOf(message)).toEqual([
      { title: `${TWO}: no session`, data: { dialog: 'lookup', text: TWO } },
      { title: `${ONE}: connected`, data: { dialog: 'lookup', text: ONE } },
    ]);
  });

  it("shows a channel's lookups in its threads, and nothing in another conversation", async () => {
    const dialogs = [stage()];
    const sayIn = (id: string) => answerTo(dialogs, 'recent', { place: placeOf(id) });
    expect((await sayIn('chat;messageid=1234')).text).toMatch(/^Last lookups here:/);
    const text = 'No lookups here yet, as far as I remember. Send me a MAC address to begin.';
    expect(await sayIn('elsewhere')).toEqual({ text });
  });
});

describe('recent lookups', () => {
  it('hold each device once, the newest first, with its last verdict', () => {
    const recent = createRecentLookups();
    recent.note(CHAT, [answered(NONE, ONE)], 0);
    recent.note(CHAT, [answered(found(), TWO)], 0);
    const before = recent.of('chat');
    recent.note(CHAT, [answered(found(), ONE)], 0);
    const said = ({ address, verdict }: RecentLookup) => `${address} ${verdict}`;
    expect(recent.of('chat').map(said)).toEqual([`${ONE} connected`, `${TWO} connected`]);
    expect(before.map(said)).toEqual([`${TWO} connected`, `${ONE} no session`]);
  });

  it('are twenty of a conversation and a thousand conversations at most; the least used are forgotten', () => {
    const recent = createRecentLookups();
    for (let index = 0; index < 1000; index++)
      recent.note(placeOf(`chat ${index}`), [answered(NONE, ONE)], 0);
    for (let index = 10; index < 31; index++)
      recent.note(placeOf('chat 0'), [answered(NONE, device(index))], 0);
    recent.note(placeOf('chat 1000'), [answered(NONE, ONE)], 0);
    const newest = Array.from({ length: 20 }, (_, index) => device(30 - index));
    expect(recent.of('chat 0').map(({ address }) => address)).toEqual(newest);
    expect(recent.of('chat 1')).toEqual([]);
    expect(recent.of('chat 2')).toHaveLength(1);
  });
});

function stage() {
  const recent = createRecentLookups();
  recent.note(CHAT, [answered(found(), ONE)], 10_000);
  recent.note(CHAT, [answered(NONE, TWO)], 20_000);
  return createRecent({ recent });
}
