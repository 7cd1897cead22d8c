import { expect, it } from 'vitest';
import { inThread, only, TEXT, transcriptOf } from '../../replies.ts';
import { type BotOptions, startBot } from '../../start-bot.ts';

const AT = { at: '2026-01-15T14:05:00Z' };

const PERSONAL = 'Please type `connect` to me in a personal chat. Others can read what you type here.';
const NO_CARDS = 'This chat cannot show the card for your user name and password. Please connect from Teams.';
const TYPED =
  'I do not take passwords from messages. If your message holds a password, please delete the message now.';
const FORM = 'Connect with your own account';
const UNUSABLE = /^Both user name and password are needed, and the user name cannot hold a colon\./;
const CONNECTED =
  /^Connected as `alex` until 15 Jan, 22:05 UTC\. Your lookups now run under your own account;/;
const WAIT_THEN = 'Not connected, and nothing is kept. Wait 60 seconds, then type `connect` to try again.';

const ALEX = { username: 'alex', password: 'alex' };
/** No exchange issues anything, so the NAC alone judges an account. */
const NAC_ALONE = Object.fromEntries(
  ['AUTHORIZE_URL', 'AUTHORIZE_USERNAME', 'AUTHORIZE_PASSWORD', 'AUTHORIZE_SDK_PREFIX']
    .concat('TICKET_URL', 'TICKET_USERNAME', 'TICKET_PASSWORD')
    .map((name) => [name, '']),
);

it('connect uses nothing that is typed, and shows its form privately', async () => {
  const bot = await startBot();
  for (const [typed, texts, changes] of [
    ['connect', [PERSONAL], inThread('19:noc')],
    ['connect', [NO_CARDS], TEXT],
    ['connect alex hunter2', [TYPED, NO_CARDS], TEXT],
    ['connect alex hunter2', [TYPED, FORM]],
    ['connect', [FORM]],
    ['hunter2', [TYPED, FORM]], // Its form waits.
  ] as const)
    expect((await bot.say(typed, changes)).texts).toEqual(texts);
  const button = { dialog: 'connect', text: '' };
  expect((await bot.press(button)).texts).toEqual([FORM]);
  expect((await bot.press(button, inThread('19:noc'))).texts).toEqual([PERSONAL]);
  expect([bot.calls, bot.otherCalls]).toEqual([[], []]);
});

it('connect says where it is turned off', async () => {
  const bot = await startBot({ settings: { PERSONAL_SIGN_IN: '' } });
  expect(await bot.ask('connect')).toMatch(/^Connecting .* is turned off here\./);
});

it('connect says on its form through whom a password travels', async () => {
  const form = JSON.stringify(only((await (await startBot()).say('connect')).replies));
  for (const part of ['travels through the chat provider', '"style":"Password"'])
    expect(form).toContain(part);
});

it('the form is replaced at once; then comes the result', async () => {
  const bot = await startBot({ ...AT, settings: { TICKET_URL: 'http://127.0.0.1:1' } });
  await bot.say('connect');
  await bot.restart(); // Another process may have shown the form.
  const { replies } = await bot.press('Connect', { typed: { ...ALEX, username: ' alex ' } });
  expect(transcriptOf(replies)).toEqual([
    'PUT Sent. I removed the card, so that nothing you typed stays on the screen.',
    expect.stringMatching(/^POST Connected as `alex` [\s\S]*\n\nticket: the .*$/),
  ]);
  expect(replies[0]).toMatchObject({ id: bot.replies[0]?.id, activity: { attachments: [] } });
});

it('a form that cannot be replaced is to be deleted by the person', async () => {
  const bot = await startBot();
  await bot.say('connect');
  bot.refuse(405);
  const { texts } = await bot.press('Connect', { typed: ALEX });
  expect(texts[0]).toMatch(/^I could not remove the card\. Please delete it/);
});

it.each<[string, BotOptions, ...texts: Array<string | RegExp>]>([
  ['refused by the NAC', { nac: () => 401 }, WAIT_THEN, /\n\nThe NAC refused the user .* password\.$/],
  ['without the right', { nac: () => 403 }, /^Not connected/, /\n\nThe NAC knows .* role MnT Admin\.$/],
  ['kept untried', { nac: () => 0 }, CONNECTED, /\n\nThe NAC did not answer, so I could not try them\./],
])('the form tells of an account that is %s', async (_, options, ...texts) => {
  const bot = await startBot({ ...AT, settings: NAC_ALONE, ...options });
  await bot.say('connect');
  const answer = (await bot.press('Connect', { typed: ALEX })).texts.at(-1);
  for (const text of texts) expect(answer).toMatch(text);
});

it('the form shows that every system refused, then that it rests', async () => {
  const bot = await startBot(AT);
  const typed = { ...ALEX, password: 'wrong' };
  await bot.say('connect');
  expect((await bot.press('Connect', { typed })).texts.at(-1)).toBe(
    `${WAIT_THEN}\n\nAPI key: refused by the authorization service: user name or password is wrong  \nticket: refused by the ticket service: user name or password is wrong`,
  );
  await bot.say('connect');
  expect((await bot.press('Connect', { typed })).texts.at(-1)).toMatch(
    /^Not connected, .* Wait (?:\d+ seconds|1 minute), .*\n\nI did not try them, so that the account does not get locked\.$/,
  );
});

it.each([
  ['without a password', { username: 'alex' }, UNUSABLE],
  ['with numbers', { username: 5, password: 6 }, UNUSABLE],
  ['with a colon', { ...ALEX, username: 'a:b' }, UNUSABLE],
  ["with the bot's own name", { ...ALEX, username: 'sandbox' }, /\n\nThat user name is the bot's own\.$/],
])('the form is not used if it is %s', async (_, typed, text) => {
  const bot = await startBot({ settings: NAC_ALONE });
  await bot.say('connect');
  expect((await bot.press('Connect', { typed })).texts.at(-1)).toMatch(text);
  expect(bot.calls).toEqual([]);
});

it('disconnect forgets what is kept', async () => {
  const bot = await startBot();
  await bot.say('connect');
  expect((await bot.press('Connect', { typed: ALEX, ...inThread('19:noc') })).texts).toEqual([PERSONAL]);
  await bot.press('Connect', { typed: ALEX });
  const more = (await bot.say('hunter2')).texts; // The form waits no more.
  expect(more).toEqual([expect.stringContaining('I look up devices by MAC address')]);
  expect(await bot.ask('disconnect')).toMatch(/^Disconnected\. I forgot your user name, your password/);
});
