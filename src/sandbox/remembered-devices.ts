import { times } from './attempts-xml.ts';
import { type Device, device } from './device.ts';

const OTHER_PORT = { network_device_name: 'sw-floor3-02', nas_port_id: 'GigabitEthernet1/0/4' };

/** A code that the bot's own words do not know. */
const HANDSHAKE = '12520 The handshake ended because the device sent an alert';

/** Devices of which the NAC's other calls say more than the session call. */
export const REMEMBERED: readonly Device[] = [
  {
    address: '00:1B:54:00:00:21',
    what: 'a device without session that was refused ten times',
    answer: { kind: 'no session' },
    attempts: times(10, 7, {
      passed: false,
      user_name: '00-1B-54-00-00-21',
      failure_reason: '22056 No identity store holds this device',
    }),
  },
  {
    address: '00:1B:54:00:00:22',
    what: 'a device without session that has moved',
    answer: { kind: 'no session' },
    attempts: [
      { passed: false, minutesAgo: 20, user_name: 'grady', failure_reason: HANDSHAKE, ...OTHER_PORT },
      { passed: false, minutesAgo: 25, user_name: 'grady', failure_reason: HANDSHAKE, ...OTHER_PORT },
      {
        passed: false,
        minutesAgo: 300,
        user_name: 'grady',
        failure_reason: '24408 Active Directory refused the password',
      },
      { passed: true, minutesAgo: 600, user_name: 'grady', selected_azn_profiles: 'Corp_Wired_Access' },
    ],
  },
  {
    ...device('00:1B:54:00:00:23', 'a laptop, rejected for a reason that the catalogue explains', {
      passed: 'false',
      user_name: 'isaiah',
      authentication_method: 'dot1x',
      authentication_protocol: 'EAP-TLS',
      failure_reason: HANDSHAKE,
      selected_azn_profiles: 'DenyAccess',
      more: { nas_port_type: 'Ethernet' },
      other: { AuthorizationPolicyMatchedRule: 'Default', ISEPolicySetName: 'Default' },
    }),
    attempts: times(3, 15, { passed: false, user_name: 'isaiah', failure_reason: HANDSHAKE }),
  },
  device('00:1B:54:00:00:24', 'a laptop, rejected, explained by its steps and the catalogue', {
    passed: 'false',
    user_name: 'johanna',
    authentication_method: 'dot1x',
    authentication_protocol: 'EAP-TLS',
    selected_azn_profiles: 'DenyAccess',
    more: { nas_port_type: 'Ethernet', execution_steps: '11001,11017,12519,11003' },
    other: { AuthorizationPolicyMatchedRule: 'Default', ISEPolicySetName: 'Default' },
  }),
];
