/**
 * A call that an answer can do without. A system that does not know the call is left alone for an hour, and so is one that
 * fails three times in a row. Pure: times are milliseconds of a clock that is never set back.
 */
export type OptionalCall = { readonly failures: number; readonly offUntil: number };
/** `not known`: the system does not have this call. */
export type CallEnd = 'well' | 'failed' | 'not known';
export const UNTRIED: OptionalCall = { failures: 0, offUntil: Number.NEGATIVE_INFINITY };
const FAILURES_IN_A_ROW = 3;
const OFF_MS = 3_600_000;

/** The state after a call. A call that began before the hour does not count in it. */
export function endCall(call: OptionalCall, end: CallEnd, at: number): OptionalCall {
  if (at < call.offUntil) return call;
  const failures = end === 'well' ? 0 : call.failures + 1;
  return end === 'not known' || failures >= FAILURES_IN_A_ROW
    ? { failures: 0, offUntil: at + OFF_MS }
    : { ...call, failures };
}
