import { createRest, type Judgement, type Resting } from '../credentials/cooldown.ts';
import type { Vault } from '../credentials/vault.ts';
import type { DeviceAddress } from '../device-address.ts';
import type { SessionCall } from './session-call.ts';
import type { SessionOutcome } from './session-outcome.ts';
import { type Busy, createGuard, type Guard } from './shared-calls.ts';

/** What a person learns about one device. */
export type LookupOutcome =
  | Exclude<SessionOutcome, { kind: 'refused' | 'forbidden' }>
  /** The account, the bot's or the person's own, may not read sessions. */
  | { kind: 'forbidden'; whose: 'service' | 'person' }
  /** The NAC refused the credentials: the bot's own, which rest now, or the person's, which were forgotten. */
  | { kind: 'refused'; whose: 'service'; restsUntil: number | undefined }
  | { kind: 'refused'; whose: 'person' }
  /** The NAC was not asked, because the person disconnected while the lookup waited. */
  | Disconnected
  /** The NAC was not asked, because the bot's own credentials rest after a refusal. */
  | Resting
  /** The NAC was not asked, because too many lookups wait already. */
  | Busy;

type Disconnected = { kind: 'disconnected' };

/** Looks one device up for a person, with the person's own credentials if there are any. */
export type Lookup = (address: DeviceAddress, person: string) => Promise<LookupOutcome>;

export type LookupOptions = { call: SessionCall; vault: Vault; concurrency: number; now: () => number };

/** Creates lookups that go through the guard. `restsUntil` returns until when the service account rests. */
export function createLookups({ call, vault, concurrency, now }: LookupOptions): {
  lookUp: Lookup;
  restsUntil(): Promise<number | undefined>;
  counts: Guard<unknown>['counts'];
} {
  const guard = createGuard<SessionOutcome | Resting | Disconnected>({ concurrency });
  const rest = createRest(now);

  async function lookUpAsPerson(address: DeviceAddress, person: string): Promise<LookupOutcome | undefined> {
    const owner = { kind: 'person', id: person } as const;
    const own = await vault.basic(owner);
    if (own.kind !== 'held') return undefined;
    // The account is read again in its turn: it may have been refused, and forgotten, while this lookup waited.
    const outcome = await guard.run(`${address} ${person} ${own.since}`, person, async () => {
      const present = await vault.basic(owner);
      if (present.kind !== 'held') return { kind: present.refused ? 'refused' : 'disconnected' };
      const answer = await call(address, present.credential);
      if (answer.kind === 'refused') await vault.dropRefused(person, present.since);
      return answer;
    });
    return outcome.kind === 'refused' || outcome.kind === 'forbidden'
      ? { kind: outcome.kind, whose: 'person' }
      : outcome;
  }

  async function lookUpAsService(address: DeviceAddress, person: string): Promise<LookupOutcome> {
    // The rest is checked in the lookup's turn, because a call that waited must not follow a refused call.
    const outcome = await guard.run(address, person, async () => {
      const basic = await vault.basic({ kind: 'service' });
      if (basic.kind !== 'held') throw new TypeError('the service account always has its credentials');
      return rest.guard(basic.credential, () => call(address, basic.credential), judge);
    });
    if (outcome.kind === 'forbidden') return { kind: 'forbidden', whose: 'service' };
    if (outcome.kind === 'refused')
      return { kind: 'refused', whose: 'service', restsUntil: await restsUntil() };
    return outcome;
  }

  async function restsUntil(): Promise<number | undefined> {
    const basic = await vault.basic({ kind: 'service' });
    return basic.kind === 'held' ? rest.until(basic.credential) : undefined;
  }

  return {
    lookUp: async (address, person) =>
      (await lookUpAsPerson(address, person)) ?? (await lookUpAsService(address, person)),
    restsUntil,
    counts: guard.counts,
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
    case 'paused':
      return 'unknown';
  }
}
