type Texts = ReadonlyMap<string, string>;

/** Where and how a device is on the network; undefined where the NAC did not say it. Values are foreign text. */
export type Access = {
  /** The switch, access point or controller. */
  networkDevice?: string | undefined;
  port?: string | undefined;
  /** The wireless network's name; undefined for other networks. */
  ssid?: string | undefined;
  vlan?: string | undefined;
  /** The place of the network device, without the root of all places. */
  location?: string | undefined;
  /** `dot1x`, `mab`, `webauth` or the NAC's own word. */
  method?: string | undefined;
  protocol?: string | undefined;
  securityGroup?: string | undefined;
  /** The downloadable access list's name. */
  accessList?: string | undefined;
};

/** Reads where and how a device is on the network. VLAN and access list stand in the NAC's `response` to the switch. */
export function readAccess(session: Texts, attributes: Texts): Access {
  const response = session.get('response') ?? '';
  return {
    networkDevice: session.get('network_device_name') ?? session.get('nas_ip_address'),
    port: session.get('nas_port_id'),
    ssid: readSsid(session, attributes),
    vlan:
      /Tunnel-Private-Group-ID=(?:\(tag=\d{1,3}\))?([^;}]{1,200})/i.exec(response)?.[1]?.trim() || undefined,
    location: readLocation(session.get('location')),
    method: session.get('authentication_method'),
    protocol: session.get('authentication_protocol'),
    securityGroup: session.get('cts_security_group'),
    accessList: readAccessList(response),
  };
}

/**
 * Access points name themselves and the network: `00-11-22-33-44-55:Corp` (RFC 3580, section 3.20). A wired switch can put
 * its own name there, so the port's type decides.
 */
function readSsid(session: Texts, attributes: Texts): string | undefined {
  const type = session.get('nas_port_type') ?? attributes.get('NAS-Port-Type') ?? '';
  if (!/wireless/i.test(type)) return undefined;
  const station = session.get('called_station_id') ?? attributes.get('Called-Station-ID') ?? '';
  const [, name] = /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}:(.+)$/i.exec(station) ?? [];
  return name ?? attributes.get('cisco-wlan-ssid');
}

/** `Location#All Locations#Berlin#Floor 2` is `Berlin / Floor 2`; the root alone says nothing. */
function readLocation(text: string | undefined): string | undefined {
  const places = (text ?? '').split('#').filter((place) => !/^(?:Location|All Locations|)$/.test(place));
  return places.length > 0 ? places.join(' / ') : undefined;
}

/** `#ACSACL#-IP-Permit_Printers-57f6b0d3` is `Permit_Printers`. */
function readAccessList(response: string): string | undefined {
  const [, list] = /CiscoSecure-Defined-ACL=([^;}\s]{1,200})/i.exec(response) ?? [];
  return list?.replace(/^#ACSACL#-IP(?:v6)?-/i, '').replace(/-[0-9a-f]{8}$/i, '');
}
