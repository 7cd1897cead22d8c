import { describe, expect, it } from 'vitest';
import type { Accepted, Alert } from '../../../dialogs/alerts/alert-jobs.ts';
import { type AlertsOptions, createAlerts } from '../../../dialogs/commands/alerts.ts';
import type { Message, Place } from '../../../dialogs/format/message.ts';
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

const OFF = 'Alerts are off: the bot has no ALERTS_TOKEN, so monitoring systems cannot send any.';

describe('alerts', () => {
  it.each(['alerts here as core-network', 'Alerts HERE AS core-network '])(
    'names the place, and says its address and what senders need: "%s"',
    async (text) => {
      const { dialogs, places } = stage();
      expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: SAVED }]);
      expect([...places]).toEqual([['core-network', PLACE]]);
    },
  );

  it('lists the names', async () => {
    const { dialogs } = stage('core-network', 'wi_fi.2');
    expect(await talk(dialogs, 'alerts list')).toEqual([
      { kind: 'said', text: 'Names that have a place:  \n`core-network`  \n`wi_fi.2`' },
    ]);
  });

  it('says that there are no names, and how to add a name', async () => {
    expect(await talk(stage().dialogs, 'alerts list')).toEqual([
      { kind: 'said', text: `No place has a name yet.\n\n${WAYS}` },
    ]);
  });

  it('removes a name', async () => {
    const { dialogs, places } = stage('core-network');
    expect(await talk(dialogs, 'alerts stop core-network')).toEqual([
      { kind: 'said', text: 'Alerts for `core-network` are no longer answered.' },
    ]);
    expect(places.size).toBe(0);
  });

  it('says that a name is not known', async () => {
    expect(await talk(stage().dialogs, 'alerts stop wifi')).toEqual([
      { kind: 'said', text: 'No place has the name `wifi`.' },
    ]);
  });

  it.each(['alerts', 'alerts here as', 'alerts stop', 'alerts begin'])(
    'explains itself, and changes nothing: "%s"',
    async (text) => {
      const { dialogs, places } = stage('core-network');
      expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: WAYS }]);
      expect(places.size).toBe(1);
    },
  );

  it.each(['two words', '<b>x</b>', 'x'.repeat(65)])(
    'explains what a name is, and changes nothing: "%s"',
    async (name) => {
      const { dialogs, places } = stage('core-network');
      const text = `\`${name}\` cannot be a name. A name has up to 64 letters, digits, dots, hyphens and underscores, and no spaces.\n\n${WAYS}`;
      for (const verb of ['here as', 'stop'])
        expect(await talk(dialogs, `alerts ${verb} ${name}`)).toEqual([{ kind: 'said', text }]);
      expect([...places.keys()]).toEqual(['core-network']);
    },
  );

  it('says an address with a placeholder if nobody has said the host, and a name in the form of addresses', async () => {
    const dialog = createAlerts({ ...options(new Map()), publicUrl: undefined });
    const [deed] = await talk([dialog], 'alerts here as büro');
    expect(deed).toMatchObject({
      text: expect.stringContaining('`https://<PUBLIC_HOST>/api/alerts/b%C3%BCro`'),
    });
    expect(deed).toMatchObject({ text: expect.stringContaining('The setting PUBLIC_HOST is missing') });
  });

  it.each([
    ['alerts here as wifi', `${OFF} The name is kept.`],
    ['alerts test wifi', `${OFF} No test alert was sent.`],
    ['alerts', `${OFF}\n\n${WAYS}`],
    ['alerts list', `${OFF}\n\nNames that have a place:  \n\`wifi\``],
    ['alerts help', `${OFF}\n\n${HELP}`],
  ])('says that alerts are off: "%s"', async (text, expected) => {
    const { alerts, places } = stage('wifi');
    const off = createAlerts({ ...options(places), areAlertsOn: false });
    expect(await talk([off], text)).toEqual([{ kind: 'said', text: expected }]);
    expect([...places.keys()]).toEqual(['wifi']);
    expect(alerts).toEqual([]);
  });

  it('tells the old place who took its name', async () => {
    const { dialogs, told } = stage('core-network');
    await talk(dialogs, 'alerts here as core-network');
    expect(told).toEqual([]);
    const place = { reference: { ...PLACE.reference, conversation: { id: 'elsewhere' } } };
    await talk(dialogs, 'alerts here as core-network', { place });
    expect(told).toEqual([
      {
        place: PLACE,
        text: 'Alerts for `core-network` no longer come here: `Alex` has taken the name for another place.',
      },
    ]);
  });

  it.each([
    'alerts here as wifi',
    'alerts stop core-network',
    'alerts list',
    'alerts help grafana',
    'alerts test core-network',
    'alerts test core-network AA:BB:CC:DD:EE:FF',
  ])('is for administrators: "%s"', async (text) => {
    const { dialogs, places } = stage('core-network');
    expect(await talk(dialogs, text, { isAdmin: false })).toEqual([
      { kind: 'said', text: 'This command is for the administrators of the bot.' },
    ]);
    expect([...places.keys()]).toEqual(['core-network']);
  });
});

