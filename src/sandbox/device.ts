import type { SandboxAttempt } from './attempts-xml.ts';
import { type SessionFields, sessionXml } from './session-xml.ts';

/** How the sandbox's NAC answers for a device. */
type DeviceAnswer =
  | { kind: 'session'; xml: string; delayMs?: number }
  | { kind: 'no session' }
  | { kind: 'status'; status: 401 | 403 | 500 | 503 }
  | {
      kind:
        | 'login page'
        | 'cut off'
        | 'endless'
        | 'too large'
        | 'packed too large'
        | 'silent'
        | 'another root';
    };

/** `address`: what the device is known by; a MAC address, or for a VPN the IP address that it dials in from. */
export type Device = {
  address: string;
  what: string;
  answer: DeviceAnswer;
  /** Its authentications within 24 hours, newest first. */
  attempts?: readonly SandboxAttempt[];
};

export function device(address: string, what: string, fields: Partial<SessionFields>): Device {
  return {
    address,
    what,
    answer: { kind: 'session', xml: sessionOf(address, fields) },
  };
}

/** A session of a device with an IP address of its own, three hours old. */
export function sessionOf(address: string, fields: Partial<SessionFields>): string {
  const last = address.slice(-2).toLowerCase();
  const isFirst = address === 'AA:BB:CC:DD:EE:FF';
  return sessionXml({
    calling_station_id: address,
    framed_ip_address: `198.51.100.${isFirst ? 23 : 100 + Number.parseInt(last, 16)}`,
    framed_ipv6_address: `2001:db8::${isFirst ? '23' : `1${last}`}`,
    auth_acs_timestamp: hoursAgo(3),
    ...fields,
  });
}

export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

export const WIRELESS = { nas_port_type: 'Wireless - IEEE 802.11' };

/** What the NAC answered to the switch. */
export function answered(...attributes: readonly string[]): string {
  return `{${['Class=CACS:0A0000010000002A', ...attributes].join('; ')}; }`;
}
