import { describe, expect, it } from 'vitest';
import { admitNew, type Storm, writeLine } from '../../src/domain/incident.ts';

function afterTen(at = 0): Storm {
  let storm: Storm | undefined;
  for (let count = 0; count < 10; count++) storm = admitNew(storm, at).storm;
  return storm ?? { said: [] };
}

const line = (incident: string, words = incident) => ({ incident, words });

describe('a thread', () => {
  it('has ten messages of its own in 30 s, and then a digest', () => {
    expect(admitNew(afterTen(), 29_999).isInDigest).toBe(true);
    expect(admitNew(afterTen(), 30_000).isInDigest).toBe(false);
  });

  it('has messages of its own when the clock was set back by more than 30 s', () => {
    expect(admitNew(afterTen(60_000), 0).isInDigest).toBe(false);
  });
});

describe('a digest', () => {
  it('has one line for each incident, which changes with it', () => {
    const storm = [line('a'), line('b'), line('a', 'resolved')].reduce<Storm | undefined>(
      (known, each) => writeLine(known, each, 0),
      afterTen(),
    );
    expect(storm?.digest?.lines).toEqual([line('a', 'resolved'), line('b')]);
    expect(storm?.said).toHaveLength(10);
  });

  it('counts incidents that have no line', () => {
    let storm: Storm | undefined;
    for (let count = 0; count < 62; count++) storm = writeLine(storm, line(`${count}`), 0);
    expect(storm?.digest).toMatchObject({ lines: { length: 60 }, more: 2 });
  });

  it('is another one ten minutes later', () => {
    const first = writeLine(undefined, line('a'), 0);
    expect(writeLine(first, line('b'), 10 * 60_000).digest?.lines).toEqual([line('b')]);
  });
});
