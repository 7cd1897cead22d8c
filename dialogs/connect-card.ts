import type { Element } from './format/card.ts';
import type { Message } from './format/message.ts';

const WORDS = {
  title: 'Connect with your own account',
  why: 'Your lookups then run under your own user name and password, until they expire or you type disconnect.',
  warning:
    'What you type travels through the chat provider to the bot. If you do not want that, leave this empty: lookups work without.',
  username: 'User name',
  usernameMissing: 'Your user name is needed.',
  password: 'Password',
  passwordMissing: 'Your password is needed.',
  submit: 'Connect',
  noCards: 'This chat cannot show the card for your user name and password. Please connect from Teams.',
};

/**
 * The form for user name and password; there is none for a chat service without cards.
 Version 1.5 is the first that hides a password while it is typed.
 * @param proof comes back with what was typed
 */
export function connectMessage(proof: { issuedAt: number; proof: string }): Message {
  return { text: WORDS.noCards, summary: WORDS.title, card: connectCard(proof) };
}

function connectCard(proof: { issuedAt: number; proof: string }): Element {
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    body: [
      { type: 'TextBlock', text: WORDS.title, weight: 'Bolder', size: 'Medium', wrap: true },
      { type: 'TextBlock', text: WORDS.why, wrap: true },
      { type: 'TextBlock', text: WORDS.warning, wrap: true, weight: 'Bolder' },
      {
        type: 'Input.Text',
        id: 'username',
        label: WORDS.username,
        maxLength: 256,
        isRequired: true,
        errorMessage: WORDS.usernameMissing,
      },
      {
        type: 'Input.Text',
        id: 'password',
        label: WORDS.password,
        style: 'Password',
        maxLength: 256,
        isRequired: true,
        errorMessage: WORDS.passwordMissing,
      },
    ],
    actions: [{ type: 'Action.Submit', title: WORDS.submit, data: { dialog: 'connect', ...proof } }],
  };
}
