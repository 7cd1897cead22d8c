import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConnect, createDisconnect } from '../../../dialogs/commands/connect.ts';
import type { Dialog } from '../../../dialogs/dialog.ts';
import type { Held } from '../../../src/credentials/exchanges.ts';
import type { ConnectReport } from '../../../src/credentials/personal-accounts.ts';
import { createFormProof, FORM_LIFETIME_MS } from '../../../src/credentials/secret-key.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { idleLookup, services } from '../all-dialogs.ts';
import { type Deed, talk } from '../talk.ts';

const MINUTE = 60_000;
const GRANTED: ConnectReport = {
  kept: true,
  until: 8_000,
  exchanges: [
    { name: 'API key', outcome: { kind: 'held', credential: new Secret('canary'), since: 0, until: 5_000 } },
    { name: 'ticket', outcome: { kind: 'refused' } },
  ],
};

const OFF = "Connecting with your own account is turned off here. Lookups run under the bot's account.";
const PERSONAL = 'Please type `connect` to me in a personal chat. Others can read what you type here.';
const NO_CARDS = 'This chat cannot show the card for your user name and password. Please connect from Teams.';
const TYPED =
  'I do not take passwords from messages. If your message holds a password, please delete the message now.';
const SENT = 'Sent. I removed the card, so that nothing you typed stays on the screen.';
const STILL_THERE =
  'I could not remove the card. Please delete it, so that nothing you typed stays on the screen.';
const NOT_MINE =
  'That card is too old, was used already, or was not made for you, so I ignored it. Type `connect` for a new card.';
const INCOMPLETE = 'Both user name and password are needed. Type `connect` to try again.';
const COLON = 'A user name for the NAC cannot hold a colon. Type `connect` to try again.';
const NOT_CONNECTED =
  'Not connected, and nothing is kept. Type `connect` to try again.\n\nticket: refused by the ticket service: user name or password is wrong';
const REFUSED =
  'Not connected, and nothing is kept. Wait <until 9 s>, then type `connect` to try again.\n\nThe NAC refused the user name or the password.';
const FORBIDDEN =
  'Not connected, and nothing is kept. Type `connect` to try again.\n\nThe NAC knows the account, but the account may not read sessions: ask for the role MnT Admin.';
const UNTRIED =
  'Connected as `alex` until <8 s>. Your lookups now run under your own account; `disconnect` ends that.\n\nThe NAC did not answer, so I could not try them. Your next lookup will.';
const WAIT_FIRST =
  'Your last try was refused. Please wait <until 9 s> before you try the same user name, so that the account does not get locked.';
const OWN_NAME = "That user name is the bot's own. Type `connect` to use yours.";
const RESTING =
  'I did not try `alex`, so that the account does not get locked. Please try again in <until 9 s>.';

const said = (text: string) => ({ kind: 'said', text });

