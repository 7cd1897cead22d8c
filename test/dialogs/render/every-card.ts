import { alertMessage } from '../../../dialogs/alerts/alert-answer.ts';
import { connectMessage } from '../../../dialogs/commands/connect.ts';
import { welcomeMessage } from '../../../dialogs/commands/help.ts';
import { recentMessage } from '../../../dialogs/commands/recent.ts';
import { didYouMean, offerRest } from '../../../dialogs/lookup/replies.ts';
import { shownNow } from '../../../dialogs/lookup/report.ts';
import { fieldsMessage, numberText, renderAnswer, stillAsking } from '../../../dialogs/render/answer.ts';
import type { DeviceAnswer } from '../../../dialogs/render/device.ts';
import type { Message } from '../../../dialogs/render/message.ts';
import { createFormatter } from '../../../dialogs/render/words.ts';
import { readDeviceAddress } from '../../../src/domain/device-address.ts';
import { findMacAddresses } from '../../../src/domain/mac-address.ts';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import { answered, found, NOW, own, POSTED, REJECTED, WITH_SESSION, WITHOUT_SESSION } from '../outcomes.ts';

const DEVICE = '00:1B:54:00:00:07';
const READER = createFormatter({ now: () => NOW, nacLink: 'https://nac.example.com/endpoint?mac={mac}' });

/** Values as long as some NACs really have them, without a place to break. */
const LONG = found({
  user_name: 'host/NB-ACCOUNTING-00421.corp.internal.example.com',
  network_device_name: 'access-switch-building-07-floor-02-rack-17.net.example.com',
  nas_port_id: 'TenGigabitEthernet1/0/15-Uplink-To-Distribution',
  selected_azn_profiles: 'Corp_Wired_Access_With_Downloadable_Access_List_And_Voice_Vlan_2026',
});

const KINDS = [...new Map(WITHOUT_SESSION.map(([, each]) => [each.kind, each])).entries()];

type Named = readonly [name: string, message: Message];

/** A card of every kind that the bot sends, by name. */
export function everyCard(): Array<readonly [name: string, card: unknown]> {
  const messages = [...cardsOfOneDevice(), ...cardsOfSeveralDevices(), ...otherCards()];
  return messages.flatMap(([name, { card }]) => (card ? [[name, card] as const] : []));
}

function answer(answers: readonly DeviceAnswer[]): Message {
  const isFound = answers.some(({ outcome }) => outcome.kind === 'found');
  const notes = numberText(() => 164_320, answers, undefined);
  const { state } = shownNow(undefined, answers, READER);
  return renderAnswer(answers, READER, { delivery: isFound ? POSTED : undefined, notes, state });
}

function cardsOfOneDevice(): Named[] {
  const others = [['long values', LONG] as const, ['own account', own(found())] as const];
  const outcomes = [...WITH_SESSION, ...KINDS, ...others];
  return outcomes.map(([name, outcome]) => [`one: ${name}`, answer([answered(outcome, DEVICE)])]);
}

/** Twenty devices each: of every kind, alike, and rejected for reasons of their own. */
function cardsOfSeveralDevices(): Named[] {
  const reasons = Array.from({ length: 20 }, (_, index) => {
    const user_name = `host/nb-${index}.corp.example.com`;
    const network_device_name = `access-switch-${index}-floor-02`;
    const failure_reason = `${12514 + (index % 3)}`;
    return found({ passed: 'false', network_device_name, failure_reason, user_name });
  });
  const sets: Array<readonly [name: string, outcomes: readonly LookupOutcome[]]> = [
    ['all kinds', [...WITH_SESSION.slice(0, 17), ...KINDS.slice(0, 2)].map((each) => each[1]).concat(LONG)],
    ['rejected alike', Array(20).fill(REJECTED)],
    ['rejected for reasons of their own', reasons],
  ];
  return sets.map(([name, all]) => {
    const answers = all.map((each, index) => answered(each, `00:1B:54:00:01:${10 + index}`));
    return [`20 devices: ${name}`, answer(answers)];
  });
}

function otherCards(): Named[] {
  const addresses = findMacAddresses(`${DEVICE} 00:1B:54:00:00:08`);
  const answers = (...outcomes: readonly LookupOutcome[]) =>
    outcomes.map((outcome, index) => answered(outcome, `00:1B:54:00:00:0${7 + index}`));
  const title = 'InterfaceDown access-switch-building-07-floor-02-rack-17.net.example.com';
  const source = 'Alertmanager, prometheus-production-eu-central-1.example.com';
  const link = 'https://alertmanager-production-eu-central-1.monitoring.example.com/#/alerts';
  const startsAt = NOW - 600_000;
  const head = { state: 'firing', title, source, severity: 'critical', startsAt, link } as const;
  const alert = (answers: readonly DeviceAnswer[], waiting: readonly DeviceAnswer['asked'][] = []) =>
    alertMessage(
      { number: 164_320, answers, waiting, head, arrivedAt: NOW, leftOut: 0, times: 1 },
      POSTED,
      READER,
    );
  const verdict = 'connected, not compliant';
  const lookups = readDeviceAddress('198.51.100.23').map((asked) => {
    return { asked, address: addresses[0] ?? asked, verdict, said: [verdict], at: NOW };
  });
  return [
    ['an alert of one device', alert(answers(REJECTED))],
    ['an alert of two devices', alert(answers(REJECTED, found()))],
    ['an alert that still asks', alert(answers(REJECTED), findMacAddresses('00:1B:54:00:00:09'))],
    ['all fields', fieldsMessage(answers(LONG), READER)],
    [
      'still asking of one',
      stillAsking({ answers: [], waiting: addresses.slice(0, 1) }, READER, { isQueued: true }),
    ],
    ['still asking of several', stillAsking({ answers: [], waiting: addresses }, READER, { isQueued: true })],
    ['the form to connect', connectMessage()],
    ['recent', recentMessage(lookups, READER)],
    ['welcome', welcomeMessage(false)],
    ['more than 20 addresses', offerRest(Array(42).fill(addresses[0]))],
    ['a mistyped address', didYouMean(addresses)],
  ];
}
