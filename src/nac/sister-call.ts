import type { Judgement } from '../credentials/cooldown.ts';
import { endsWithin } from '../domain/timing.ts';
import { completeTest, rootElement } from '../domain/xml.ts';
import type { HttpOutcome, Upstream } from '../http.ts';
import type { Accounts, Asked } from './accounts.ts';
import { get } from './get.ts';
import type { NacPath } from './paths.ts';
import { createTries, type Success } from './tries.ts';

/**
 * Asks what an answer can do without.
 * @returns what was read; undefined if it did not come in time, or not at all
 */
export type SisterCall<T> = (path: NacPath, person: string, withinMs: number) => Promise<T | undefined>;

export type SisterOptions = {
  upstream: Upstream;
  accounts: Pick<Accounts, 'asker'>;
  /** The address to ask, which answered a session call; undefined: none did. */
  answeredBy(): URL | undefined;
  now: () => number;
};

/** How an answer of 200 is read. @param root the root element's name */
type Form<T> = { root: string; read(xml: string): T };

/**
 * A call beside the session call. Shares its accounts and its places, and no breaker: after three failures in a row, this
 * call is left alone for an hour.
 * @param onLeft told when the call is left alone
 */
export function createSisterCall<T>(
  { upstream, accounts, answeredBy, now }: SisterOptions,
  form: Form<T>,
  onLeft: () => void,
): SisterCall<T> {
  const ask = accounts.asker<Outcome<T>>(judge);
  const tries = createTries(now, onLeft);
  const readOutcome = createReader(form);

  return async (path, person, withinMs) => {
    const until = now() + withinMs;
    const asking = tries.attempt(
      () =>
        ask(path, person, async (authorization) => {
          const base = answeredBy();
          // Nobody waits for the answer any more.
          if (base === undefined || now() >= until) return { kind: 'not asked' };
          return readOutcome(await get(upstream, base, path, authorization));
        }),
      successOf,
    );
    const asked = (await endsWithin(asking, withinMs)) ? await asking : undefined;
    return asked?.kind === 'asked' && asked.outcome.kind === 'read' ? asked.outcome.value : undefined;
  };
}

type Outcome<T> =
  | { kind: 'read'; value: T }
  /** 401: the credentials are not accepted. */
  | { kind: 'refused' }
  /** Any other answer, or none. */
  | { kind: 'failed' }
  | { kind: 'not asked' };

/** A page can come with 200, so the root element is checked before anything is read. */
function createReader<T>({ root, read }: Form<T>): (wire: HttpOutcome) => Outcome<T> {
  const isComplete = completeTest(root);
  return (wire) => {
    if (wire.kind !== 'answered') return { kind: 'failed' };
    const { status, text } = wire;
    if (status === 401) return { kind: 'refused' };
    if (status !== 200 || rootElement(text) !== root || !isComplete(text)) return { kind: 'failed' };
    return { kind: 'read', value: read(text) };
  };
}

function judge({ kind }: Outcome<unknown>): Judgement {
  switch (kind) {
    case 'read':
      return 'accepted';
    case 'refused':
      return 'refused';
    case 'failed':
    case 'not asked':
      return 'unknown';
  }
}

function successOf(asked: Asked<Outcome<unknown>>): Success {
  if (asked.kind !== 'asked') return 'unknown';
  switch (asked.outcome.kind) {
    case 'read':
      return 'well';
    case 'failed':
      return 'failed';
    case 'refused':
      // A person's account is forgotten, and says nothing of the call.
      return asked.whose === 'service' ? 'failed' : 'unknown';
    case 'not asked':
      return 'unknown';
  }
}
