import { describe, expect, it } from 'vitest';
import type { Accepted, Alert } from '../../../dialogs/alerts/accept-alert.ts';
import { SENDERS } from '../../../dialogs/answers/alert-senders.ts';
import { type AlertsOptions, createAlerts } from '../../../dialogs/commands/alerts.ts';
import type { Message, Place } from '../../../dialogs/format/message.ts';
import { PLACE, talk } from '../talk.ts';

const WAYS =
  '`alerts here as NAME` names this place, so that monitoring systems can send alerts to it.  \n`alerts list` lists the names; `alerts stop NAME` removes a name.  \n`alerts help SENDER` shows a configuration; `alerts test NAME` sends a test alert.';

const SAVED = [
  'Alerts for `core-network` are answered here from now on. Senders use this address:',
  '`https://bot.example.com/api/alerts/core-network`',
  [
    'How each sender proves itself, with the ALERTS_TOKEN of the bot:',
    'Alertmanager: bearer token or Basic',
    'Grafana: bearer token or Basic',
    'PagerDuty: custom header',
    'Opsgenie: custom header',
    'Splunk: token in the address',
    'Zabbix: header, set by script',
    'Catalyst Center: header',
    'Meraki: header of its payload template',
    'PRTG: token in the address',
  ].join('  \n'),
  '`alerts help SENDER` shows a configuration; `alerts test core-network` sends a test alert.',
].join('\n\n');

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
    ['alerts help prtg', expect.stringMatching(/^Alerts are off: [^\n]*\n\nA notification template/)],
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
  it.each(SENDERS.map(({ name }) => name))('shows a configuration for %s', async (name) => {
    const [deed] = await talk(stage().dialogs, `alerts help ${name}`);
    const [, block = ''] = /```\n([\s\S]*)\n```/.exec(deed?.kind === 'said' ? deed.text : '') ?? [];
    expect(block).toContain('https://bot.example.com/api/alerts/NAME');
    expect(block).toContain('<ALERTS_TOKEN>');
  });

  it('shows a receiver of Alertmanager', async () => {
    const [deed] = await talk(stage().dialogs, 'alerts help alertmanager');
    expect(deed).toEqual({
      kind: 'said',
      text: [
        'In `alertmanager.yml`. A route must name this receiver. `credentials_file` takes the token from a file.',
        [
          '```',
          'receivers:',
          '  - name: nac-lookup-bot',
          '    webhook_configs:',
          '      - url: https://bot.example.com/api/alerts/NAME',
          '        http_config:',
          '          authorization:',
          '            credentials: <ALERTS_TOKEN>',
          '        send_resolved: true',
          '        max_alerts: 500',
          '```',
        ].join('\n'),
        "Put the bot's token in the place of `<ALERTS_TOKEN>`. I never show it.  \n`NAME` is the name that `alerts here as NAME` gave a place.",
      ].join('\n\n'),
    });
  });

  it.each([
    ['CATALYST-center', 'External Services'],
    ['prometheus', 'alertmanager.yml'],
    [' DNAC ', 'External Services'],
  ])('knows "%s"', async (name, words) => {
    const [deed] = await talk(stage().dialogs, `alerts help ${name}`);
    expect(deed).toMatchObject({ text: expect.stringContaining(words) });
  });

  const GENERAL =
    /Any other sender: [\s\S]*```\ncurl -X POST https:\/\/bot\.example\.com\/api\/alerts\/NAME \\\n/;
  const LIST =
    '`alerts help SENDER` shows a configuration for:  \nAlertmanager, Grafana, PagerDuty, Opsgenie, Splunk, Zabbix, Catalyst Center, Meraki, PRTG';

  it('alone lists the senders, and shows the form for any', async () => {
    const [deed] = await talk(stage().dialogs, 'alerts help');
    expect(deed).toMatchObject({ text: expect.stringMatching(GENERAL) });
    expect(deed).toMatchObject({ text: expect.stringContaining(LIST) });
  });

  it.each([
    [
      'alertmanger',
      'I know no configuration for `alertmanger`.  \nDid you mean `alerts help alertmanager`?\n\n',
    ],
    ['meraky', 'I know no configuration for `meraky`.  \nDid you mean `alerts help meraki`?\n\n'],
    ['nagios', `I know no configuration for \`nagios\`.  \n${LIST}\n\n`],
    ['`x`](http://a.example)', `I know no configuration for \`ˋxˋ](http://a.example)\`.  \n${LIST}\n\n`],
  ])('knows no "%s": says the nearest or all, and the form for any', async (name, words) => {
    const [deed] = await talk(stage().dialogs, `alerts help ${name}`);
    expect(deed).toMatchObject({ text: expect.stringContaining(words) });
    expect(deed).toMatchObject({ text: expect.stringMatching(GENERAL) });
  });
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
