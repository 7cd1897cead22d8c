import type { Judgement } from '../domain/lockout.ts';
import type { Lookup, LookupOutcome, Paused, SessionOutcome, Whose } from '../domain/outcome.ts';
import type { Accounts } from './accounts.ts';
import type { SessionCall } from './session-call.ts';

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
  outcome: SessionOutcome | Paused,
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
    case 'no answer':
    case 'paused':
      return outcome;
  }
}

function judge({ kind }: SessionOutcome | Paused): Judgement {
  if (kind === 'refused') return 'refused';
  return kind === 'found' || kind === 'no session' || kind === 'forbidden' ? 'accepted' : 'unknown';
}
