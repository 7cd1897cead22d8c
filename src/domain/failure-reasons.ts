import { codeOf } from './causes.ts';
import { readItems } from './xml.ts';

/** What the NAC's catalogue says of one failure code. Texts are foreign. */
export type FailureReason = {
  /** Digits alone. */
  code: string;
  words?: string | undefined;
  cause?: string | undefined;
  resolution?: string | undefined;
};

/** The catalogue, by code. */
export type FailureReasons = ReadonlyMap<string, FailureReason>;

/** Ten times what a real catalogue holds. */
const MOST_REASONS = 20_000;

/**
 * Reads a `<failureReasonList>`: the first entry of each code, without entries that explain nothing; element names are
 * Cisco ISE's (FailureReasons of its monitoring API). An entry's `code` holds its code and words, or words; its code also
 * stands in the attribute `id`.
 */
export function readFailureReasons(xml: string): FailureReasons {
  const reasons = new Map<string, FailureReason>();
  for (const { attributes, texts } of readItems(xml, 'failureReason', MOST_REASONS)) {
    const text = texts.get('code');
    const id = /(?:^|\s)id\s*=\s*["'](\d{1,6})["']/.exec(attributes)?.[1];
    const code = codeOf(text) ?? id;
    const words = text?.replace(/^\d+\s*/, '') || undefined;
    const [cause, resolution] = [texts.get('cause'), texts.get('resolution')];
    if (code !== undefined && (words ?? cause ?? resolution) !== undefined && !reasons.has(code))
      reasons.set(code, { code, words, cause, resolution });
  }
  return reasons;
}
