import { describe, expect, it } from 'vitest';
import { buttonsOf } from './buttons.ts';
import { runsOf, wordsOf } from './card-words.ts';
import { found, REPORT, stageLookup } from './commands/lookup-stage.ts';
import { WITH_SESSION, WITHOUT_SESSION } from './outcomes.ts';

const DEVICE = '00:1B:54:00:00:07';

describe('the card of one device', () => {
  it('says the same as the text, with the verdict as its heading', async () => {
    const outcomes = found({
      passed: 'false',
      failure_reason: '22040 Wrong password',
      called_station_id: WIFI,
      more: { nas_port_type: 'Wireless - IEEE 802.11' },
    });
    const { card } = await stageLookup({ outcomes }).answer(DEVICE);
    expect(wordsOf(card)).toEqual([
      'Rejected',
      'The password is wrong.',
      DEVICE,
      'User: alex',
      'IP address: 198.51.100.23',
      'Network device: sw-floor2-17',
      'Port: GigabitEthernet1/0/15',
      'Wi-Fi: Campus',
      'On a switch: 001b.5400.0007',
      'Since: 15 Jan 2026, 12:05 UTC (2 hours ago)',
      'Maker: Cisco Systems, Inc',
      'Why: 22040 Wrong password',
      'Method: MAB',
      'Policy set: Default',
      'Authorization: Corp_Wired_Access',
      'Identity group: Workstation',
      'The rule Basic_Authenticated_Access rejected the device.',
      'Tokens',
      'Corp_Wired_Access',
      'Basic_Authenticated_Access',
      'The tokens were posted to the room.',
    ]);
  });

  it('has buttons to look the device up again and to show all fields', async () => {
    expect(buttonsOf(await stageLookup({ outcomes: found() }).answer(DEVICE))).toMatchObject([
      { title: 'Look up again', data: { dialog: 'lookup', text: DEVICE } },
      { title: 'Show all fields', data: { dialog: 'fields', text: DEVICE } },
    ]);
  });

  it('folds the tokens if rule and profile have said all of them, and has a button that shows them', async () => {
    const { card } = await stageLookup({ outcomes: found() }).answer(DEVICE);
    expect(card?.body).toContainEqual(
      expect.objectContaining({ type: 'Container', id: 'tokens', isVisible: false }),
    );
    expect(card?.actions).toContainEqual({
      type: 'Action.ToggleVisibility',
      title: 'Show the tokens',
      targetElements: ['tokens'],
    });
  });

  it.each([
    ['no rule or profile says', { more: { posture_report: 'Agent_Check' } }],
    ['is a part of a profile alone', { selected_azn_profiles: 'Corp_Wired', more: { a: 'rp_Wired' } }],
  ])('shows the tokens if one of them %s', async (_, fields) => {
    const { card } = await stageLookup({ outcomes: found(fields) }).answer(DEVICE);
    expect(wordsOf(card)).toContain('Tokens');
    expect(JSON.stringify(card?.actions)).not.toContain('ToggleVisibility');
  });

  it('has no button for an address that stands for no device', async () => {
    const { card } = await stageLookup().answer('FF:FF:FF:FF:FF:FF');
    expect(wordsOf(card)[0]).toBe('The broadcast address');
    expect(card).not.toHaveProperty('actions');
  });

  it.each(WITHOUT_SESSION)('explains why there is no session: %s', async (name, outcome, sentence) => {
    const { card } = await stageLookup({ outcomes: outcome }).answer(DEVICE);
    const [heading, ...others] = wordsOf(card);
    const meaning = others
      .filter((words) => !/^Maker: |^On a switch: |^I keep trying/.test(words))
      .map((each) => ` ${each}`);
    const number = name === 'no session' ? '' : ` ${REPORT}`;
    expect(`${heading}.${meaning.join('')}`).toBe(`${plain(capitalised(sentence))} ${DEVICE}${number}`);
  });

  it.each(WITH_SESSION)(
    'has the verdict on a session as its heading: %s',
    async (verdict, outcome, meaning) => {
      const { card } = await stageLookup({ outcomes: outcome }).answer(DEVICE);
      expect(wordsOf(card)[0]).toBe(capitalised(verdict));
      if (meaning !== undefined) expect(wordsOf(card)[1]).toBe(meaning);
    },
  );
});

describe('the summary of one device', () => {
  it.each(WITHOUT_SESSION)('says the outcome in its first line: %s', async (_, outcome, sentence) => {
    const { summary = '' } = await stageLookup({ outcomes: outcome }).answer(DEVICE);
    expect(summary.split('\n')[0]).toBe(`${plain(sentence)} ${DEVICE}`);
  });

  it.each(WITH_SESSION)(
    'says verdict, why, user and place in its first line: %s',
    async (verdict, outcome, meaning) => {
      const { summary = '' } = await stageLookup({ outcomes: outcome }).answer(DEVICE);
      const why = meaning === undefined ? '' : ` ${meaning}`;
      const where = outcome.kind === 'found' && outcome.record.user !== undefined ? WHERE : '';
      expect(summary.split('\n')[0]).toBe(`${verdict}.${why}${where} ${DEVICE}`);
    },
  );

  it.each([
    ...WITHOUT_SESSION.map(([, outcome, sentence]) => [opening(sentence), outcome] as const),
    ...WITH_SESSION.map(([verdict, outcome]) => [verdict, outcome] as const),
  ])('begins with the verdict, for a lock screen: %s', async (verdict, outcome) => {
    const { summary = '' } = await stageLookup({ outcomes: outcome }).answer(DEVICE);
    expect(summary.startsWith(verdict)).toBe(true);
  });
});

describe('tokens', () => {
  it.each([DEVICE, `${DEVICE} 00:1B:54:00:00:08`])(
    'stand literally in the card and in the summary of "%s"',
    async (text) => {
      const outcomes = found({ selected_azn_profiles: 'Corp_Wïred-2.0', other: {} });
      const { card, summary = '' } = await stageLookup({ outcomes }).answer(text);
      expect(runsOf(card)).toContain('Corp_Wïred-2.0');
      expect(summary.split('\n')).toContain('Corp_Wïred-2.0');
    },
  );
});

const WIFI = 'F8-66-F2-00-10-20:Campus';
const WHERE = ' alex, 198.51.100.23, sw-floor2-17, GigabitEthernet1/0/15,';

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

/** The start of a sentence, which already says the outcome. */
function opening(sentence: string): string {
  return /^[^.:,(]+/.exec(sentence)?.[0].trim() ?? sentence;
}
