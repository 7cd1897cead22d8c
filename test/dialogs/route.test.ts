import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRecentLookups } from '../../dialogs/lookup/recent.ts';
import { asksAnew, isSlashCommand, type Route, route, type Sent } from '../../dialogs/route.ts';
import { buttonsOf } from './cards.ts';
import { NOBODY_KNOWN, SENT } from './talk.ts';

const X = '00:1B:54:00:00:07';
const ALLOWED = { allowsUsers: false, canWatch: true };
const routed = (text: string, sent: Partial<Sent> = {}) =>
  route({ ...SENT, text, ...sent }, NOBODY_KNOWN, ALLOWED);
const inWordsOf = (text: string, sent: Partial<Sent> = {}) => inWords(routed(text, sent));

/** A route in one line: its command with addresses or text, or a user, and its notes; or the reply's words. */
function inWords(chosen: Route): string {
  if (chosen.kind === 'silence') return 'silence';
  if (chosen.kind === 'reply') return `said: ${chosen.message.text}`;
  const { command, addresses, text, notes } = chosen;
  const words = [command, addresses.join(' ') || (command === 'lookup' ? '' : text)].join(' ');
  return [words.trim(), ...notes].join(' | ');
}

type Options = { thread?: string; byUser?: boolean };

/** A conversation with the memory that the bot keeps of it. Every lookup counts as asked. */
function converse() {
  let now = 1000;
  const recent = createRecentLookups(() => now);
  return {
    skip: (ms: number) => (now += ms),
    say(text: string, sent: Partial<Sent> = {}, { thread = '', byUser = false }: Options = {}): string {
      const conversation = { id: `chat${thread}` };
      const place = { reference: { serviceUrl: 'http://127.0.0.1:1', conversation } };
      const known = recent.knownIn(place);
      const chosen = route({ ...SENT, text, ...sent }, known, { ...ALLOWED, allowsUsers: byUser });
      recent.expect(place, chosen);
      if (chosen.kind === 'run' && chosen.addresses.length > 0) {
        const answers = chosen.addresses.map((asked) => ({ asked, address: asked, outcome: NO_SESSION }));
        recent.note(place, answers, ++now);
      }
      return inWords(chosen);
    },
  };
}

const NO_SESSION = { kind: 'no session' } as const;

/**
 * Exchanges by kind. `>`: to the bot in a personal chat. `@>`, `B>`: in a channel's thread. `?>`: to others. `user>`: where
 * devices may be looked up by user. `">`: the next message's quote. `+file`: beside it. `~ 11`: minutes pass. Below each
 * stands what is chosen, or how the reply begins.
 */
