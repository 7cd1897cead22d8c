import type { Vault } from '../../src/credentials/vault.ts';
import type { Dialog } from '../dialog.ts';

const WORDS = {
  done: "Disconnected. I forgot your user name, your password and every credential issued for them. Your lookups now run under the bot's account.",
};

/** Forgets a person's account and every credential issued for it. */
export function createDisconnect({ vault }: { vault: Vault }): Dialog {
  return {
    name: 'disconnect',
    summary: 'forgets your own account',
    only: 'personal',
    examples: ['disconnect'],
    details: ['Forgets your user name, your password and every credential issued for them.'],
    async answer({ person, say }) {
      await vault.disconnect(person);
      await say(WORDS.done);
    },
  };
}
