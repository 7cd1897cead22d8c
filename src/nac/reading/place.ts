import { readIpWord } from '../../domain/ip-address.ts';
import type { NetworkDevice, SessionRecord } from '../../domain/session.ts';
import type { Texts } from './xml.ts';

export function readNetworkDevice(session: Texts): NetworkDevice {
  const name = session.get('network_device_name');
  const address = ['nas_ip_address', 'device_ip_address', 'nas_ipv6_address']
    .map((each) => session.get(each))
    .find(Boolean);
  if (name === 'DefaultNetworkDevice')
    return { networkDevice: address ?? name, networkAddress: address, isUnlisted: true };
  return { networkDevice: name ?? address, networkAddress: address };
}

/** Wi-Fi, VPN or a login to the network device itself: each only where the record shows it, else the device is wired. */
export function readMedium(
  session: Texts,
  attributes: Texts,
): Pick<SessionRecord, 'wifi' | 'vpn' | 'isTerminal'> {
  const type = session.get('nas_port_type') ?? attributes.get('nas-port-type');
  const service = session.get('service_type') ?? attributes.get('service-type') ?? '';
  const port = session.get('nas_port_id') ?? '';
  const wifi = readWifi(session, attributes, port, type);
  const vpn = readVpn(session, attributes);
  const isLine = /^(?:tty|vty|con|aux|console)\s?\d*$/i.test(port);
  const isLogin =
    /^(?:nas.prompt|administrative)$/i.test(service) || (type === 'Virtual' && service === 'Login');
  return { wifi, vpn, isTerminal: !wifi && !vpn && (isLine || isLogin) ? true : undefined };
}

/** A field of its own for a network's name or number: `cisco-wlan-ssid`, `Aruba-Essid-Name`, `Airespace-Wlan-Id`; no BSSID. */
const WIFI_FIELD = /(?:^|[-_ ])(?:wlan|e?ssid)(?:$|[-_ ])/;
const SSID_FIELD = /(?:^|[-_ ])e?ssid(?:[-_ ]name)?$/;

/**
 * Access points say `00-11-22-33-44-55:Corp` (RFC 3580, section 3.20) or `AP-NAME:Corp`. Wired switches say the same with a
 * name of their own, so the form alone is no Wi-Fi. Records of Cisco ISE often lack the port's type.
 */
function readWifi(session: Texts, attributes: Texts, port: string, type?: string): SessionRecord['wifi'] {
  const fields = [...session, ...attributes].filter(([name]) => WIFI_FIELD.test(name));
  const isWifi = /^(?:capwap|dot11radio|wlan)/i.test(port) || fields.length > 0;
  if (type === undefined ? !isWifi : !/wireless/i.test(type)) return undefined;
  const called = session.get('called_station_id') ?? attributes.get('called-station-id') ?? '';
  const [, accessPoint, name] = CALLED.exec(called) ?? [];
  const own = [session.get('network_device_name'), attributes.get('nas-identifier')].map(hostOf);
  const behind = name && !own.includes(hostOf(name)) ? name : undefined;
  return { ssid: fields.find(([field]) => SSID_FIELD.test(field))?.[1] ?? behind, accessPoint };
}

/** An access point's address or name, then the network's name. A name alone could be either. */
const CALLED = /^((?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?=:|$)|[^:]{1,200}(?=:))(?::(.*))?$/is;

const hostOf = (name?: string) => name?.toLowerCase().split('.', 1)[0];

/** Cisco's ASA sends them. `nas_port_type` Virtual is also a login to a switch. */
const VPN = 'cvpn3000/asa/pix7x-';

function readVpn(session: Texts, attributes: Texts): SessionRecord['vpn'] {
  const group = attributes.get(`${VPN}tunnel-group-name`);
  const isVpn = [`${VPN}client-type`, 'tunnel-client-endpoint'].some((name) => attributes.has(name));
  if (group === undefined && !isVpn) return undefined;
  const station = readIpWord(session.get('calling_station_id') ?? '');
  return { group, client: station?.kind === 'address' ? station.address : undefined };
}

/** The network that the NAC assigned goes before the one that the switch named in its request, which may be another. */
export function readVlan(session: Texts, attributes: Texts, assigned: Texts) {
  const names = ['tunnel-private-group-id', 'airespace-interface-name'];
  const [, own] = [...assigned].find(([name]) => /vlan(?:-?id|-?name)?$/.test(name)) ?? [];
  const given = [...names.map((name) => assigned.get(name)), own]
    .map((value) => value?.replace(/^\(tag=\d{1,3}\)\s*/i, ''))
    .find(Boolean);
  return { vlan: given ?? session.get('vlan'), requestedVlan: attributes.get('vlan-id') };
}

/** A device has several IPv6 addresses. That of the link alone, which often stands first, leads nowhere. */
export function readIpAddress(session: Texts): string | undefined {
  const [first, ...others] = (session.get('framed_ipv6_address') ?? '').split(/\s+/);
  const routed = [first, ...others].find((address = '') => !/^fe[89ab]/i.test(address));
  const address = session.get('framed_ip_address');
  return (address === '0.0.0.0' ? routed : undefined) || address || routed || first || undefined;
}

/** `Location#All Locations#Berlin#Floor 2` is `Berlin / Floor 2`; the root alone says nothing. */
export function readLocation(text: string | undefined): string | undefined {
  const places = (text ?? '').split('#').filter((place) => !/^(?:Location|All Locations|)$/.test(place));
  return places.length > 0 ? places.join(' / ') : undefined;
}