describe('connect', () => {
  it('says that it is turned off, and asks nothing', async () => {
    expect(await talk(stage({ proof: undefined }).dialogs, 'connect')).toEqual([said(OFF)]);
  });

  it('shows a card that warns of the chat provider, says where and how long, and hides the password', async () => {
    const deeds = await talk(stage().dialogs, 'connect');
    const form = { kind: 'showed', summary: 'Connect with your own account', card: { version: '1.5' } };
    expect(deeds).toMatchObject([form]);
    const card = JSON.stringify(deeds);
    expect(card).toContain('travels through the chat provider');
    expect(card).toContain(
      'for the NAC at nac.example.com, and kept for 8 hours, or until you type disconnect.',
    );
    expect(card).toContain('"style":"Password"');
    expect(card).not.toContain('You are connected');
  });

  it('says on the card until when the person is connected already', async () => {
    const held: Held = { kind: 'held', credential: new Secret('canary'), since: 1000, until: 9000 };
    const card = JSON.stringify(await talk(stage({ held }).dialogs, 'connect'));
    expect(card).toContain('You are connected until <9 s>. This card connects you anew.');
  });

  it('promises nothing where no card can be shown, and takes no later message for a password', async () => {
    const { dialogs } = stage();
    const changes = { showsCards: false };
    expect(await talk(dialogs, 'connect', changes)).toEqual([said(NO_CARDS)]);
    expect(await talk(dialogs, 'hello', changes)).toMatchObject([{ text: expect.stringMatching(/^Hello!/) }]);
    expect(await talk(dialogs, 'connect alex hunter2', changes)).toEqual([said(`${TYPED}\n\n${NO_CARDS}`)]);
  });

  it('answers an address while the form waits', async () => {
    const { dialogs } = stage();
    await talk(dialogs, 'connect');
    const lookup: Dialog = { ...idleLookup(), answer: ({ say }) => say('looked up') };
    expect(await talk([...dialogs, lookup], 'is 00:1B:54:00:00:03 online?')).toEqual([said('looked up')]);
  });

  it('starts from a button that stands for the command, and only in a personal chat', async () => {
    const { dialogs } = stage();
    const submission = { data: { dialog: 'connect', text: '' }, cardId: 'message-2' };
    expect(await talk(dialogs, '', { submission })).toMatchObject([{ kind: 'showed' }]);
    expect(await talk(dialogs, '', { submission, isPersonal: false })).toEqual([said(PERSONAL)]);
    expect(await talk(dialogs, 'connect', { isPersonal: false })).toEqual([said(PERSONAL)]);
  });

  it.each(['connect alex hunter2', 'hunter2'])('does not use what is typed: "%s"', async (text) => {
    const { dialogs, connected } = stage();
    await talk(dialogs, 'connect');
    expect(await talk(dialogs, text)).toMatchObject([said(TYPED), { kind: 'showed' }]);
    expect(connected).toEqual([]);
  });

  it('no longer treats messages as passwords after connecting, or after ten minutes', async () => {
    const { dialogs, clock, send } = stage();
    const unknown = { text: expect.stringContaining("don't know") };
    await send();
    expect(await talk(dialogs, 'hunter2')).toMatchObject([unknown]);
    await talk(dialogs, 'connect');
    clock.now += 10 * MINUTE;
    expect(await talk(dialogs, 'hunter2')).toMatchObject([unknown]);
  });
});

describe('the form', () => {
  it('is replaced at once; then comes the result', async () => {
    const { send, connected } = stage();
    const result =
      'Connected as `alex` until <8 s>. Your lookups now run under your own account; `disconnect` ends that.\n\nAPI key: issued, until <5 s>  \nticket: refused by the ticket service: user name or password is wrong';
    const deeds = await send({ username: ' alex ', password: 'p w' });
    expect(deeds).toEqual([{ kind: 'replaced', id: 'message-2', text: SENT }, said(result)]);
    expect(connected).toEqual([['alex', 'alex', 'p w']]);
  });

  it('that cannot be replaced is to be deleted by the person', async () => {
    expect((await stage().send({}, { canReplace: false }))[0]).toEqual(said(STILL_THERE));
  });

  it.each<[string, Partial<ConnectReport>, string]>([
    ['refused by all systems', { exchanges: GRANTED.exchanges.slice(1) }, NOT_CONNECTED],
    ['refused by the NAC', { nac: 'refused', restsUntil: 9000 }, REFUSED],
    ['without the right', { nac: 'forbidden' }, FORBIDDEN],
    ['kept untried', { nac: 'unknown', kept: true, until: 8000 }, UNTRIED],
    ["the bot's own", { notTried: { kind: 'own name' } }, OWN_NAME],
    ['resting', { notTried: { kind: 'resting', until: 9000 } }, RESTING],
  ])('tells of an account that is %s', async (_, changes, text) => {
    const report = { kept: false, until: 0, exchanges: [], ...changes };
    expect((await stage({ report }).send()).at(-1)).toEqual(said(text));
  });

  it('after a refusal says the wait first, until another try is accepted', async () => {
    const report: ConnectReport = { kept: false, until: 0, exchanges: [], nac: 'refused', restsUntil: 9000 };
    const { dialogs, send, clock } = stage({ report });
    clock.now = 5000;
    const form = await formData(dialogs);
    clock.now++;
    await send();
    expect(await talk(dialogs, 'connect')).toMatchObject([said(WAIT_FIRST), { kind: 'showed' }]);
    Object.assign(report, GRANTED);
    await send({}, {}, form);
    expect(await talk(dialogs, 'connect')).toMatchObject([{ kind: 'showed' }]);
  });

  it.each([
    ['empty', { username: '', password: '' }, INCOMPLETE],
    ['without a password', { password: undefined }, INCOMPLETE],
    ['with numbers', { username: 5, password: 6 }, INCOMPLETE],
    ['with a colon', { username: 'a:b' }, COLON],
  ])('is not used if it is %s', async (_, typed, text) => {
    const { send, connected } = stage();
    expect((await send(typed)).at(-1)).toEqual(said(text));
    expect(connected).toEqual([]);
  });

  it.each<[string, (data: Data) => Data, string]>([
    ['forged', (data) => ({ ...data, proof: 'AAAA' }), 'alex'],
    ['with another time', (data) => ({ ...data, issuedAt: Number(data.issuedAt) + 1 }), 'alex'],
    ['without proof', ({ dialog }) => ({ dialog }), 'alex'],
    ["another person's", (data) => data, 'patti'],
  ])('that is %s does nothing, and touches no message but the form', async (_, change, person) => {
    const { dialogs, connected } = stage();
    const data = change({ ...(await formData(dialogs)), username: 'alex', password: 'x' });
    const submission = { data, cardId: 'an answer' };
    expect(await talk(dialogs, '', { person, submission })).toEqual([said(NOT_MINE)]);
    expect(connected).toEqual([]);
  });

  it('older than ten minutes, in a group, or used already does nothing', async () => {
    const { dialogs, connected, clock, send } = stage();
    const old = await formData(dialogs);
    const told = [{ kind: 'replaced', id: 'message-2', text: PERSONAL }, said(PERSONAL)];
    expect(await send({}, { isPersonal: false }, old)).toEqual(told);
    clock.now += 10 * MINUTE + 1;
    await send({}, {}, old);
    expect(connected).toEqual([]);
    const data = await formData(dialogs);
    await send({}, {}, data);
    for (const end of ['', '=', ' ', '\n', '!']) {
      expect(await send({ proof: `${data.proof}${end}` }, {}, data)).toEqual([said(NOT_MINE)]);
    }
    expect(connected).toHaveLength(1);
  });
});

