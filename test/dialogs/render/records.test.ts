import { expect, it } from 'vitest';
import { ask } from '../../../dialogs/lookup/asking.ts';
import { Explanations } from '../../../dialogs/lookup/explain.ts';
import { answerMessage, roomText } from '../../../dialogs/render/answer.ts';
import { readDeviceAddress } from '../../../src/domain/device-address.ts';
import { readAttempts, readSessionOutcome } from '../../../src/nac/reading/session.ts';
import { NOW } from '../commands/lookup-stage.ts';
import { READER } from '../outcomes.ts';
import records from './records.json' with { type: 'json' };

const WIRELESS = /wi-?fi|wireless/i;
const REFUSED = /refuse|reject/i;

/** What the answer and the post say of each case, and what they must not say. `expected` in records.json says why. */
const SAID: Record<string, readonly [says: RegExp, never?: RegExp]> = {
  'ipv6-of-both': [/IP address: `2001:db8:84::a7`/, /IP address: `2001:db8:feed/],
  'dot1x-name-is-the-address': [/802\.1X, `EAP-TLS`/, /MAB|no user/],
  'wired-twentyfivegige2-0-11': [/`BERGEN_CAMPUS`\s+Port: `TwentyFiveGigE2\/0\/11`/, WIRELESS],
  'wired-fortygigabitethernet1-1-2': [/`BERGEN_CAMPUS`\s+Port: `FortyGigabitEthernet1\/1\/2`/, WIRELESS],
  'wired-fo1-1-1': [/`BERGEN_CAMPUS`\s+Port: `Fo1\/1\/1`/, WIRELESS],
  'wired-ethernet1-7': [/`BERGEN_CAMPUS`\s+Port: `Ethernet1\/7`/, WIRELESS],
  'wired-xe-0-1-3-0': [/`BERGEN_CAMPUS`\s+Port: `xe-0\/1\/3\.0`/, WIRELESS],
  'wired-port-channel21': [/`BERGEN_CAMPUS`\s+Port: `Port-channel21`/, WIRELESS],
  'wired-17': [/`BERGEN_CAMPUS`\s+Port: `17`/, WIRELESS],
  'anc-policy': [/: connected, under ANC policy `ANC_Cut_Off`\./],
  'eps-status-alone': [/: connected, under EPS status `Shutdown`\./],
  'rule-not-in-quarantine': [/: connected\./, /: quarantined/],
  'profile-exempt': [/: connected\./, /: quarantined/],
  'profile-bypass': [/: connected\./, /: quarantined/],
  'terminal-line': [/Login: terminal line `tty3`/, /VPN/],
  'coa-failed': [/did not answer a change of authorization \(11213\)/, REFUSED],
  'coa-is-no-pass': [/no session\. Refused 8 minutes ago .* \(24408\)/, /passed/],
  'one-place-has-no-name': [/since then rejected: .* \(15039\)/, /since then on/],
  hotspot: [/: hotspot: waiting\.\s+.* until somebody accepts the terms/, /sign/i],
  'late-stop-of-the-session-before': [/: connected\./, /ended/],
  'hpe-portal': [/: web login: waiting\./],
  'aruba-portal': [/: web login: waiting\./],
  'assessment-attribute': [/not compliant\.\s.*Posture: `NonCompliant`/s],
  thai: [/\nห้องเก็บ_ของใต้$/],
  'decomposed-umlaut': [/\nMa\u0308lar_Wired$/, /^`?lar_/m],
  'decimal-reference': [/\nCafé_Pier$/, /^`?_Pier/m],
  'latency-of-step-5': [/most of it in step `15013`/, /24216/],
  'latency-of-step-8': [/most of it in step `24402`/, /24313/],
  'access-point-name-and-network': [/Wireless controller: `fjord-wlc-2`\s.*Wi-Fi: `PierStaff`/s],
  'reason-in-the-steps': [/no session\. Refused .* no such user or device in its identity stores \(22056\)/],
  'suppressed-5449': [/The NAC suppresses the device, .* \(5449\)/, /INVALID|reject|refuse/i],
  'stopped-answering': [
    /no session\. Did not finish 3 times.* while certificates were sent \(12935\)/,
    REFUSED,
  ],
  'started-again': [/no session\. Did not finish .* broke off and started again \(5440\)/, REFUSED],
  'old-root': [/no session\. Refused 6 minutes ago on `fjord-acc-9`.* \(15039\)/],
  'interface-assigned': [/VLAN: `things-bgo-340`/, /`1`/],
  'directory-not-available': [/a fault .*\. Its session directory is not available\./, /no session/],
  'redirect-to-https': [/the NAC redirects .* to `https:\/\/mnt-b\.example`/, /login page/],
  'nothing-204': [/answer was empty \(HTTP status 204\)/, /fault/],
  'no-session-under-200': [/: no session\./, /fault/],
  kvm: [/Maker: a virtual machine \(KVM\)/, /private|made it up/],
  'compliant-beside-an-old-redirect': [/: connected\./, /portal|waiting/],
  'too-many-requests': [/too many requests \(429\)\. .* try again later/, /fault/],
  'reason-with-its-own-full-stop': [/: rejected\. `11368 .* reason\.`/, /\.`\./],
  'port-gi': [/Port: `GigabitEthernet2\/0\/11`/, WIRELESS],
  'quarantined-by-anc': [/: quarantined, under ANC policy `Quarantine`\./],
  vpn: [/: connected\.\s.*VPN: `Fjord_Remote`/s],
  'web-login': [/: web login: waiting\./],
  'stop-of-this-session': [/: ended\. .* cause: `User Request`\./],
  'private-address': [/This is a private, randomised address\. The device made it up/],
  'not-compliant': [/: connected, not compliant\./],
  'a-true-move': [/Last worked .* on `fjord-acc-4 .*; since then on `fjord-acc-9 .*, rejected/],
  'no-session': [/: no session\./],
  mab: [/User: MAB, no user\s.*Method: MAB/s],
  'wifi-behind-the-access-point': [/Wi-Fi: `Pier Guests`/],
  rejected: [/: rejected\. The authorization policy rejects the device \(15039\)\./],
  fault: [/the NAC reported a fault/, /no session/],
};