describe('alerts help', () => {
  it.each(['alerts help', 'alerts help grafana'])(
    'says the address, where the token goes, and the page with what to paste: "%s"',
    async (text) => {
      expect(await talk(stage().dialogs, text)).toEqual([{ kind: 'said', text: HELP }]);
    },
  );
});

describe('alerts test', () => {
  const details = { title: 'Test alert', source: 'alerts test, typed by Alex', startsAt: 7, state: 'firing' };

  it('sends an alert with an address that no device has', async () => {
    const { dialogs, alerts } = stage('wifi');
    expect(await talk(dialogs, 'alerts test wifi')).toEqual([
      {
        kind: 'said',
        text: 'A test alert with `00:00:5E:00:53:01` is on its way to `wifi`. No device has this address, so the answer says that there is no session.',
      },
    ]);
    expect(alerts).toEqual([
      {
        key: 'test alert message-1',
        digest: 'wifi 00:00:5E:00:53:01',
        addresses: ['00:00:5E:00:53:01'],
        leftOut: 0,
        thread: 'wifi',
        details,
      },
    ]);
  });

  it.each(['AA:BB:CC:DD:EE:FF', 'aabb.ccdd.eeff', 'AA BB CC DD EE FF'])(
    'sends an alert with the address behind the name: "%s"',
    async (mac) => {
      const { dialogs, alerts } = stage('wifi');
      expect(await talk(dialogs, `alerts test wifi ${mac}`)).toEqual([
        { kind: 'said', text: 'A test alert with `AA:BB:CC:DD:EE:FF` is on its way to `wifi`.' },
      ]);
      expect(alerts).toMatchObject([{ addresses: ['AA:BB:CC:DD:EE:FF'], thread: 'wifi', details }]);
    },
  );

  it('takes digits alone for an address, since they stand behind a command', async () => {
    const { dialogs, alerts } = stage('wifi');
    await talk(dialogs, 'alerts test wifi 001122334455');
    expect(alerts).toMatchObject([{ addresses: ['00:11:22:33:44:55'] }]);
  });

  it.each(['words', 'AA:BB:CC:DD:EE:FF, AA:BB:CC:DD:EE:00'])('takes one address: "%s"', async (typed) => {
    const { dialogs, alerts } = stage('two');
    expect(await talk(dialogs, `alerts test two ${typed}`)).toEqual([
      { kind: 'said', text: `\`${typed}\` is not one MAC address, so no test alert was sent.` },
    ]);
    expect(alerts).toEqual([]);
  });

  it.each<[Accepted, string]>([
    ['unknown thread', 'No place has the name `wifi`. `alerts list` lists the names.'],
    ['full', 'Too many alerts are waiting already, so no test alert was sent. Please try again in a minute.'],
    ['other alert', 'A test alert with `AA:BB:CC:DD:EE:FF` is on its way to `wifi`.'],
  ])('says what became of it: %s', async (accepted, text) => {
    const dialog = createAlerts({ ...options(new Map()), acceptAlert: async () => accepted });
    expect(await talk([dialog], 'alerts test wifi AA:BB:CC:DD:EE:FF')).toEqual([{ kind: 'said', text }]);
  });

  it.each([
    ['alerts test', WAYS],
    ['alerts test <b>x</b>', expect.stringMatching(/^`<b>x<\/b>` cannot be a name\./)],
  ])('explains itself: "%s"', async (text, expected) => {
    expect(await talk(stage('wifi').dialogs, text)).toEqual([{ kind: 'said', text: expected }]);
  });
});

function stage(...names: string[]) {
  const places = new Map<string, Place>(names.map((name) => [name, PLACE]));
  const told: Array<{ place: Place; text: string }> = [];
  const alerts: Alert[] = [];
  const sayLater = async (place: Place, { text }: Message) => void told.push({ place, text });
  const acceptAlert = async (alert: Alert) => {
    alerts.push(alert);
    return 'accepted' as const;
  };
  const dialog = createAlerts({ ...options(places), acceptAlert, sayLater });
  return { dialogs: [dialog], places, told, alerts };
}

function options(places: Map<string, Place>): AlertsOptions {
  return {
    areAlertsOn: true,
    publicUrl: new URL('https://bot.example.com'),
    threads: {
      save: async (name, place) => void places.set(name, place),
      find: async (name) => places.get(name),
      names: async () => [...places.keys()],
      remove: async (name) => places.delete(name),
    },
    acceptAlert: async () => 'accepted',
    sayLater: async () => {},
    now: () => 7,
  };
}
