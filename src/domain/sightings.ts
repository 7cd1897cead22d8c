/** The last questions that found no session, the oldest first. One found session empties it. */
export type Sightings = readonly Question[];

/** `key`: the same for all that belongs to one question, or to one alert. `at`: milliseconds since 1970. */
type Question = { key: string; asker: string; at: number };

const QUESTIONS = 8;
const ASKERS = 3;
const WITHIN_MS = 3_600_000;

/** Notes a question that found no session at all. */
export function noteNone(sightings: Sightings, question: Question): Sightings {
  const others = sightings.filter(({ key }) => key !== question.key);
  return [...others, question].slice(-QUESTIONS);
}

/**
 * Whether the NAC seems to see nobody: eight questions of three askers within the last hour found no session. The likeliest
 * reason is a monitoring node that gets no logs; eight devices that are all away are less likely.
 */
export function seesNobody(sightings: Sightings, now: number): boolean {
  const askers = new Set(sightings.map(({ asker }) => asker));
  return (
    sightings.length === QUESTIONS &&
    askers.size >= ASKERS &&
    sightings.every(({ at }) => now - at <= WITHIN_MS)
  );
}
