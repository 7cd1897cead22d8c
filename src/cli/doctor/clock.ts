import type { Examination } from './examination.ts';
import { type Diagnosis, type Finding, fails, skipped, warning, works } from './finding.ts';

/** From here on tokens are refused; below, nothing yet. */
const TOO_FAR_MS = 60_000;
const FAR_MS = 5000;

/** Whose time counts, the first that said it: the systems that judge tokens by their own clocks come first. */
const CLOCKS = [
  ['authority', 'the token authority'],
  ['keys', 'the signing keys'],
  ['nac', 'the NAC'],
  ['authorize', 'the authorization service'],
  ['ticket', 'the ticket service'],
  ['webhook', 'the webhook'],
] as const;

/** Compares this machine's clock with the `Date` of an answer that the checks before have got. */
export function examineClock({ upstreams }: Pick<Examination, 'upstreams'>): Finding[] {
  for (const [upstream, whose] of CLOCKS) {
    const aheadMs = upstreams[upstream].aheadMs();
    if (aheadMs !== undefined) return [{ system: 'clock', ...compare(aheadMs, whose) }];
  }
  return [{ system: 'clock', ...skipped('no system answered with its time') }];
}

function compare(aheadMs: number, whose: string): Diagnosis {
  const distance = Math.abs(aheadMs);
  const seconds = Math.round(distance / 1000);
  if (distance < FAR_MS) return works(`this machine's clock agrees with that of ${whose}`);
  const what = `this machine's clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${whose}`;
  const cure = 'have this machine set its clock by NTP (timedatectl set-ntp true)';
  return distance > TOO_FAR_MS ? fails(`${what}, so that tokens get refused`, cure) : warning(what, cure);
}
