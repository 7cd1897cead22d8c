import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConnect, createDisconnect } from '../../../dialogs/commands/connect.ts';
import type { Dialog } from '../../../dialogs/dialog.ts';
import type { Held } from '../../../src/credentials/exchanges.ts';
import type { ConnectReport } from '../../../src/credentials/personal-accounts.ts';
import { createFormProof } from '../../../src/credentials/secret-key.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { idleLookup, services } from '../all-dialogs.ts';
import { wordsOf } from '../cards.ts';
import { type Deed, talk } from '../talk.ts';

const MINUTE = 60_000;
const HELD: Held = { kind: 'held', credential: new Secret('canary'), since: 1000, until: 9000 };
const REFUSED = { nac: 'refused', restsUntil: 9000 } as const;
const GRANTED: ConnectReport = {
  kept: true,
  until: 8_000,
  exchanges: [
    { name: 'API key', outcome: { kind: 'held', credential: new Secret('canary'), since: 0, until: 5_000 } },
    { name: 'ticket', outcome: { kind: 'refused' } },
  ],
};

const PERSONAL = 'Please type `connect` to me in a personal chat. Others can read what you type here.';
const NO_CARDS = 'This chat cannot show the card for your user name and password. Please connect from Teams.';
const TYPED =
  'I do not take passwords from messages. If your message holds a password, please delete the message now.';
const SENT = 'Sent. I removed the card, so that nothing you typed stays on the screen.';
const NOT_MINE =
  'That card is too old, was used already, or was not made for you, so I ignored it. Type `connect` for a new card.';
const OFF = { text: expect.stringMatching(/^Connecting .* is turned off here\./) };
const INCOMPLETE = /^Both user name and password are needed\./;
const CONNECTED =
  'Connected as `alex` until <8 s>. Your lookups now run under your own account; `disconnect` ends that.';
const TICKET = 'ticket: refused by the ticket service: user name or password is wrong';
const NOT_CONNECTED = 'Not connected, and nothing is kept. Type `connect` to try again.';
const WAIT_THEN = 'Not connected, and nothing is kept. Wait <until 9 s>, then type `connect` to try again.';
const MAY_NOT =
  'The NAC knows the account, but the account may not read sessions: ask for the role MnT Admin.';
const UNTRIED = 'The NAC did not answer, so I could not try them. Your next lookup will.';
const OWN_NAME = "That user name is the bot's own. Type `connect` to use yours.";
const RESTING =
  'I did not try `alex`, so that the account does not get locked. Please try again in <until 9 s>.';

const FORGOTTEN =
  "Disconnected. I forgot your user name, your password and every credential issued for them. Your lookups now run under the bot's account.";
const NOTHING_KEPT =
  "You are not connected, so there is nothing to forget. Your lookups run under the bot's account.";

const said = (text: string) => ({ kind: 'said', text });

const SHOWED = { kind: 'showed' };
const BUTTON = { submission: { data: { dialog: 'connect', text: '' }, cardId: 'message-2' } };

describe('connect', () => {
  it.each<[string, object[], object?, Script?]>([
    ['connect', [OFF], {}, { proof: undefined }],
    ['connect', [said(NO_CARDS)], { showsCards: false }],
    ['connect alex hunter2', [said(`${TYPED}\n\n${NO_CARDS}`)], { showsCards: false }],
    ['connect alex hunter2', [said(TYPED), SHOWED]],
    ['', [SHOWED], BUTTON],
    ['', [said(PERSONAL)], { ...BUTTON, isPersonal: false }],
  ])('"%s" is answered with %j, and uses nothing that is typed', async (typed, deeds, changes, script) => {
    const { dialogs, connected } = stage(script);
    expect(await talk(dialogs, typed, changes)).toMatchObject(deeds);
    expect(connected).toEqual([]);
  });

  it.each([
    [undefined, []],
    [HELD, ['You are connected until <9 s>. This card connects you anew.']],
  ])('shows where, how long and what travels on a card: connected with %j', async (held, already) => {
    const [form] = await talk(stage({ held }).dialogs, 'connect');
    const [, , where, ...more] = form?.kind === 'showed' ? wordsOf(form.card) : [];
    expect(where).toMatch(/ NAC at nac\.example\.com, and kept for 8 hours, or until you type disconnect\.$/);
    expect(more).toEqual([...already, expect.stringContaining('travels through the chat provider')]);
    expect(JSON.stringify(form)).toContain('"style":"Password"');
  });

  it('takes messages for passwords while its card waits: not with an address or a command, nor ten minutes later', async () => {
    const { dialogs, clock, send, connected } = stage();
    const unknown = [{ text: expect.stringContaining("don't know") }];
    await talk(dialogs, 'connect', { showsCards: false });
    expect(await talk(dialogs, 'hunter2')).toMatchObject(unknown);
    await talk(dialogs, 'connect');
    expect(await talk(dialogs, 'hunter2')).toMatchObject([said(TYPED), SHOWED]);
    const lookup: Dialog = { ...idleLookup(), answer: ({ say }) => say('looked up') };
    expect(await talk([...dialogs, lookup], 'is 00:1B:54:00:00:03 online?')).toEqual([said('looked up')]);
    expect(connected).toEqual([]);
    expect(await talk([...dialogs, lookup], 'lookup 00:1B:54')).toEqual([said('looked up')]);
    clock.now += 5 * MINUTE;
    expect(await talk(dialogs, 'hunter2')).toMatchObject([said(TYPED), SHOWED]);
    clock.now += 5 * MINUTE;
    expect(await talk(dialogs, 'hunter2')).toMatchObject(unknown);
    await talk(dialogs, 'connect');
    await send();
    expect(await talk(dialogs, 'hunter2')).toMatchObject(unknown);
  });
});

