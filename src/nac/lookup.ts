import type { Judgement, Resting } from '../credentials/cooldown.ts';
import type { DeviceAddress } from '../domain/device-address.ts';
import type { Accounts, Disconnected, Whose } from './accounts.ts';
import type { SessionCall } from './session-call.ts';
import type { SessionOutcome } from './session-outcome.ts';
import type { Busy } from './shared-calls.ts';

/** What a person learns about one device. */
export type LookupOutcome =
  | Exclude<SessionOutcome, Answered | { kind: 'refused' | 'forbidden' }>
  | (Answered & OwnAccount)
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

/** What the NAC answers to an account that it accepts. */
type Answered = Extract<SessionOutcome, { kind: 'found' | 'no session' | 'fault' | 'unusable' }>;

/** Whose account was used if it was not simply the bot's; see {@link Whose}. */
type OwnAccount = { account?: Exclude<Whose, 'service'> };

/** Looks one device up for a person, with the person's own credentials if there are any. */
export type Lookup = (address: DeviceAddress, person: string) => Promise<LookupOutcome>;

export function createLookups(call: SessionCall, accounts: Pick<Accounts, 'asker' | 'restsUntil'>): Lookup {
  const ask = accounts.asker(judge);
  return async (address, person) => {
    const asked = await ask(address, person, (authorization) => call(address, authorization, person));
    switch (asked.kind) {
      case 'asked':
        return outcomeFor(asked.whose, asked.outcome, accounts);
      case 'forgotten':
        return { kind: 'refused', whose: 'person' };
      case 'disconnected':
      case 'resting':
      case 'busy':
        return asked;
    }
  };
}

function outcomeFor(
  whose: Whose,
  outcome: SessionOutcome,
  { restsUntil }: Pick<Accounts, 'restsUntil'>,
): LookupOutcome {
  switch (outcome.kind) {
    case 'found':
    case 'no session':
    case 'fault':
    case 'unusable':
      return whose === 'service' ? outcome : { ...outcome, account: whose };
    case 'forbidden':
      return { kind: 'forbidden', whose: whose === 'person' ? whose : 'service' };
    case 'refused':
      return whose === 'person'
        ? { kind: 'refused', whose }
        : { kind: 'refused', whose: 'service', restsUntil: restsUntil() };
    case 'timed out':
    case 'untrusted':
    case 'unreachable':
    case 'paused':
      return outcome;
  }
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
