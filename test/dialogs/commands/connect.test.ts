import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConnect, createDisconnect } from '../../../dialogs/commands/connect.ts';
import type { Dialog } from '../../../dialogs/dialog.ts';
import type { ConnectReport } from '../../../src/credentials/credential-outcome.ts';
import { createFormProof, FORM_LIFETIME_MS } from '../../../src/credentials/form-proof.ts';
import type { Vault } from '../../../src/credentials/vault.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { services } from '../all-dialogs.ts';
import { type Deed, talk } from '../talk.ts';

const MINUTE = 60_000;
const CARD = { nacHost: 'nac.example.com', ttlHours: 8 };
const NOT_MINE =
  'That card is too old, was used already, or was not made for you, so I ignored it. Type `connect` for a new card.';
const GRANTED: ConnectReport = {
  kept: true,
  until: 8_000,
  exchanges: [
    { name: 'API key', outcome: { kind: 'granted', credential: new Secret('canary'), until: 5_000 } },
    { name: 'ticket', outcome: { kind: 'refused' } },
  ],
};

describe('connect', () => {
  it('says that it is turned off, and asks nothing', async () => {
    const dialogs = [
      createConnect({
        ...CARD,
        vault: vaultThat(GRANTED).vault,
        proof: undefined,
        formLifetimeMs: 0,
        now: () => 0,
      }),
    ];
    expect(await talk(dialogs, 'connect')).toEqual([
      {
        kind: 'said',
        text: "Connecting with your own account is turned off here. Lookups run under the bot's account.",
      },
    ]);
  });

  it('says that it works in a personal chat only, and asks nothing', async () => {
    const { dialogs } = stage();
    expect(await talk(dialogs, 'connect', { isPersonal: false })).toEqual([
      {
        kind: 'said',
        text: 'Please type `connect` to me in a personal chat. Others can read what you type here.',
      },
    ]);
  });

  it('shows a card that warns of the chat provider and hides the password', async () => {
    const { dialogs } = stage();
    const [deed, ...others] = await talk(dialogs, 'connect');
    expect(others).toEqual([]);
    expect(deed).toMatchObject({
      kind: 'showed',
      summary: 'Connect with your own account',
      card: { version: '1.5' },
    });
    const card = JSON.stringify(deed);
    expect(card).toContain('travels through the chat provider');
    expect(card).toContain('"style":"Password"');
  });

  it('says on the card for which system, for how long, and no word of a connection that is not there', async () => {
    const { dialogs } = stage();
    const card = JSON.stringify((await talk(dialogs, 'connect'))[0]);
    expect(card).toContain(
      'They are for the NAC at nac.example.com, and kept for 8 hours, or until you type disconnect.',
    );
    expect(card).not.toContain('You are connected');
  });

  it('says on the card until when the person is connected already', async () => {
    const held = { kind: 'held', credential: new Secret('canary'), since: 1000, until: 9000 } as const;
    const { dialogs } = stage(GRANTED, held);
    const card = JSON.stringify((await talk(dialogs, 'connect'))[0]);
    expect(card).toContain('You are connected until <9 s>. This card connects you anew.');
  });

  it('promises nothing where no card can be shown, and takes no later message for a password', async () => {
    const { dialogs } = stage();
    const text = 'This chat cannot show the card for your user name and password. Please connect from Teams.';
    const changes = { showsCards: false };
    expect(await talk(dialogs, 'connect', changes)).toEqual([{ kind: 'said', text }]);
    expect(await talk(dialogs, 'hello', changes)).toMatchObject([{ text: expect.stringMatching(/^Hello!/) }]);
    expect(await talk(dialogs, 'connect alex hunter2', changes)).toEqual([
      { kind: 'said', text: expect.stringMatching(/please delete the message now\.\n\nThis chat cannot/) },
    ]);
  });

  it('answers a command or an address while the form waits', async () => {
    const other = (name: string): Dialog => ({
      name,
      summary: '',
      examples: [],
      details: [],
      answer: ({ say }) => say(name),
    });
    const dialogs = [...stage().dialogs, other('lookup'), other('status')];
    await talk(dialogs, 'connect');
    expect(await talk(dialogs, 'status')).toEqual([{ kind: 'said', text: 'status' }]);
    expect(await talk(dialogs, 'is 00:1B:54:00:00:03 online?')).toEqual([{ kind: 'said', text: 'lookup' }]);
  });

  it('replaces the card at once, then says the result', async () => {
    const { dialogs, connected } = stage();
    const data = { ...(await formData(dialogs)), username: ' alex ', password: 'p w' };
    expect(await talk(dialogs, '', { submission: { data, cardId: 'message-2' } })).toEqual([
      {
        kind: 'replaced',
        id: 'message-2',
        text: 'Sent. I removed the card, so that nothing you typed stays on the screen.',
      },
      {
        kind: 'said',
        text: 'Connected as `alex` until <8 s>. Your lookups now run under your own account; `disconnect` ends that.\n\nAPI key: issued, until <5 s>  \nticket: refused by the ticket service: user name or password is wrong',
      },
    ]);
    expect(connected).toEqual([['alex', 'alex', 'p w']]);
  });

  it('starts from a button that stands for the command, and only in a personal chat', async () => {
    const { dialogs } = stage();
    const submission = { data: { dialog: 'connect', text: '' }, cardId: 'message-2' };
    expect(await talk(dialogs, '', { submission })).toMatchObject([{ kind: 'showed' }]);
    expect(await talk(dialogs, '', { submission, isPersonal: false })).toEqual([
      {
        kind: 'said',
        text: 'Please type `connect` to me in a personal chat. Others can read what you type here.',
      },
    ]);
  });

  it('says that all systems refused and that nothing is kept', async () => {
    const refused = GRANTED.exchanges.map(({ name }) => ({ name, outcome: { kind: 'refused' as const } }));
    const { dialogs } = stage({ kept: false, until: 0, exchanges: refused });
    const data = { ...(await formData(dialogs)), username: 'alex', password: 'wrong' };
    expect((await talk(dialogs, '', { submission: { data, cardId: 'message-2' } })).at(-1)).toEqual({
      kind: 'said',
      text: 'Not connected, and nothing is kept. Type `connect` to try again.\n\nAPI key: refused by the authorization service: user name or password is wrong  \nticket: refused by the ticket service: user name or password is wrong',
    });
  });

  it.each([
    [{ kind: 'own name' as const }, "That user name is the bot's own. Type `connect` to use yours."],
    [
      { kind: 'resting' as const, until: 9000 },
      'I did not try `alex`, so that the account does not get locked. Please try again in <until 9 s>.',
    ],
  ])('says why an account was not tried: %j', async (notTried, text) => {
    const { dialogs } = stage({ kept: false, until: 0, exchanges: [], notTried });
    const data = { ...(await formData(dialogs)), username: 'alex', password: 'x' };
    expect((await talk(dialogs, '', { submission: { data, cardId: 'message-2' } })).at(-1)).toEqual({
      kind: 'said',
      text,
    });
  });

  it('asks the person to delete the card if it cannot replace the card', async () => {
    const { dialogs } = stage();
    const data = { ...(await formData(dialogs)), username: 'alex', password: 'x' };
    const [first] = await talk(dialogs, '', { submission: { data, cardId: 'message-2' }, canReplace: false });
    expect(first).toEqual({
      kind: 'said',
      text: 'I could not remove the card. Please delete it, so that nothing you typed stays on the screen.',
    });
  });

  it.each([
    [
      'empty',
      { username: '', password: '' },
      'Both user name and password are needed. Type `connect` to try again.',
    ],
    [
      'without a password',
      { username: 'alex' },
      'Both user name and password are needed. Type `connect` to try again.',
    ],
    [
      'with numbers',
      { username: 5, password: 6 },
      'Both user name and password are needed. Type `connect` to try again.',
    ],
    [
      'with a colon',
      { username: 'a:b', password: 'x' },
      'A user name for the NAC cannot hold a colon. Type `connect` to try again.',
    ],
  ])('uses nothing of a form that is %s', async (_, typed, text) => {
    const { dialogs, connected } = stage();
    const data = { ...(await formData(dialogs)), ...typed };
    expect((await talk(dialogs, '', { submission: { data, cardId: 'message-2' } })).at(-1)).toEqual({
      kind: 'said',
      text,
    });
    expect(connected).toEqual([]);
  });

  it.each<[string, (data: Record<string, unknown>) => Record<string, unknown>, string]>([
    ['forged', (data) => ({ ...data, proof: 'AAAA' }), 'alex'],
    ['with another time', (data) => ({ ...data, issuedAt: Number(data.issuedAt) + 1 }), 'alex'],
    ['without proof', ({ dialog }) => ({ dialog }), 'alex'],
    ["another person's", (data) => data, 'patti'],
  ])(
    'does nothing with a submission that is %s, and touches no message but the form',
    async (_, change, person) => {
      const { dialogs, connected } = stage();
      const data = change({ ...(await formData(dialogs)), username: 'alex', password: 'x' });
      expect(await talk(dialogs, '', { person, submission: { data, cardId: 'an answer' } })).toEqual([
        { kind: 'said', text: NOT_MINE },
      ]);
      expect(connected).toEqual([]);
    },
  );

  it('does nothing with a card older than ten minutes', async () => {
    const { dialogs, connected, clock } = stage();
    const data = { ...(await formData(dialogs)), username: 'alex', password: 'x' };
    clock.now += 10 * MINUTE + 1;
    await talk(dialogs, '', { submission: { data, cardId: 'message-2' } });
    expect(connected).toEqual([]);
  });

  it('does nothing with a card in a group', async () => {
    const { dialogs, connected } = stage();
    const data = { ...(await formData(dialogs)), username: 'alex', password: 'x' };
    const deeds = await talk(dialogs, '', { isPersonal: false, submission: { data, cardId: 'message-2' } });
    const text = expect.stringContaining('personal chat');
    expect(deeds).toMatchObject([
      { kind: 'replaced', id: 'message-2', text },
      { kind: 'said', text },
    ]);
    expect(connected).toEqual([]);
  });

  it('does nothing with a card that was used already', async () => {
    const { dialogs, connected } = stage();
    const data: Record<string, unknown> = {
      ...(await formData(dialogs)),
      username: 'alex',
      password: 'x',
    };
    await talk(dialogs, '', { submission: { data, cardId: 'message-2' } });
    for (const end of ['', '=', ' ', '\n', '!']) {
      const again = { ...data, proof: `${data.proof}${end}` };
      expect(await talk(dialogs, '', { submission: { data: again, cardId: 'message-2' } })).toEqual([
        { kind: 'said', text: NOT_MINE },
      ]);
    }
    expect(connected).toHaveLength(1);
  });

  it.each([['connect alex hunter2'], ['hunter2']])(
    'does not use what is typed as a message: "%s"',
    async (text) => {
      const { dialogs, connected } = stage();
      await talk(dialogs, 'connect');
      const [said, shown] = await talk(dialogs, text);
      expect(said).toEqual({
        kind: 'said',
        text: 'I do not take passwords from messages. If your message holds a password, please delete the message now.',
      });
      expect(shown?.kind).toBe('showed');
      expect(connected).toEqual([]);
    },
  );

  it('no longer treats messages as passwords after connecting, or after ten minutes', async () => {
    const { dialogs, clock } = stage();
    const data = { ...(await formData(dialogs)), username: 'alex', password: 'x' };
    await talk(dialogs, '', { submission: { data, cardId: 'message-2' } });
    expect(await talk(dialogs, 'hunter2')).toMatchObject([{ text: expect.stringContaining("don't know") }]);
    await talk(dialogs, 'connect');
    clock.now += 10 * MINUTE;
    expect(await talk(dialogs, 'hunter2')).toMatchObject([{ text: expect.stringContaining("don't know") }]);
  });
});

