import { describe, expect, it } from 'vitest';
import { welcomeMessage } from '../../../dialogs/commands/help.ts';
import { inThread, only, TEXT } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';
import { buttonsOf } from '../cards.ts';

const MENTION = 'Here, mention me first: `@bot lookup AA:BB:CC:DD:EE:FF`';
const WATCH = ['watch', 'watching', 'unwatch'];
const NAMES = 'lookup fields watch watching unwatch recent status connect disconnect alerts help';
const PERSONAL = NAMES.split(' ');
const SHARED = ['lookup', 'fields', ...WATCH, 'recent', 'status', 'alerts', 'autoreply', 'help'];
const COMMON = ['lookup AA:BB:CC:DD:EE:FF', 'fields AA:BB:CC:DD:EE:FF', 'recent', 'status'];

const bot = await startBot();
const { texts } = await bot.say('help', TEXT);
const { texts: shared } = await bot.say('help', { ...TEXT, ...inThread('19:noc') });
const namesIn = (text = '') => [...text.matchAll(/^`(\w+)[^`]*`: /gm)].map(([, name = '']) => name);

describe('help', () => {
  it('lists the commands between an introduction and a hint', () => {
    const [intro, list, ...outro] = texts[0]?.split('\n\n') ?? [];
    expect(intro).toBe('I ask the network access control system (NAC) about devices. I only read. Commands:');
    expect(list?.split('  \n')).toHaveLength(PERSONAL.length);
    expect(outro).toEqual(['A MAC address alone is a lookup too.']);
  });

  it.each(['help', 'help lookup', 'What can you do?'])('has buttons in personal chats: %s', async (typed) => {
    const card = only((await bot.say(typed)).replies);
    const buttons = buttonsOf(card);
    expect(buttons.map(({ title }) => title)).toEqual(COMMON);
    expect(buttons.map(({ data }) => data.dialog)).toEqual(COMMON.map((each) => each.split(' ')[0]));
    const [, ...list] = String(card.activity.summary).split('\n');
    expect(list.slice(0, -1).map((each) => each.split(/\W/)[0])).toEqual(PERSONAL);
  });

  it('lists what is of use in a channel, and says that it needs a mention', () => {
    expect(namesIn(shared[0])).toEqual(SHARED);
    expect(shared[0]?.split('\n\n').at(-1)).toBe(MENTION);
  });

  it('lists for others no commands of administrators, and none that is off', async () => {
    const other = await startBot({ settings: { ADMINS: 'nobody', PERSONAL_SIGN_IN: '', WATCH: '0' } });
    const left = ['lookup', 'fields', 'recent', 'status', 'help'];
    expect(namesIn((await other.say('help', TEXT)).texts[0])).toEqual(left);
  });
});

const WELCOME = [
  'Hello! I ask the network access control system (NAC) about devices. I only read. Three things to try:',
  'Send me a MAC address, in any spelling: `lookup AA:BB:CC:DD:EE:FF`',
  'Paste some lines of a log: I find every address in them, up to 20.',
  'Type `help` for all I can do.',
];

it('the welcome says what to try, with a button for each', () => {
  const welcome = welcomeMessage(true);
  expect(welcome.text).toBe(WELCOME.join('\n\n'));
  expect(welcome.summary).toBe(WELCOME.join('\n').replaceAll('`', ''));
  expect(welcomeMessage(false).text).toBe([...WELCOME, MENTION].join('\n\n'));
  expect(buttonsOf(welcome)).toEqual([
    { title: 'Try an example', data: { dialog: 'lookup', text: 'AA:BB:CC:DD:EE:FF' } },
    { title: 'Help', data: { dialog: 'help', text: '' } },
    { title: 'Status', data: { dialog: 'status', text: '' } },
  ]);
});