describe('the form', () => {
  it('is replaced at once; then comes the result', async () => {
    const { send, connected } = stage();
    const result = said(`${CONNECTED}\n\nAPI key: issued, until <5 s>  \n${TICKET}`);
    const deeds = await send({ username: ' alex ', password: 'p w' });
    expect(deeds).toEqual([{ kind: 'replaced', id: 'message-2', text: SENT }, result]);
    expect(connected).toEqual([['alex', 'alex', 'p w']]);
  });

  it('that cannot be replaced is to be deleted by the person', async () => {
    const text = expect.stringMatching(/^I could not remove the card\. Please delete it/);
    expect((await stage().send({}, { canReplace: false }))[0]).toMatchObject({ text });
  });

  it.each<[string, Partial<ConnectReport>, string[]]>([
    ['refused by all systems', { exchanges: GRANTED.exchanges.slice(1) }, [NOT_CONNECTED, TICKET]],
    ['refused by the NAC', REFUSED, [WAIT_THEN, 'The NAC refused the user name or the password.']],
    ['without the right', { nac: 'forbidden' }, [NOT_CONNECTED, MAY_NOT]],
    ['kept untried', { nac: 'unknown', kept: true, until: 8000 }, [CONNECTED, UNTRIED]],
    ['accepted', { nac: 'accepted', kept: true, until: 8000 }, [CONNECTED]],
    ["the bot's own", { notTried: { kind: 'own name' } }, [OWN_NAME]],
    ['resting', { notTried: { kind: 'resting', until: 9000 } }, [RESTING]],
  ])('tells of an account that is %s', async (_, changes, paragraphs) => {
    const report = { kept: false, until: 0, exchanges: [], ...changes };
    expect((await stage({ report }).send()).at(-1)).toEqual(said(paragraphs.join('\n\n')));
  });

  it.each([
    ['empty', { username: '', password: '' }, INCOMPLETE],
    ['without a password', { password: undefined }, INCOMPLETE],
    ['with numbers', { username: 5, password: 6 }, INCOMPLETE],
    ['with a colon', { username: 'a:b' }, /^A user name for the NAC cannot hold a colon\./],
  ])('is not used if it is %s', async (_, typed, text) => {
    const { send, connected } = stage();
    expect((await send(typed)).at(-1)).toMatchObject({ text: expect.stringMatching(text) });
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
  [HELD, FORGOTTEN],
  [undefined, NOTHING_KEPT],
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
  const form = { proof, nacHost: 'nac.example.com', ttlHours: 8 };
  const dialogs = [createConnect({ ...bot, ...form, ...script }), createDisconnect(bot)];
  const send = async (typed: Data = {}, changes: Parameters<typeof talk>[2] = {}, form?: Data) => {
    const data = { ...(form ?? (await formData(dialogs))), username: 'alex', password: 'x', ...typed };
    return talk(dialogs, '', { submission: { data, cardId: 'message-2' }, ...changes });
  };
  return { dialogs, send, connected, disconnected, clock };
}
