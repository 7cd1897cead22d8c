import { createRest, type Judgement, type Resting } from '../credentials/rest.ts';
import type { Vault } from '../credentials/vault.ts';
import type { MacAddress } from '../mac-address.ts';
import { createGuard } from './guard.ts';
import type { SessionCall } from './session-call.ts';
import type { SessionOutcome } from './session-outcome.ts';

/** What a person learns of one device. */
export type LookupOutcome =
  | Exclude<SessionOutcome, { kind: 'refused' }>
  /** The NAC refused the credentials: the bot's own, which rest now, or the person's, which were forgotten. */
  | { kind: 'refused'; whose: 'service'; restsUntil: number | undefined }
  | { kind: 'refused'; whose: 'person' }
  /** Not asked, since the bot's own credentials rest after a refusal. */
  | Resting;

/** Looks one device up for a person, under that person's own credentials where there are any. */
export type Lookup = (address: MacAddress, person: string) => Promise<LookupOutcome>;

export type LookupOptions = { call: SessionCall; vault: Vault; concurrency: number; now: () => number };

/** The NAC behind its guard, and until when the service account rests. */
export function createLookups({ call, vault, concurrency, now }: LookupOptions): {
  lookUp: Lookup;
  restsUntil(): number | undefined;
} {
  const guard = createGuard<SessionOutcome | Resting>({ concurrency });
  const rest = createRest(now);

  async function lookUpAsPerson(address: MacAddress, person: string): Promise<LookupOutcome | undefined> {
    const own = await vault.basic({ kind: 'person', id: person });
    if (own.kind !== 'held') return undefined;
    const outcome = await guard(`${address} ${person}`, person, () => call(address, own.credential));
    if (outcome.kind !== 'refused') return outcome;
    await vault.dropRefused(person, own.since);
    return { kind: 'refused', whose: 'person' };
  }

  async function lookUpAsService(address: MacAddress, person: string): Promise<LookupOutcome> {
    // The rest is asked when the turn has come, so that calls which wait do not follow one that was refused.
    const outcome = await guard(address, person, async () => {
      const basic = await vault.basic({ kind: 'service' });
      if (basic.kind !== 'held') throw new TypeError('the service account always has its credentials');
      return rest.guard(basic.credential, () => call(address, basic.credential), judge);
    });
    return outcome.kind === 'refused'
      ? { kind: 'refused', whose: 'service', restsUntil: rest.until() }
      : outcome;
  }

  return {
    lookUp: async (address, person) =>
      (await lookUpAsPerson(address, person)) ?? (await lookUpAsService(address, person)),
    restsUntil: rest.until,
  };
}

function judge({ kind }: SessionOutcome): Judgement {
  switch (kind) {
    case 'refused':
      return 'refused';
    case 'found':
    case 'no session':
    case 'forbidden':
      return 'accepted';
    case 'fault':
    case 'unusable':
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
      return 'unknown';
  }
}
