import type { Vault } from '../../src/credentials/vault.ts';
import type { Dialog } from '../dialog.ts';

const WORDS = {
  done: 'Disconnected. Your user name, password and all that came of them are forgotten; lookups run under the account of the bot.',
};

/** Forgets all that a person connected with. */
export function createDisconnect({ vault }: { vault: Vault }): Dialog {
  return {
    name: 'disconnect',
    summary: 'forgets your own account',
    only: 'personal',
    examples: ['disconnect'],
    details: ['Forgets your user name, your password and all that came of them.'],
    async answer({ person, say }) {
      await vault.disconnect(person);
      await say(WORDS.done);
    },
  };
}
