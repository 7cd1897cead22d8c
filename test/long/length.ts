/** How long the long tests may take together (seconds). CI gives them two minutes, and they do less of each. */
const SECONDS = Number(process.env.LONG_SECONDS ?? 1800);

/** Whether there is time for all sizes and repetitions. */
export const isFull = SECONDS > 600;

/** The part of the time that random inputs get (milliseconds). */
export const RANDOM_MS = SECONDS * 200;
