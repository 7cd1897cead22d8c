import { findMaker } from '../../src/mac-address/maker.ts';
import type { MacAddress } from '../../src/mac-address.ts';
import type { SessionRecord } from '../../src/nac/record.ts';
import { timeOf } from '../../src/nac/session-signs.ts';
import type { Line } from '../format/line.ts';
import type { Format } from '../format/locale.ts';
import { shorten } from '../format/markdown.ts';
import { quotesReason } from './rejection.ts';

/** A label of ours and its value. */
export type Fact = { label: string; value: Line };

/** The device's user and its place on the network. */
export function whereabouts(record: SessionRecord, format: Format): Fact[] {
  const since = timeOf(record.since);
  return [
    ...known('User', record.user),
    ...known('IP address', record.ipAddress),
    ...known('Network device', record.networkDevice),
    ...known('Port', record.port),
    ...known('Wi-Fi', record.ssid),
    ...(since === undefined
      ? known('Since', record.since)
      : [{ label: 'Since', value: [timeAndAge(since, format)] }]),
  ];
}

/** Why the NAC decided as it did. */
export function reasons(record: SessionRecord): Fact[] {
  return [
    ...(quotesReason(record) ? [] : known('Why', record.failureReason)),
    ...known('Policy set', record.policySet),
    ...known('Rule', record.rule),
    ...known('Authorization', record.authorizationProfiles),
    ...known('Endpoint profile', record.endpointProfile),
    ...known('Posture', record.posture),
  ];
}

/** The device's maker, if the registry knows it. */
export function maker(address: MacAddress): Fact[] {
  return known('Maker', findMaker(address));
}

/** A time and how long ago it was. @param ms since 1970 */
export function timeAndAge(ms: number, format: Format): string {
  return `${format.time(ms)} (${format.age(ms)})`;
}

function known(label: string, foreign: string | undefined): Fact[] {
  return foreign === undefined ? [] : [{ label, value: [{ foreign: shorten(foreign) }] }];
}
