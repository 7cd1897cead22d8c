import { expect, it } from 'vitest';
import { findDeviceAddresses } from '../../src/domain/device-address.ts';
import { sortPasted } from '../../src/domain/pasted-table.ts';

const TABLE = `          Mac Address Table
-------------------------------------------
Vlan    Mac Address       Type        Ports
----    -----------       --------    -----
 All    0100.0ccc.cccc    STATIC      CPU
 All    0180.c200.0000    STATIC      CPU
 All    001b.54aa.0001    STATIC      CPU
 All    ffff.ffff.ffff    STATIC      CPU
  30    001b.5400.0003    DYNAMIC     Gi1/0/15
  30    001b.5400.0007    DYNAMIC     Gi1/0/16
  30    0000.0c07.ac01    DYNAMIC     Po1
  30    aabb.ccdd.eeff    STATIC      Gi1/0/17
Total Mac Addresses for this criterion: 8`;

it.each<[text: string, devices: string[], gateways: string[]]>([
  [TABLE, ['00:1B:54:00:00:03', '00:1B:54:00:00:07', 'AA:BB:CC:DD:EE:FF'], ['HSRP group 1']],
  ['lookup FF:FF:FF:FF:FF:FF', ['FF:FF:FF:FF:FF:FF'], []],
  ['0100.5e00.00fb 0180.c200.0000', ['01:00:5E:00:00:FB', '01:80:C2:00:00:00'], []],
  ['0000.0c07.acff 0000.0c9f.f12c 0005.73a0.0005', [], ['HSRP group 255', 'HSRP group 300', 'HSRP group 5']],
  ['0000.5e00.010a 0000.5e00.0207', [], ['VRRP group 10', 'VRRP group 7']],
  ['0007.b400.0a01 0000.0c07.ad01', ['00:00:0C:07:AD:01'], ['GLBP group 10']],
  ['198.51.100.23, 001b.5400.0003', ['198.51.100.23', '00:1B:54:00:00:03'], []],
])('a pasted text is parted into devices and gateways: %s', (text, devices, gateways) => {
  const sorted = sortPasted(text, findDeviceAddresses(text).addresses);
  expect(sorted.devices).toEqual(devices);
  expect(sorted.gateways.map(({ role }) => role)).toEqual(gateways);
});
