import { describe, expect, it } from 'vitest';
import type { Accepted, Alert } from '../../../dialogs/alerts/alert-work.ts';
import { type AlertsOptions, createAlerts } from '../../../dialogs/commands/alerts.ts';
import type { Place } from '../../../dialogs/format/message.ts';
import { services } from '../all-dialogs.ts';
import { PLACE, talk } from '../talk.ts';

const WAYS =
  '`alerts here as NAME` names this place, so that monitoring systems can send alerts to it.  \n`alerts list` lists the names; `alerts stop NAME` removes a name.  \n`alerts help` says what senders need; `alerts test NAME` sends a test alert.';

const TOKEN = [
  "They send the bot's token as `Authorization: Bearer <ALERTS_TOKEN>`, or as the password of Basic.",
  'Only a sender that can send no header has it in the address: `?token=<ALERTS_TOKEN>`.',
  '`docs/alerts.md` shows what to paste for each sender.',
].join('  \n');

const SAVED = [
  'Alerts for `core-network` are answered here from now on. Senders use this address:',
  '`https://bot.example.com/api/alerts/core-network`',
  TOKEN,
  '`alerts test core-network` sends a test alert.',
].join('\n\n');

const HELP = `\`https://bot.example.com/api/alerts/NAME\`\n\n${TOKEN}`;
const HOSTLESS = /`https:\/\/<PUBLIC_HOST>\/api\/alerts\/b%C3%BCro`.*setting PUBLIC_HOST is missing/s;
const LONG = 'x'.repeat(65);
const OFF = 'Alerts are off: the bot has no ALERTS_TOKEN, so monitoring systems cannot send any.';
const NAMED = 'Names that have a place:  \n`wifi`';

/** What is answered if the place has the name `wifi`; the names afterwards, if they change; the options that matter. */
const EXCHANGES: ReadonlyArray<[typed: string, text: unknown, names?: string[], options?: Options]> = [
  ['Alerts HERE  AS core-network ', SAVED, ['wifi', 'core-network']],
  ['alerts list', NAMED],
  ['alerts stop wifi', 'Alerts for `wifi` are no longer answered.', []],
  ['alerts stop core-network', 'No place has the name `core-network`.'],
  ['alerts help', HELP],
  ['alerts help grafana', HELP],
  ...['alerts', 'alerts here as', 'alerts stop', 'alerts begin', 'alerts test'].map(
    (typed): [string, string] => [typed, WAYS],
  ),
  ...['two words', '<b>x</b>', '..', LONG].flatMap((name) =>
    ['here as', 'stop'].map((verb): [string, string] => [
      `alerts ${verb} ${name}`,
      `\`${name}\` cannot be a name. A name has up to 64 letters, digits, dots, hyphens and underscores, and no spaces.\n\n${WAYS}`,
    ]),
  ),
  ['alerts test <b>x</b>', expect.stringMatching(/^`<b>x<\/b>` cannot be a name\./)],
  ['alerts here as büro', expect.stringMatching(HOSTLESS), ['wifi', 'büro'], { publicUrl: undefined }],
  ['alerts here as wifi', `${OFF} The name is kept.`, ['wifi'], { areAlertsOn: false }],
  ['alerts test wifi', `${OFF} No test alert was sent.`, ['wifi'], { areAlertsOn: false }],
  ['alerts', `${OFF}\n\n${WAYS}`, ['wifi'], { areAlertsOn: false }],
  ['alerts list', `${OFF}\n\n${NAMED}`, ['wifi'], { areAlertsOn: false }],
  ['alerts help', `${OFF}\n\n${HELP}`, ['wifi'], { areAlertsOn: false }],
];

