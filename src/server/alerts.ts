import type { AlertDetails } from '../../dialogs/answers/alert-details.ts';
import { readAlertmanager } from './alerts/alertmanager.ts';
import { readAnySender } from './alerts/any-sender.ts';
import { readPagerDuty } from './alerts/pagerduty.ts';

/** The senders that are known by the shape of their bodies. Each returns undefined for another sender's body. */
const SENDERS: ReadonlyArray<(body: unknown) => AlertDetails | undefined> = [readAlertmanager, readPagerDuty];

/** What an alert says of itself: its sender's own reader knows, else the reader for all others. */
export function readAlertDetails(body: unknown): AlertDetails {
  for (const read of SENDERS) {
    const details = read(body);
    if (details !== undefined) return details;
  }
  return readAnySender(body);
}
