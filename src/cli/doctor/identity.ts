import { systemClock } from '../../app/clock.ts';
import {
  authorityOf,
  createAppTokens,
  type Identity,
  type TokenOutcome,
} from '../../teams/authentication/app-tokens.ts';
import {
  BOT_FRAMEWORK_METADATA,
  fetchSigningKeys,
  KeysUnavailableError,
} from '../../teams/authentication/signing-keys.ts';
import { sayTokenFault } from '../../teams/authentication/token-fault.ts';
import type { Examination } from './examination.ts';
import { type Diagnosis, type Finding, fails, works } from './finding.ts';
import { sayNoAnswer } from './no-answer.ts';
import type { Watched } from './watch.ts';

/** Gets one token for replies, and drops it. Returns no row while authentication is off. */
export async function examineAuthority({ settings, upstreams }: Examination): Promise<Finding[]> {
  const { identity } = settings;
  if (identity === undefined) return [];
  return [{ system: 'token authority', ...(await issueOnce(identity, upstreams.authority)) }];
}

async function issueOnce(identity: Identity, upstream: Watched): Promise<Diagnosis> {
  const outcomes: TokenOutcome[] = [];
  const tokens = createAppTokens(identity, upstream, systemClock.now, (outcome) => outcomes.push(outcome));
  await tokens.get().catch(() => {}); // The outcome tells more than the error.
  const [outcome = { kind: 'failed' }] = outcomes;
  if (outcome.kind === 'issued') {
    const isManaged = identity.type === 'UserAssignedMSI';
    return works(`${isManaged ? 'this machine' : authorityOf(identity).host} issues tokens for replies`);
  }
  const last = upstream.last();
  const address = identity.loginUrl && 'ToChannelFromBotLoginUrl';
  return last && last.outcome.kind !== 'answered'
    ? sayNoAnswer(last.outcome, { origin: last.origin, address, tls: undefined })
    : fails(`no token: ${sayTokenFault(outcome)}`);
}

/** Fetches the keys that sign the channel's tokens. Returns no row while authentication is off. */
export async function examineKeys({ settings, upstreams }: Examination): Promise<Finding[]> {
  const { identity } = settings;
  if (identity === undefined) return [];
  return [{ system: 'signing keys', ...(await fetchOnce(identity.openIdMetadata, upstreams.keys)) }];
}

async function fetchOnce(metadata: URL | undefined, upstream: Watched): Promise<Diagnosis> {
  const address = metadata && 'BotOpenIdMetadata';
  const check = `check ${address ?? 'the way out (HTTPS_PROXY)'}; without keys, no message is accepted`;
  try {
    const { size } = await fetchSigningKeys({ upstream, metadata });
    const { host } = metadata ?? BOT_FRAMEWORK_METADATA;
    return size > 0
      ? works(`${host} publishes ${size} that can be used`)
      : fails(`${host} publishes no key that can be used`, check);
  } catch (error) {
    if (!(error instanceof KeysUnavailableError)) throw error;
    const last = upstream.last();
    if (last && last.outcome.kind !== 'answered')
      return sayNoAnswer(last.outcome, { origin: last.origin, address, tls: undefined });
    return fails(`the keys cannot be fetched (${error.message})`, check);
  }
}
