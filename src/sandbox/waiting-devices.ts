import { answered, type Device, device, hoursAgo, WIRELESS } from './device.ts';

/** Devices whose session has ended, or that something still holds. */
export const WAITING: readonly Device[] = [
  {
    ...device('00:1B:54:00:00:09', 'a workstation whose session has ended', {
      user_name: 'lee',
      more: {
        acct_status_type: 'Stop',
        acct_acs_timestamp: hoursAgo(1),
        acct_terminate_cause: 'User Request',
        stopped: 'true',
      },
    }),
    attempts: [
      { passed: true, minutesAgo: 180, user_name: 'lee', selected_azn_profiles: 'Corp_Wired_Access' },
    ],
  },
  held('00:1B:54:00:00:0A', 'a guest who has not logged in', 'cwa', 'Guest_WebAuth'),
  held('00:1B:54:00:00:0B', 'a laptop that waits for its posture check', 'cpp', 'Posture_Redirect'),
  held('00:1B:54:00:00:0C', "a person's own phone, not set up", 'nsp', 'BYOD_Onboarding'),
  held('00:1B:54:00:00:0D', 'a tablet that is not enrolled', 'mdm', 'MDM_Enrolment'),
  held('00:1B:54:00:00:0E', 'a device that a portal holds', undefined, 'Hotspot_Redirect'),
  posture('00:1B:54:00:00:0F', 'a laptop whose posture check is open', 'Pending'),
  posture('00:1B:54:00:00:10', 'a laptop that failed its posture check', 'NonCompliant'),
  device('00:1B:54:00:00:11', 'a laptop with a wrong password, by its steps alone', {
    passed: 'false',
    user_name: 'diego',
    authentication_method: 'dot1x',
    authentication_protocol: 'PEAP (EAP-MSCHAPv2)',
    selected_azn_profiles: 'DenyAccess',
    more: { nas_port_type: 'Ethernet', execution_steps: '11001,11017,24430,24408,22057,11003' },
    other: { AuthorizationPolicyMatchedRule: 'Default', ISEPolicySetName: 'Default' },
  }),
];

function held(address: string, what: string, action: string | undefined, profile: string): Device {
  return device(address, what, {
    user_name: address.replaceAll(':', '-'),
    selected_azn_profiles: profile,
    more: { ...WIRELESS, response: redirected(action) },
    called_station_id: 'F8-66-F2-00-10-30:Guest',
    nas_port_id: 'Capwap7',
    network_device_name: 'wlc-campus-1',
    identity_group: 'Unknown',
    other: { AuthorizationPolicyMatchedRule: `${profile}_Rule`, ISEPolicySetName: 'Guest Wi-Fi' },
  });
}

/** Cisco ISE's redirection to a portal. Without an action, the portal has no kind. */
function redirected(action: string | undefined): string {
  const portal = 'https://nac-1.example.com:8443/portal/gateway?sessionId=0A0000010000002A';
  return answered(
    'cisco-av-pair=url-redirect-acl=ACL_REDIRECT',
    `cisco-av-pair=url-redirect=${portal}${action === undefined ? '' : `&amp;action=${action}`}`,
  );
}

function posture(address: string, what: string, PostureStatus: string): Device {
  return device(address, what, {
    user_name: 'irvin',
    authentication_method: 'dot1x',
    authentication_protocol: 'EAP-TLS',
    selected_azn_profiles: 'Staff_Limited_Access',
    other: {
      AuthorizationPolicyMatchedRule: 'Wired_802.1X',
      ISEPolicySetName: 'Default',
      PostureStatus,
    },
  });
}
