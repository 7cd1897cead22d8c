import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRecentLookups } from '../../dialogs/lookup/device-lookups.ts';
import { readWatchRequest } from '../../dialogs/read-message.ts';
import { askedBy, asksSomethingNew, isSlashCommand, route, type Sent } from '../../dialogs/route.ts';

import { buttonsOf } from './cards.ts';
import { NOBODY_KNOWN, SENT } from './outcomes.ts';

const X = '00:1B:54:00:00:07';
const ALLOWED = { allowsUsers: false };
const routed = (text: string, sent: object = {}) => route({ ...SENT, text, ...sent }, NOBODY_KNOWN, ALLOWED);
const inWordsOf = (text: string, sent: Partial<Sent> = {}) => inWords(routed(text, sent));

function inWords(chosen: ReturnType<typeof route>): string {
  if (chosen.kind === 'silence') return 'silence';
  if (chosen.kind === 'reply') return `said: ${chosen.message.text}`;
  const { command, addresses, text, notes } = chosen;
  const name = command === 'watch' && text === 'changes' ? 'watch changes' : command;
  const words = [name, addresses.join(' ') || (command === 'lookup' ? '' : text)].join(' ');
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
      const chosen = route({ ...SENT, text, ...sent }, known, { allowsUsers: byUser });
      recent.noteQuestion(place, chosen);
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
      else if (mark === '+') beside = { hasUnseen: true };
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
  [{ dialog: 'status', text: ['x'] }, 'status typed'],
  [{ dialog: '__proto__' }, 'said: I did not understand'],
  [{ dialog: 7, text: 7 }, 'said: I did not understand'],
])('a button that sends %j means "%s"', (data, chosen) => {
  expectRoute(inWordsOf('typed', { submission: { data, cardId: 'card-1' } }), chosen);
});

it.each(['alerts here as noc', 'autoreply on'])('"%s" is for administrators', (text) => {
  const refusal = 'said: This command is for the administrators of the bot.';
  expect(inWordsOf(text, { isAdmin: false })).toBe(refusal);
});

it('a message that is searched in part says so', () => {
  expect(inWordsOf('a long story', { isCut: true })).toContain('searched only its first 32 KB, and found no');
  expect(inWordsOf(`lookup ${X}`, { isCut: true })).toMatch(/ \| .* its first 32 KB\.$/);
});

it('a suggested command has a button, without the password behind connect', () => {
  const buttons = (text: string) => {
    const chosen = routed(text);
    return chosen.kind === 'reply' ? buttonsOf(chosen.message) : [];
  };
  const status = { title: 'status drop', data: { dialog: 'status', text: 'drop' } };
  const connect = { title: 'connect', data: { dialog: 'connect', text: '' } };
  expect([buttons('statsu drop'), buttons('conect ana hunter2')]).toEqual([[status], [connect]]);
});

it('a message after the password card goes to connect, except a command', () => {
  const pending = { kind: 'sign-in' } as const;
  const say = (text: string) => inWords(route({ ...SENT, text }, { ...NOBODY_KNOWN, pending }, ALLOWED));
  const chosen = ['connect hunter2', 'connect statsu', 'status', `lookup ${X}`];
  expect(['hunter2', 'statsu', 'status', X].map(say)).toEqual(chosen);
});

it.each<[earlier: string | undefined, now: string, isNew: boolean]>([
  ['statsu', 'status', true],
  [undefined, `lookup ${X}`, true],
  [undefined, 'statsu', true],
  [`lookup ${X}`, `lookup ${X} please`, false],
  [`lookup ${X}`, `fields ${X}`, true],
  [`lookup ${X}`, `lookup ${X} 00:1B:54:00:00:08`, true],
  [`lookup ${X} 00:1B:54:00:00:08`, `lookup ${X}`, true],
  ['help', 'help status', true],
  ['status', 'status', false],
  [`lookup ${X}`, 'sorry, solved', false],
  ['thanks', 'thanks a lot', false],
])('"%s", edited to "%s", asks again: %s', (earlier, now, isNew) => {
  expect(asksSomethingNew(earlier && askedBy(routed(earlier)), routed(now))).toBe(isNew);
});

it('a long text is read in linear time', () => {
  const begun = performance.now();
  for (const part of ['please ', 'tell me when ', 'when x ', '\n', 'can you, '])
    readWatchRequest(part.repeat(32_768 / part.length));
  expect(performance.now() - begun).toBeLessThan(100);
});