it.each(records.cases)('$kind, $id: $expected', async ({ id, ask: by, address: given, ...wire }) => {
  const address = given ?? '00:1B:54:7C:21:0D';
  const fill = (text: string) => filled(text, by === 'mac' ? address : '00:1B:54:7C:21:0D', address);
  const headers = Object.fromEntries(Object.entries(wire.headers).map(([name, text]) => [name, fill(text)]));
  const answer = { kind: 'answered', status: wire.status, headers, text: fill(wire.body) } as const;
  const explanations = new Explanations({
    history: async () => readAttempts(fill(wire.authStatus ?? '<authStatusOutputList/>')),
    findEndpoint: undefined,
    hasNoSessions: async () => undefined,
    now: () => NOW,
    onError(error) {
      throw error;
    },
  });
  const answers = await ask(
    readDeviceAddress(address),
    'alex',
    async () => readSessionOutcome(answer) as never,
  ).all;
  const { text } = answerMessage(await explanations.explain(answers, 'alex'), undefined, READER);
  const said = `${text}\n\n${roomText(answers, READER)}`;
  const [says, never] = SAID[id] ?? [];
  expect(said).toMatch(says ?? id);
  if (never) expect(said).not.toMatch(never);
});

/** Puts the device's address, the address that is asked for, and times into a case's text. */
function filled(text: string, mac: string, ip: string): string {
  const ago = (_: string, count: string, unit: string) =>
    new Date(NOW - Number(count) * (unit === 'm' ? 60_000 : 1000)).toISOString();
  return text
    .replaceAll('{{MAC}}', mac)
    .replaceAll('{{mac-}}', mac.toLowerCase().replaceAll(':', '-'))
    .replaceAll('{{mac}}', mac.toLowerCase().replaceAll(':', ''))
    .replaceAll('{{IP}}', ip)
    .replace(/\{\{-(\d+)([ms])\}\}/g, ago);
}
