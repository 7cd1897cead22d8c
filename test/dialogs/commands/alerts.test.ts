import { expect, it } from 'vitest';
import { textOf } from '../../../src/sandbox/chat.ts';
import { inThread, transcriptOf } from '../../replies.ts';
import { startBot } from '../../start-bot.ts';

const WAYS =
  '`alerts here as NAME` names this place, so that monitoring systems can send alerts to it.  \n`alerts list` lists the names; `alerts stop NAME` removes a name.  \n`alerts help` says what senders need; `alerts test NAME` sends a test alert.  \nA name has up to 64 letters, digits, dots, hyphens and underscores, and no spaces.';

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

const HOSTLESS = /`https:\/\/<PUBLIC_HOST>\/api\/alerts\/b%C3%BCro`.*setting PUBLIC_HOST is missing/s;
const LONG = 'x'.repeat(65);
const OFF = 'Alerts are off: the bot has no ALERTS_TOKEN, so monitoring systems cannot send any.';
const WIFI = 'Names that have a place:  \n`wifi`: `personal`';

const HOST = { PUBLIC_HOST: 'bot.example.com' };

type Row = [typed: string, text: unknown, list?: string];
it.each<Row>([
  ['Alerts HERE  AS core-network ', SAVED, WIFI.replace('\n', '\n`core-network`: `personal`  \n')],
  ['alerts stop wifi', 'Alerts for `wifi` are no longer answered.', `No place has a name yet.\n\n${WAYS}`],
  ['alerts stop core-network', 'No place has the name `core-network`. `alerts list` lists the names.'],
  ['alerts help', `\`https://bot.example.com/api/alerts/NAME\`\n\n${TOKEN}`],
  ...['', ' here as', ' stop', ' begin', ' test'].map((typed): Row => [`alerts${typed}`, WAYS]),
  ...['two words', '*x*', '..', LONG].map((name): Row => [`alerts here as ${name}`, WAYS]),
  ['alerts stop two words', WAYS],
  ['alerts test *x*', WAYS],
  ['alerts test core-network', 'No place has the name `core-network`. `alerts list` lists the names.'],
])('alerts, where a place is called wifi, answers "%s"', async (typed, text, list = WIFI) => {
  const bot = await startBot({ settings: HOST });
  await bot.say('alerts here as wifi');
  expect(await bot.ask(typed)).toEqual(text);
  expect(await bot.ask('alerts list')).toBe(list);
  expect(bot.calls).toEqual([]);
});

it('alerts says without ALERTS_TOKEN that alerts are off', async () => {
  const bot = await startBot({ settings: { ...HOST, ALERTS_TOKEN: '' } });
  for (const typed of ['', ' here as wifi', ' list']) expect(await bot.ask(`alerts${typed}`)).toBe(OFF);
});

it('alerts names the missing setting where it does not know its host', async () => {
  const { texts } = await (await startBot()).say('alerts here as büro');
  expect(texts).toEqual([expect.stringMatching(HOSTLESS)]);
});

it('a place whose name is taken gets a message about that', async () => {
  const bot = await startBot();
  for (const _ of ['first', 'again']) await bot.say('alerts here as wifi', inThread('19:old'));
  expect(bot.replies).toHaveLength(2);
  await bot.say('alerts here as wifi', inThread('19:new'));
  await bot.replied(4);
  const text = 'Alerts for `wifi` no longer come here: `Alex` has taken the name for another place.';
  const there = bot.replies.filter(({ conversationId }) => conversationId === '19:old');
  expect(there.map(textOf).slice(2)).toEqual([text]);
});

it('alerts test sends an alert with an address that no device has', async () => {
  const bot = await startBot({ settings: { NAC_LINK: 'https://nac.example.com/{mac}' } });
  await bot.say('alerts here as wifi', { ...inThread('19:noc'), localTimezone: 'Asia/Tokyo' });
  expect(await bot.ask('alerts test wifi')).toBe(
    'A test alert with `00:00:5E:00:53:01` is on its way to `wifi`. No device has this address, so the answer says that there is no session.',
  );
  await bot.replied(3);
  expect(transcriptOf(bot.replies)[2]).toMatch(/^POST Alert firing: Test alert\n/);
  expect(bot.replies[2]?.conversationId).toBe('19:noc');
  const shown = JSON.stringify(bot.replies[2]?.activity);
  for (const words of ['https://nac.example.com/00:00:5E:00:53:01', ' GMT+9 ('])
    expect(shown).toContain(words);
  expect(bot.posts()[0]).toMatch(/^Alert firing: Test alert\nSource: .*typed by.*Alex/);
  expect(bot.calls).toMatchObject([{ path: expect.stringContaining('00:00:5E:00:53:01') }]);
});

it('alerts list says whose a name is, and how many alerts held no address', async () => {
  const bot = await startBot({ settings: HOST });
  const thread = { ...inThread('19:lab;messageid=1'), channelData: { team: { name: 'Network' } } };
  await bot.say('alerts here as Core', thread);
  for (const name of ['core', 'CORE']) await bot.alert('door is open', { thread: name });
  const { texts } = await bot.say('alerts list');
  const place = '`Network`; 2 alerts without an address since the start';
  expect(texts).toEqual([`Names that have a place:  \n\`Core\`: ${place}`]);
  expect(await bot.ask('alerts stop cORE')).toBe('Alerts for `cORE` are no longer answered.');
  await bot.alert('door is open', { thread: 'core' });
  expect(bot.logged('request refused')).toMatchObject([{ status: 404, alert: 'core', from: '127.0.0.1' }]);
});
