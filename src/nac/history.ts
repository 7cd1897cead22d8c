import type { MacAddress, MacForm } from '../domain/mac-address.ts';
import { type Attempt, readAttempts } from '../domain/record.ts';
import type { Secret } from '../domain/secret.ts';
import { completeTest, rootElement } from '../domain/xml.ts';
import type { Upstream } from '../http.ts';
import { attemptsPath, get } from './get.ts';
import { createOptionalCall, type OptionalCallOptions } from './optional-call.ts';

/** The longest that a call for attempts may take (milliseconds). */
export const HISTORY_MS = 2500;

/**
 * Asks the NAC for a device's last attempts within 24 hours, at most ten, newest first.
 * @returns undefined if they did not come in time, or not at all
 */
export type History = (
  address: MacAddress,
  person: string,
  withinMs: number,
) => Promise<readonly Attempt[] | undefined>;

type HistoryOptions = OptionalCallOptions & {
  upstream: Upstream;
  macForm: MacForm;
  /** The address to ask, which answered a session call; undefined: none did. */
  answeredBy(): URL | undefined;
};

export function createHistory({ upstream, macForm, answeredBy, ...options }: HistoryOptions): History {
  const ask = createOptionalCall(options, read);
  return (address, person, withinMs) => {
    const path = attemptsPath(address, macForm);
    const call = async (authorization: Secret) => {
      const base = answeredBy();
      return base && get(upstream, base, path, authorization);
    };
    return ask({ key: path, person, call }, withinMs);
  };
}

const ROOT = 'authStatusOutputList';
const isComplete = completeTest(ROOT);

/** A page can come with 200, so the root element is checked before anything is read. */
function read(body: string): readonly Attempt[] | undefined {
  return rootElement(body) === ROOT && isComplete(body) ? readAttempts(body) : undefined;
}
