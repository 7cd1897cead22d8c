import { describe, expect, it } from 'vitest';
import { createRecent } from '../../../dialogs/commands/recent.ts';
import { line } from '../../../dialogs/format/words.ts';
import { createRecentLookups, type RecentLookup } from '../../../dialogs/lookup/told.ts';
import { buttonsOf, wordsOf } from '../cards.ts';
import { answerTo } from '../talk.ts';

describe('recent', () => {
  it('lists the last lookups, the newest first, each to be looked up again by a tap', async () => {
    const message = await answerTo([stage()], 'recent');
    const [first, second] = ['00:1B:54:00:00:02', '00:1B:54:00:00:01'];
    expect(message.text).toBe(
      `Last lookups here:  \n\`${first}\`: rejected, <20 s> ago  \n\`${second}\`: connected, \`alex\`, \`sw-1 Gi1/0/1\`, <10 s> ago`,
    );
    expect(wordsOf(message.card)[0]).toBe('Last lookups here');
    expect(message.summary).toMatch(/\n00:1B:54:00:00:01: connected, alex, sw-1 Gi1\/0\/1$/);
    expect(buttonsOf(message)).toEqual([
      { title: `${first}: rejected`, data: { dialog: 'lookup', text: first } },
      { title: `${second}: connected`, data: { dialog: 'lookup', text: second } },
    ]);
  });

  it("shows a channel's lookups in its threads, and nothing in another conversation", async () => {
    const dialogs = [stage()];
    const sayIn = (id: string) => {
      const place = { reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id } } };
      return answerTo(dialogs, 'recent', { place });
    };
    expect((await sayIn('chat;messageid=1234')).text).toMatch(/^Last lookups here:/);
    const text = 'No lookups here yet, as far as I remember. Send me a MAC address to begin.';
    expect(await sayIn('elsewhere')).toEqual({ text });
  });
});

describe('recent lookups', () => {
  it('hold each device once, the newest first, with its last verdict', () => {
    const recent = createRecentLookups();
    recent.note('chat', lookup('one', 'rejected'));
    recent.note('chat', lookup('two'));
    const before = recent.of('chat');
    recent.note('chat', lookup('one', 'connected'));
    expect(recent.of('chat')).toEqual([lookup('one', 'connected'), lookup('two')]);
    expect(before).toEqual([lookup('two'), lookup('one', 'rejected')]);
  });

  it('are twenty of a conversation and a thousand conversations at most; the least used are forgotten', () => {
    const recent = createRecentLookups();
    for (let index = 0; index < 1000; index++) recent.note(`chat ${index}`, lookup('one'));
    for (let index = 0; index < 21; index++) recent.note('chat 0', lookup(`device ${index}`));
    recent.note('chat 1000', lookup('one'));
    const newest = Array.from({ length: 20 }, (_, index) => `device ${20 - index}`);
    expect(recent.of('chat 0').map(({ address }) => address)).toEqual(newest);
    expect(recent.of('chat 1')).toEqual([]);
    expect(recent.of('chat 2')).toHaveLength(1);
  });
});

function lookup(address: string, verdict = 'connected'): RecentLookup {
  return { asked: address, address, verdict, detail: [], at: 0 };
}

function stage() {
  const recent = createRecentLookups();
  const detail = line`${'alex'}, ${'sw-1 Gi1/0/1'}`;
  recent.note('chat', { ...lookup('00:1B:54:00:00:01'), detail, at: 10_000 });
  recent.note('chat', { ...lookup('00:1B:54:00:00:02', 'rejected'), at: 20_000 });
  return createRecent({ recent });
}
