import { endsWithin } from '../../http/within.ts';

/** Teams shows for about five seconds that the bot is typing. */
const AGAIN_AFTER_MS = 4000;

/** An answer that comes at once needs no sign of it. */
const FIRST_AFTER_MS = 500;

/** How long an answer waits for a sign under way, which must not come after it. */
const OVERTAKE_MS = 1000;

/**
 * Shows that the bot is typing, from half a second on and again before the sign goes out.
 * @param show shows the sign once; its faults are for `onError`, since nothing depends on it
 * @returns ends it; when that is done, no sign comes any more
 */
export function startTyping(
  show: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let showing: Promise<unknown> | undefined;
  let timer = setTimeout(showNow, FIRST_AFTER_MS);

  function showNow(): void {
    showing = show().catch(onError);
    timer = setTimeout(showNow, AGAIN_AFTER_MS);
  }

  return async () => {
    clearTimeout(timer);
    if (showing) await endsWithin(showing, OVERTAKE_MS);
  };
}