describe('alerts', () => {
  it.each(EXCHANGES)('answers "%s" with %s', async (typed, text, names = ['wifi'], options = {}) => {
    const { dialogs, places, alerts } = stage(['wifi'], options);
    expect(await talk(dialogs, typed)).toEqual([{ kind: 'said', text }]);
    expect([...places.keys()]).toEqual(names);
    expect(alerts).toEqual([]);
  });

  it('tells the old place who took its name', async () => {
    const { dialogs, told, places } = stage([]);
    expect(await talk(dialogs, 'alerts list')).toMatchObject([
      { text: `No place has a name yet.\n\n${WAYS}` },
    ]);
    for (const _ of ['first', 'again']) await talk(dialogs, 'alerts here as wifi');
    expect(told).toEqual([]);
    const place = { reference: { ...PLACE.reference, conversation: { id: 'elsewhere' } } };
    await talk(dialogs, 'alerts here as wifi', { place });
    const text = 'Alerts for `wifi` no longer come here: `Alex` has taken the name for another place.';
    expect(told).toEqual([{ place: PLACE, text }]);
    expect([...places]).toEqual([['wifi', place]]);
  });
});

describe('alerts test', () => {
  const sent = (mac: string) => `A test alert with \`${mac}\` is on its way to \`wifi\`.`;

  it.each([
    ['', '00:00:5E:00:53:01', ' No device has this address, so the answer says that there is no session.'],
    [' AA:BB:CC:DD:EE:FF', 'AA:BB:CC:DD:EE:FF', ''],
    [' AA BB CC DD EE FF', 'AA:BB:CC:DD:EE:FF', ''],
    [' 001122334455', '00:11:22:33:44:55', ''],
  ])('behind the name takes "%s", or an address that no device has', async (typed, mac, more) => {
    const { dialogs, alerts } = stage(['wifi']);
    const said = { kind: 'said', text: sent(mac) + more };
    expect(await talk(dialogs, `alerts test wifi${typed}`)).toEqual([said]);
    const source = 'alerts test, typed by Alex';
    const details = { title: 'Test alert', source, startsAt: 7, state: 'firing' };
    const alert = { key: 'test alert message-1', digest: `wifi ${mac}`, addresses: [mac], leftOut: 0 };
    expect(alerts).toEqual([{ ...alert, thread: 'wifi', details }]);
  });

  it.each(['words', 'AA:BB:CC:DD:EE:FF, AA:BB:CC:DD:EE:00'])('takes one address: "%s"', async (typed) => {
    const { dialogs, alerts } = stage(['two']);
    const text = `\`${typed}\` is not one MAC address, so no test alert was sent.`;
    expect(await talk(dialogs, `alerts test two ${typed}`)).toEqual([{ kind: 'said', text }]);
    expect(alerts).toEqual([]);
  });

  it.each<[Accepted, string]>([
    ['unknown thread', 'No place has the name `wifi`. `alerts list` lists the names.'],
    ['full', 'Too many alerts are waiting already, so no test alert was sent. Please try again in a minute.'],
    ['other alert', sent('AA:BB:CC:DD:EE:FF')],
  ])('says what became of it: %s', async (accepted, text) => {
    const { dialogs } = stage(['wifi'], { acceptAlert: async () => accepted });
    expect(await talk(dialogs, 'alerts test wifi AA:BB:CC:DD:EE:FF')).toEqual([{ kind: 'said', text }]);
  });
});

type Options = Partial<AlertsOptions>;

function stage(names: readonly string[], options: Options = {}) {
  const places = new Map<string, Place>(names.map((name) => [name, PLACE]));
  const told: Array<{ place: Place; text: string }> = [];
  const alerts: Alert[] = [];
  const dialog = createAlerts({
    ...services({
      async sayLater(place, { text }) {
        told.push({ place, text });
        return undefined;
      },
      threads: {
        save: async (name, place) => void places.set(name, place),
        find: async (name) => places.get(name),
        names: async () => [...places.keys()],
        remove: async (name) => places.delete(name),
      },
      now: () => 7,
    }),
    areAlertsOn: true,
    publicUrl: new URL('https://bot.example.com'),
    async acceptAlert(alert) {
      alerts.push(alert);
      return 'accepted';
    },
    ...options,
  });
  return { dialogs: [dialog], places, told, alerts };
}