const exchanges = readFileSync(new URL('exchanges.txt', import.meta.url), 'utf8')
  .split(/^# /m)
  .slice(1)
  .map((kind) => ({
    kind: kind.split('\n', 1)[0],
    all: kind.split('\n').slice(1).join('\n').trim().split(/\n\n+/),
  }));

describe.each(exchanges)('$kind', ({ all }) => {
  it.each(all)('%s', (exchange) => {
    const chat = converse();
    let beside: Partial<Sent> = {};
    let said = '';
    for (const written of exchange.split('\n')) {
      const [, mark = '', rest = ''] = /^("?>|\+|~|=|[@B?]>|user>) ?(.*)$/.exec(written) ?? [];
      const text = rest.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
      if (mark === '=') expectRoute(said, text);
      else if (mark === '~') chat.skip(Number(text) * 60_000);
      else if (mark === '">') beside = { quoted: text };
      else if (mark === '+') beside = { unseen: [text as Sent['unseen'][number]] };
      else {
        const isShared = /^[@B?]/.test(mark);
        const sent = { ...beside, isPersonal: !isShared, isAddressed: mark !== '?>' };
        const thread = isShared ? `;messageid=${mark}` : '';
        said = chat.say(text, sent, { thread, byUser: mark === 'user>' });
        beside = {};
      }
    }
  });
});

function expectRoute(said: string, expected: string): void {
  const [first = '', note] = expected.split(' | ');
  if (first.startsWith('said: ')) expect(said).toContain(first.replace('said: ', ''));
  else expect(said.split(' | ')[0]).toBe(first);
  expect(said).toContain(note ?? '');
  if (note === undefined) expect(said.split(' | ')).toHaveLength(1);
}

/** What is chosen for each message of the public cases. The others of them are about answers, turns and posts. */
const CASES: Readonly<Record<string, string[]>> = {
  'yes-after-did-you-mean': ['said: Did you mean `00:1B:54:A1:00:03`?', 'lookup 00:1B:54:A1:00:03'],
  'no-after-did-you-mean': ['said: Did you mean', 'said: All right. Please send me the address.'],
  'digits-in-a-sentence': ['lookup 00:11:22:33:44:50'],
  'digits-in-ipconfig': ['lookup 00:21:70:33:44:51'],
  'digits-overheard': ['autoreply on', 'silence'],
  verbs: ['lookup 00:11:22:33:44:60', 'lookup 00:11:22:33:44:61', 'lookup 00:11:22:33:44:62'],
  'verbs-digits': ['lookup 00:11:22:33:44:63', 'lookup 00:11:22:33:44:64'],
  'arp-a': ['lookup 00:11:22:33:44:70'],
  'dhcp-log': ['lookup 00:11:22:33:44:71'],
  csv: ['lookup 00:11:22:33:44:80 00:11:22:33:44:81'],
  'which-device': ['said: Which device?', 'lookup 00:11:22:33:44:90'],
  'mixed-after-lookup': ['lookup 00:1B:54:B0:00:01 00:11:22:33:44:00'],
  column: ['lookup 00:1B:54:B0:00:03 00:11:22:33:44:01 00:1B:54:B0:00:04'],
  'radius-log': ['lookup 00:1B:54:B1:00:03 | F8:66:F2:B1:10:20 (an access point'],
  'controller-json': ['lookup 00:1B:54:B1:00:01 | F0:9F:C2:B1:22:33 (an access point'],
  comma: ['help', 'status'],
  sentence: ['said: I did not understand'],
  commit: ['autoreply on', 'silence', 'lookup 00:1B:54:B5:00:01'],
  container: ['autoreply on', 'silence', 'lookup 00:1B:54:B5:00:02'],
  broadcast: ['autoreply on', 'silence', 'lookup 00:1B:54:B5:00:03'],
  questions: [...Array(5).fill('lookup 00:1B:54:C0:00:03'), 'fields 00:1B:54:C0:00:03'],
  repeats: Array(4).fill('lookup 00:1B:54:C1:00:01'),
  'last-pair': ['lookup 00:1B:54:C2:00:03', 'lookup 00:1B:54:C2:00:08', 'lookup 00:1B:54:C2:00:01'],
  'fields-after-lookup': ['lookup 00:1B:54:C6:00:01', 'fields 00:1B:54:C6:00:01'],
  'fields-two': ['fields 00:1B:54:C7:00:01 | 00:1B:54:C7:00:02 (fields shows one device)'],
  'fields-misspelt': ['said: Did you mean `fields 00:1B:54:C8:00:01`?'],
  quarantine: ['lookup 00:1B:54:C9:00:01 | I only read'],
  release: ['lookup 00:1B:54:C9:00:02 | I only read'],
  'thanks-quote': ['lookup 00:1B:54:CA:00:01', "said: You're welcome."],
  'check-this-quote': ['lookup 00:1B:54:CA:00:02'],
  picture: ['said: I cannot see what is in a picture.'],
  file: ['said: I cannot see what is in a file.'],
  'again-elsewhere': ['lookup 00:1B:54:CB:00:01', 'said: Did you mean `00:1B:54:CB:00:01`?'],
  'mixed-separators': ['said: Did you mean `00:1B:54:CD:00:01`?', 'said: Did you mean `00:1B:54:CD:00:02`?'],
  'lost-zeros': ['said: Did you mean `00:1B:54:CD:00:03`?'],
  'check-ip': ['lookup 198.51.100.23'],
  'who-has': ['lookup 198.51.100.24'],
  login: ['connect'],
  'nac-up': ['status'],
  'five-pairs': ['said: One pair is missing'],
};

type Step = {
  place: string;
  text?: string;
  thread?: string;
  quote?: { text: string };
  attach?: 'picture' | 'file';
};
const publicCases: Array<{ id: string; steps: Step[] }> = JSON.parse(
  readFileSync(new URL('chat-cases.json', import.meta.url), 'utf8'),
);

describe('the public case', () => {
  it.each(Object.entries(CASES))('%s', (id, expected) => {
    const chat = converse();
    const steps = publicCases.find((each) => each.id === id)?.steps ?? [];
    const messages = steps.filter(({ text }) => text !== undefined);
    expect(messages).toHaveLength(expected.length);
    for (const [index, { place, text = '', thread = 'A', quote, attach }] of messages.entries()) {
      const isPersonal = place === 'personal';
      const isAddressed = isPersonal || text.includes('@Bot');
      const beside = { quoted: quote?.text ?? '', unseen: attach ? [attach] : [] };
      const sent = { isPersonal, isAddressed, ...beside };
      const said = chat.say(text.replace('@Bot', ''), sent, {
        thread: isPersonal ? '' : `;messageid=${thread}`,
      });
      expectRoute(said, expected[index] ?? '');
    }
  });
});

it('a slash and a command are found at the beginning of a text', () => {
  const commands = ['/lookup', ` /Look up ${X}`, '/status'];
  const others = ['lookup', '/lookups', `/giphy ${X}`, 'see /lookup', ''];
  expect([...commands, ...others].filter(isSlashCommand)).toEqual(commands);
});

it.each<[data: Record<string, unknown>, chosen: string]>([
  [{ dialog: 'lookup', text: X }, `lookup ${X}`],
  [{ dialog: 'fields', text: '198.51.100.23' }, 'fields 198.51.100.23'],
  [{ dialog: 'lookup', text: '' }, 'said: Which device?'],
  [{ dialog: 'lookup', text: `${X} ${'some words '.repeat(4000)} 00:1B:54:00:00:08` }, `lookup ${X}`],
  [{ dialog: 'help', text: 'whois' }, 'help lookup'],
  [{ dialog: 'status', text: ['x'] }, 'status typed'],
  [{ dialog: '__proto__' }, 'said: I did not understand'],
  [{ dialog: 7, text: 7 }, 'said: I did not understand'],
])('a button that sends %j means "%s"', (data, chosen) => {
  expectRoute(inWordsOf('typed', { submission: { data, cardId: 'card-1' } }), chosen);
});

it.each([`connect the printer ${X} to port 3`, `fields ${X}`])(
  '"%s", said to others, is no command',
  (text) => {
    expect(inWordsOf(text, { isAddressed: false, isPersonal: false })).toBe(`lookup ${X}`);
  },
);

it.each(['alerts here as noc', 'autoreply on'])('"%s" is for administrators', (text) => {
  const refusal = 'said: This command is for the administrators of the bot.';
  expect(inWordsOf(text, { isAdmin: false })).toBe(refusal);
});

it('a message that is searched in part says so if nothing was found', () => {
  expect(inWordsOf('a long story', { isCut: true })).toContain('searched only its first 32 KB, and found no');
  expect(inWordsOf(`lookup ${X}`, { isCut: true })).toBe(`lookup ${X}`);
});

it('a suggested command has a button, without the password behind connect', () => {
  const buttons = (text: string) => {
    const chosen = routed(text);
    return chosen.kind === 'reply' ? buttonsOf(chosen.message) : [];
  };
  expect(buttons('statsu drop')).toEqual([
    { title: 'status drop', data: { dialog: 'status', text: 'drop' } },
  ]);
  expect(buttons('conect ana hunter2')).toEqual([
    { title: 'connect', data: { dialog: 'connect', text: '' } },
  ]);
});

it('a message after the password card goes to connect, except a command', () => {
  const pending = { command: 'connect', suggested: undefined } as const;
  const say = (text: string) => inWords(route({ ...SENT, text }, { ...NOBODY_KNOWN, pending }, ALLOWED));
  expect(['hunter2', 'statsu', 'status', X].map(say)).toEqual([
    'connect hunter2',
    'connect statsu',
    'status',
    `lookup ${X}`,
  ]);
});

it.each<[earlier: string | undefined, now: string, isNew: boolean]>([
  ['statsu', 'status', true],
  [undefined, `lookup ${X}`, true],
  [undefined, 'lookup 00:1B:54:OO:OO:O7', true],
  [undefined, 'statsu', true],
  [`lookup ${X}`, `lookup ${X} please`, false],
  [`lookup ${X}`, `fields ${X}`, true],
  [`lookup ${X}`, `lookup ${X} 00:1B:54:00:00:08`, true],
  [`lookup ${X} 00:1B:54:00:00:08`, `lookup ${X}`, false],
  ['help', 'help status', true],
  ['status', 'status', false],
  [`lookup ${X}`, 'sorry, solved', false],
  ['thanks', 'thanks a lot', false],
])('"%s", edited to "%s", asks again: %s', (earlier, now, isNew) => {
  expect(asksAnew(earlier === undefined ? undefined : routed(earlier), routed(now))).toBe(isNew);
});
