/**
 * The bot's database, a system that it calls, or a certificate. `/readyz`, the metric `upstream_failing`, the log's line at each
 * change and the rows of `status` are made of this.
 * @property state `ok`, `not asked yet`, or the fault: `failing`, unless there is a better word
 * @property since when the state began, and `at` when it was last seen (milliseconds since 1970); undefined: not asked yet
 * @property why the outcome's name
 * @property cure the action of an operator
 */
export type Part = { part: string; state: string; since?: number; at?: number; why?: string; cure?: string };

/** `detail` is for the log alone. */
export type PartFault = { state?: string; why?: string; cure: string; detail?: object };

export const isUnknown = ({ state }: Part) => state === 'not asked yet';
export const isFailing = ({ state }: Part) => state !== 'ok' && state !== 'not asked yet';

const EXPIRING_MS = 14 * 86_400_000;

/**
 * The fault of a certificate that has ended, or ends within 14 days; undefined: it holds longer.
 * @param validTo its end, and `now`: milliseconds since 1970
 * @param tls the name of the upstream's TLS setting
 */
export function certificateFault(validTo: number, now: number, tls: string): PartFault | undefined {
  if (validTo - now > EXPIRING_MS) return undefined;
  const day = new Date(validTo).toISOString().slice(0, 10);
  const renew = `have the system's certificate renewed; where ${tls} is a pin, set the new fingerprint then`;
  return { state: `${validTo > now ? 'ends' : 'ended'} on ${day}`, cure: renew };
}
