import { type AlertDetails, readAlert } from '../../src/alerts/alert.ts';
import { unpackTexts } from '../../src/alerts/fields.ts';

export type Read = AlertDetails & { macs: readonly string[] };

/** Reads a body as the server does: what the alert says of itself, and its devices. */
export function read(body: unknown): Read {
  const unpacked = unpackTexts(body);
  if (unpacked.kind !== 'unpacked') throw new Error(unpacked.fault);
  const { details, devices } = readAlert(unpacked.value);
  return { ...details, macs: devices };
}