describe('disconnect', () => {
  it('forgets and says so', async () => {
    const { dialogs, disconnected } = stage();
    expect(await talk(dialogs, 'disconnect')).toEqual([
      {
        kind: 'said',
        text: "Disconnected. I forgot your user name, your password and every credential issued for them. Your lookups now run under the bot's account.",
      },
    ]);
    expect(disconnected).toEqual(['alex']);
  });
});

/** Opens the form like a person. Returns what its button sends. */
async function formData(dialogs: readonly Dialog[]): Promise<Record<string, unknown>> {
  const [deed] = (await talk(dialogs, 'connect')) as [Extract<Deed, { kind: 'showed' }>];
  return { ...deed.card.actions[0]?.data };
}

function stage(report: ConnectReport = GRANTED, held?: Awaited<ReturnType<Vault['basic']>>) {
  const clock = { now: 1_000_000 };
  const { vault, connected, disconnected } = vaultThat(report, held);
  const proof = createFormProof([new Secret(randomBytes(32).toString('base64'))], () => clock.now);
  const dialogs = [
    createConnect({ ...CARD, formLifetimeMs: FORM_LIFETIME_MS, vault, proof, now: () => clock.now }),
    createDisconnect({ vault }),
  ];
  return { dialogs, connected, disconnected, clock };
}

function vaultThat(
  report: ConnectReport,
  held: Awaited<ReturnType<Vault['basic']>> = { kind: 'not connected' },
) {
  const connected: string[][] = [];
  const disconnected: string[] = [];
  const vault: Vault = {
    ...services().vault,
    basic: async () => held,
    async connect(person, { username, password }) {
      connected.push([person, username, password.reveal()]);
      return report;
    },
    async disconnect(person) {
      disconnected.push(person);
    },
  };
  return { vault, connected, disconnected };
}
