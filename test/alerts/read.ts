import { readAlert } from '../../src/alerts/alert.ts';
import type { AlertDetails } from '../../src/domain/incident.ts';

export type Read = AlertDetails & { macs: readonly string[] };

/** Reads a body as the server does: the alert's details, and its devices. */
export function read(body: unknown): Read {
  const alert = readAlert(body);
  if (alert === undefined) throw new Error('too many texts');
  return { ...alert.details, macs: alert.devices };
}