it.each([
  [
    { kind: 'held', credential: new Secret('x'), since: 0, until: 1 } as const,
    "Disconnected. I forgot your user name, your password and every credential issued for them. Your lookups now run under the bot's account.",
  ],
  [
    undefined,
    "You are not connected, so there is nothing to forget. Your lookups run under the bot's account.",
  ],
])('disconnect forgets what is kept, and says so: %j', async (held, text) => {
  const { dialogs, disconnected } = stage({ held });
  expect(await talk(dialogs, 'disconnect')).toEqual([said(text)]);
  expect(disconnected).toEqual(['alex']);
});

type Data = Record<string, unknown>;

/** Opens the form like a person. Returns what its button sends. */
async function formData(dialogs: readonly Dialog[]): Promise<Data> {
  const [deed] = (await talk(dialogs, 'connect')) as [Extract<Deed, { kind: 'showed' }>];
  return { ...deed.card.actions[0]?.data };
}

type Script = { report?: ConnectReport; held?: Held | undefined; proof?: undefined };

function stage({ report = GRANTED, held, ...script }: Script = {}) {
  const clock = { now: 1_000_000 };
  const connected: string[][] = [];
  const disconnected: string[] = [];
  const { vault: none } = services();
  const bot = services({
    now: () => clock.now,
    vault: {
      ...none,
      basic: async (owner) => held ?? none.basic(owner),
      async connect(person, { username, password }) {
        connected.push([person, username, password.reveal()]);
        return report;
      },
      disconnect: async (person) => void disconnected.push(person),
    },
  });
  const proof = createFormProof([new Secret(randomBytes(32).toString('base64'))], bot.now);
  const form = { proof, formLifetimeMs: FORM_LIFETIME_MS, nacHost: 'nac.example.com', ttlHours: 8 };
  const dialogs = [createConnect({ ...bot, ...form, ...script }), createDisconnect(bot)];
  /** Sends the form with what was typed. */
  const send = async (typed: Data = {}, changes: Parameters<typeof talk>[2] = {}, form?: Data) => {
    const data = { ...(form ?? (await formData(dialogs))), username: 'alex', password: 'x', ...typed };
    return talk(dialogs, '', { submission: { data, cardId: 'message-2' }, ...changes });
  };
  return { dialogs, send, connected, disconnected, clock };
}
