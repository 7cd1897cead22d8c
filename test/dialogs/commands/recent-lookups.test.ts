import { describe, expect, it } from 'vitest';
import { createRecentLookups, type RecentLookup } from '../../../dialogs/commands/recent.ts';

describe('recent lookups', () => {
  it('are none at first', () => {
    expect(createRecentLookups().of('chat')).toEqual([]);
  });

  it('come with the newest first', () => {
    const recent = createRecentLookups();
    for (const address of ['one', 'two', 'three']) recent.note('chat', lookup(address));
    expect(addressesOf(recent.of('chat'))).toEqual(['three', 'two', 'one']);
  });

  it('hold each device once, with what came of it last', () => {
    const recent = createRecentLookups();
    recent.note('chat', lookup('one', 'rejected'));
    recent.note('chat', lookup('two'));
    recent.note('chat', lookup('one', 'connected'));
    expect(recent.of('chat')).toEqual([lookup('one', 'connected'), lookup('two')]);
  });

  it('are those of the conversation', () => {
    const recent = createRecentLookups();
    recent.note('chat', lookup('one'));
    recent.note('channel', lookup('two'));
    expect(addressesOf(recent.of('chat'))).toEqual(['one']);
    expect(addressesOf(recent.of('channel'))).toEqual(['two']);
  });

  it('are ten at most, and then the oldest is forgotten', () => {
    const recent = createRecentLookups();
    for (let index = 0; index < 11; index++) recent.note('chat', lookup(`device ${index}`));
    expect(addressesOf(recent.of('chat'))).toEqual(
      Array.from({ length: 10 }, (_, index) => `device ${10 - index}`),
    );
  });

  it('are of a thousand conversations at most, and then the one in which none was for longest is forgotten', () => {
    const recent = createRecentLookups();
    for (let index = 0; index < 1000; index++) recent.note(`chat ${index}`, lookup('one'));
    recent.note('chat 0', lookup('two'));
    recent.note('chat 1000', lookup('one'));
    expect(addressesOf(recent.of('chat 0'))).toEqual(['two', 'one']);
    expect(recent.of('chat 1')).toEqual([]);
    expect(recent.of('chat 2')).toHaveLength(1);
    expect(recent.of('chat 1000')).toHaveLength(1);
  });

  it('that were handed out do not change', () => {
    const recent = createRecentLookups();
    recent.note('chat', lookup('one'));
    const before = recent.of('chat');
    recent.note('chat', lookup('two'));
    expect(addressesOf(before)).toEqual(['one']);
  });
});

function lookup(address: string, verdict = 'connected'): RecentLookup {
  return { address, verdict, at: 0 };
}

function addressesOf(lookups: readonly RecentLookup[]): string[] {
  return lookups.map(({ address }) => address);
}
