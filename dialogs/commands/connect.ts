import { z } from 'zod';
import type { ConnectReport } from '../../src/credentials.ts';
import { Secret } from '../../src/domain/secret.ts';
import type { Submission, Turn } from '../dialog.ts';
import * as card from '../render/message.ts';
import { exchangeFaultText } from '../render/outcomes.ts';
import { code, type Formatter, lines, paragraphs } from '../render/words.ts';
import type { Bot, Command } from './command.ts';

const WORDS = {
  form: 'Your lookups then run under your own user name and password, for some hours, or until you type disconnect.',
  warning:
    'What you type travels through the chat provider to the bot. If you do not want that, leave this card empty: lookups work without your account.',
  off: "Connecting with your own account is turned off here. Lookups run under the bot's account.",
  personalOnly: `Please type ${code('connect')} to me in a personal chat. Others can read what you type here.`,
  typed:
    'I do not take passwords from messages. If your message holds a password, please delete the message now.',
  sent: 'Sent. I removed the card, so that nothing you typed stays on the screen.',
  stillThere: 'I could not remove the card. Please delete it, so that nothing you typed stays on the screen.',
  unusable: `Both user name and password are needed, and the user name cannot hold a colon. Type ${code('connect')} to try again.`,
  connected: (username: string, until: string) =>
    `Connected as ${code(username)} until ${until}. Your lookups now run under your own account; ${code('disconnect')} ends that.`,
  noCards: 'This chat cannot show the card for your user name and password. Please connect from Teams.',
  'own name': "That user name is the bot's own.",
  resting: 'I did not try them, so that the account does not get locked.',
  disconnected:
    "Disconnected. I forgot your user name, your password and every credential issued for them, if I had any. Your lookups run under the bot's account.",
  refused: 'The NAC refused the user name or the password.',
  forbidden: 'The NAC knows the account, but the account may not read sessions: ask for the role MnT Admin.',
  unknown: 'The NAC did not answer, so I could not try them. Your next lookup will.',
  notConnected: (left: string | undefined) =>
    `Not connected, and nothing is kept. ${left ? `Wait ${left}, then t` : 'T'}ype ${code('connect')} to try again.`,
};

const typedSchema = z.object({ username: z.string().trim(), password: z.string() });

export const connect: Command = {
  isUseful: ({ isPersonal }, { canSignIn }) => isPersonal && canSignIn,
  summary: 'lets your lookups run under your own account',
  async answer(turn, bot) {
    const { isPersonal, submission, text, place, say } = turn;
    const form = submission?.data.text === undefined ? submission : undefined; // A command's button sends a text.
    if (!bot.settings.canSignIn) return say(WORDS.off);
    if (!isPersonal) return say(WORDS.personalOnly);
    if (form) return submit(turn, form, bot);
    if (text.trim() !== '') await say(WORDS.typed);
    await say(connectMessage());
    // People type the password as a message too. After that one, the chat is free again.
    const pending = { kind: 'sign-in' } as const;
    if (text.trim() === '') bot.recent.noteQuestion(place, { kind: 'run', pending });
  },
};

async function submit(turn: Turn, { data, cardId }: Submission, { vault, nac, chat }: Bot): Promise<void> {
  const isReplaced = cardId !== undefined && (await chat.edit(turn.place, cardId, { text: WORDS.sent }));
  if (!isReplaced) await turn.say(WORDS.stillThere);
  const { username = '', password = '' } = typedSchema.safeParse(data).data ?? {};
  if (username === '' || password === '' || username.includes(':')) return turn.say(WORDS.unusable);
  const account = { username, password: new Secret(password) };
  const report = await vault.connect(turn.person, account, nac.tryAccount);
  await turn.say(reportText(report, username, turn.formatter));
}

function reportText(report: ConnectReport, username: string, formatter: Formatter): string {
  const { isStored, until, exchanges, nac, restsUntil } = report;
  const results = exchanges.flatMap(({ name, outcome }) =>
    outcome.kind === 'held' ? [] : `${name}: ${exchangeFaultText(name, outcome)}`,
  );
  if (nac !== undefined && nac !== 'accepted') results.push(WORDS[nac]);
  const left = restsUntil === undefined ? undefined : formatter.timeLeft(restsUntil);
  const verdict = isStored ? WORDS.connected(username, formatter.time(until)) : WORDS.notConnected(left);
  return results.length === 0 ? verdict : paragraphs(verdict, lines(...results));
}

/** The form. Card 1.5 is the first that hides a typed password. */
export function connectMessage(): card.Message {
  const title = 'Connect with your own account';
  const body = [
    card.heading(title),
    card.note(WORDS.form),
    card.note(WORDS.warning, 'Bolder'),
    input('username', 'User name'),
    { ...input('password', 'Password'), style: 'Password' },
  ];
  const submit = { type: 'Action.Submit', title: 'Connect', data: { dialog: 'connect' } };
  return { text: WORDS.noCards, summary: title, card: card.adaptiveCard(body, [submit]) };
}

function input(id: string, label: string): card.Element {
  const errorMessage = `Your ${label.toLowerCase()} is needed.`;
  return { type: 'Input.Text', id, label, maxLength: 256, isRequired: true, errorMessage };
}

export const disconnect: Command = {
  isUseful: ({ isPersonal }, { canSignIn }) => isPersonal && canSignIn,
  summary: 'forgets your own account',
  async answer({ person, say }, { vault }) {
    await vault.disconnect(person);
    await say(WORDS.disconnected);
  },
};
