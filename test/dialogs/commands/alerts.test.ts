import { describe, expect, it } from 'vitest';
import { createAlerts } from '../../../dialogs/commands/alerts.ts';
import type { Message, Place } from '../../../dialogs/format/message.ts';
import { PLACE, talk } from '../talk.ts';

const WAYS =
  '`alerts here as NAME` names this place, so that monitoring systems can send alerts to it.  \n`alerts list` lists the names; `alerts stop NAME` removes a name.';

describe('alerts', () => {
  it.each(['alerts here as core-network', 'Alerts HERE AS core-network '])(
    'names the place: "%s"',
    async (text) => {
      const { dialogs, places } = stage();
      expect(await talk(dialogs, text)).toEqual([
        { kind: 'said', text: 'Alerts for `core-network` are answered here from now on.' },
      ]);
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

  it('says that alerts are off, and keeps the name', async () => {
    const places = new Map<string, Place>();
    const off = createAlerts({ ...options(places), areAlertsOn: false });
    expect(await talk([off], 'alerts here as wifi')).toEqual([
      {
        kind: 'said',
        text: 'Alerts are off: the bot has no ALERTS_TOKEN, so monitoring systems cannot send any. The name is kept.',
      },
    ]);
    expect([...places.keys()]).toEqual(['wifi']);
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

  it.each(['alerts here as wifi', 'alerts stop core-network', 'alerts list'])(
    'is for administrators: "%s"',
    async (text) => {
      const { dialogs, places } = stage('core-network');
      expect(await talk(dialogs, text, { isAdmin: false })).toEqual([
        { kind: 'said', text: 'This command is for the administrators of the bot.' },
      ]);
      expect([...places.keys()]).toEqual(['core-network']);
    },
  );
});

function stage(...names: string[]) {
  const places = new Map<string, Place>(names.map((name) => [name, PLACE]));
  const told: Array<{ place: Place; text: string }> = [];
  const sayLater = async (place: Place, { text }: Message) => void told.push({ place, text });
  return { dialogs: [createAlerts({ ...options(places), sayLater })], places, told };
}

function options(places: Map<string, Place>) {
  return {
    areAlertsOn: true,
    threads: {
      save: async (name: string, place: Place) => void places.set(name, place),
      find: async (name: string) => places.get(name),
      names: async () => [...places.keys()],
      remove: async (name: string) => places.delete(name),
    },
    sayLater: async () => {},
  };
}
