import type { Store } from './store.ts';

/** Conversations in which the bot has introduced itself. */
export type Welcomes = {
  /** Returns true the first time for a conversation, over all processes, until the conversation is forgotten. */
  claim(conversation: string): Promise<boolean>;
  forget(conversation: string): Promise<void>;
};

/** A conversation is known by its id without the thread's part. */
export function createWelcomes(store: Pick<Store, 'query'>): Welcomes {
  return {
    async claim(conversation) {
      const rows = await store.query(
        'insert into bot.welcome (conversation) values ($1) on conflict do nothing returning conversation',
        [conversation],
      );
      return rows.length > 0;
    },
    async forget(conversation) {
      await store.query('delete from bot.welcome where conversation = $1', [conversation]);
    },
  };
}
