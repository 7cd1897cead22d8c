import type { Claimed } from '../../../src/server/activity-request.ts';
import { createTokenCheck } from '../../../src/teams/authentication/channel-token.ts';
import { createSigningKeys } from '../../../src/teams/authentication/signing-keys.ts';
import { openUpstream } from '../../serve.ts';

type Verdict = { kind: 'accepted' } | { kind: 'refused'; reason: string };

/** Both steps of the check as one: what a token says by itself, and then what it says of an activity. */
export function openJudge(
  metadataUrl: string,
  appId: string,
): (header: string | undefined, claimed: Claimed) => Promise<Verdict> {
  const check = createTokenCheck({
    keys: createSigningKeys({
      upstream: openUpstream(),
      metadata: new URL(metadataUrl),
      now: Date.now,
      onFault: () => {},
    }),
    appId,
    now: Date.now,
  });
  return async (header, claimed) => {
    const verdict = await check(header);
    if (verdict.kind === 'refused') return verdict;
    if (verdict.kind === 'keys unavailable') throw verdict.error;
    const reason = verdict.findFault(claimed);
    return reason === undefined ? { kind: 'accepted' } : { kind: 'refused', reason };
  };
}
