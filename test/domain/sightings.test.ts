import { expect, it } from 'vitest';
import { noteNone, type Sightings, seesNobody } from '../../src/domain/sightings.ts';

const MINUTE = 60_000;

/** Questions, one a minute, each by an asker; an equal key is the same question. */
function ask(askers: string, keys = 'abcdefghi'): Sightings {
  return [...askers].reduce<Sightings>(
    (sightings, asker, index) => noteNone(sightings, { asker, key: keys.charAt(index), at: index * MINUTE }),
    [],
  );
}

it.each<[what: string, sightings: Sightings, atMinute: number, isNobody: boolean]>([
  ['eight questions of three', ask('ABCAAAAA'), 8, true],
  ['nine questions of three', ask('CABABABAC'), 9, true],
  ['seven questions', ask('ABCABCA'), 8, false],
  ['eight questions of two', ask('ABABABAB'), 8, false],
  ['three of whom one asked before the last eight', ask('CABABABAB'), 9, false],
  ['an hour', ask('ABCABCAB'), 60, true],
  ['more than an hour', ask('ABCABCAB'), 61, false],
  ['an alert of many devices', ask('ABCABCABC', 'aaaaaaabc'), 9, false],
])('%s: %s', (_, sightings, atMinute, isNobody) =>
  expect(seesNobody(sightings, atMinute * MINUTE)).toBe(isNobody),
);
