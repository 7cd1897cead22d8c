import { codeOf, type SessionRecord } from './session.ts';

/**
 * Finds the code that explains most: the reason's, else the message's; without a reason, that of a step. Undefined if our
 * table lacks the code. `isSure`: passed authentications never hold it.
 */
export function failureOf({ messageCode = '', failureReason, steps = [] }: SessionRecord) {
  const stated = [codeOf(failureReason) ?? '', messageCode].find((each) => CAUSES.has(each));
  const code = stated ?? (failureReason === undefined ? stepCode(steps) : undefined) ?? '';
  const cause = CAUSES.get(code);
  return cause && { code, isSure: code === stated || DECISIVE.includes(code), ...cause };
}

function stepCode(steps: readonly string[]): string | undefined {
  const known = steps.filter((code) => CAUSES.has(code));
  const isClear = (code: string) => !VAGUE.has(code);
  return DECISIVE.find((code) => known.includes(code)) ?? known.find(isClear) ?? known[0];
}

const DECISIVE = ['15039', '24408', '22056'];
/** Steps after a failure, which do not name it. */
const VAGUE = new Set(['22028', '22057', '22058', '22061']);

const SUPPRESSED = 'The cause is in an earlier attempt. Those who run the NAC can release the device.';
const CHECK_CHANGES = 'Check its settings for CoA.';
const CHECK_TRUST = "Check whether it trusts the NAC's certificate.";

/** Source: Cisco ISE's message catalogue ("Failure Reasons" in its reports) and its troubleshooting guide. */
const ROWS: ReadonlyArray<readonly [code: number, cause: string, cure?: string]> = [
  [5411, 'The device stopped answering', 'Is it asleep, or is its 802.1X service hung?'],
  [5417, 'The switch or controller did not carry out a change of authorization', CHECK_CHANGES],
  [5434, 'The NAC suppresses the device, because it failed several times in the same way', SUPPRESSED],
  [5436, 'The switch or controller repeated its request too early', 'Check its RADIUS time-out.'],
  [5440, 'The device broke off and started again', 'Often it is roaming, or the link is poor.'],
  [5441, 'The device started again before the NAC had answered', 'Wait for its next attempt.'],
  [5449, 'The NAC suppresses the device, because it failed again and again', SUPPRESSED],
  [11007, 'The NAC does not know this switch or controller'],
  [11036, 'The switch and the NAC have different shared secrets'],
  [11213, 'The switch or controller did not answer a change of authorization', CHECK_CHANGES],
  [12153, "The device does not trust the NAC's certificate", 'The device needs the authority behind it.'],
  [12308, 'The device itself called its PEAP login failed', 'Check its 802.1X settings.'],
  [12309, 'Device and NAC could not build the PEAP tunnel', 'Compare their TLS versions and certificates.'],
  [12321, "The device does not trust the NAC's certificate"],
  [12507, 'The login by certificate (EAP-TLS) failed', "Check the device's certificate."],
  [12511, "The device refused the NAC's certificate or its TLS settings"],
  [12514, "The NAC does not trust the authority behind the device's certificate"],
  [12515, "The NAC's list of revoked certificates has expired", 'Those who run the NAC can renew it.'],
  [12516, "The device's certificate has expired"],
  [12517, "The device's certificate, or one above it, was revoked", 'The device needs a new certificate.'],
  [12519, "The NAC does not support the kind of the device's certificate", 'The device needs another one.'],
  [12520, "The device does not trust the NAC's certificate", 'The device needs the authority behind it.'],
  [12521, 'The device broke off the TLS handshake', CHECK_TRUST],
  [12930, 'The device stopped answering when PEAP began', 'Check its 802.1X settings.'],
  [12934, 'The device stopped answering in the PEAP handshake', CHECK_TRUST],
  [12935, 'The device stopped answering while certificates were sent', 'Check certificates, and the MTU.'],
  [12937, 'The device stopped answering when its password was due', 'Perhaps it waits for its user.'],
  [15024, 'The NAC does not allow logins by PAP', 'Allow PAP there, or use another method.'],
  [15039, 'The authorization policy rejects the device'],
  [22028, 'The login failed, so the policy ended it', 'The cause is in an earlier step.'],
  [22040, 'The password is wrong'],
  [22044, 'The policy asks for a certificate, but a password came', "Check the device's 802.1X settings."],
  [22056, 'The NAC finds no such user or device in its identity stores'],
  [22057, 'An identity store did not accept the user or device'],
  [22058, 'No identity store knows the user or device', 'Check its spelling, or add it to a store.'],
  [22061, 'The login failed, so the policy rejected it', 'The cause is in an earlier step.'],
  [22063, 'The password is wrong', 'Enter the password again on the device.'],
  [24206, "The account is disabled in the NAC's own store", 'Those who run the NAC can enable it.'],
  [24344, 'The login was refused by Active Directory', 'Check user name and password.'],
  [24401, "The NAC's connection to Active Directory is down", 'Those who run the NAC can restart it.'],
  [24403, 'The user was not accepted by Active Directory', 'Check name, password and account.'],
  [24406, 'User name or password is wrong in Active Directory', 'Enter both again on the device.'],
  [24407, 'The user has to change the password in Active Directory', 'Change it, then log in again.'],
  [24408, 'The password is wrong in Active Directory'],
  [24409, 'The account is disabled in Active Directory', 'Those who run the domain can enable it.'],
  [24410, 'The account may not log in at this hour', 'Check its logon hours in Active Directory.'],
  [24412, 'The user is not known in Active Directory', 'Check the user name and its domain.'],
  [24415, 'The account is locked in Active Directory'],
  [24429, 'The NAC could not reach Active Directory', 'Those who run the NAC can check the way there.'],
  [24484, "The machine's password in Active Directory has expired", 'Join the machine to the domain again.'],
  [24485, "The machine's password is wrong in Active Directory", 'Join the machine to the domain again.'],
  [24492, 'The machine was not accepted by Active Directory', "Check the machine's account there."],
];

/** The meaning of a failure by its code, a sentence without its full stop, and the advice, if there is one. */
export const CAUSES = new Map(ROWS.map(([code, cause, cure]) => [String(code), { cause, cure }]));
