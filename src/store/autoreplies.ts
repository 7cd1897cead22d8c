import type { Store } from './store.ts';

/** Conversations in which the bot answers without being mentioned. */
export type Autoreplies = {
  turnOn(conversation: string): Promise<void>;
  turnOff(conversation: string): Promise<void>;
  isOn(conversation: string): Promise<boolean>;
};

/** A conversation is known by its id without the thread's part. */
export function createAutoreplies(store: Pick<Store, 'query'>): Autoreplies {
  return {
    async turnOn(conversation) {
      await store.query('insert into bot.autoreply (conversation) values ($1) on conflict do nothing', [
        conversation,
      ]);
    },
    async turnOff(conversation) {
      await store.query('delete from bot.autoreply where conversation = $1', [conversation]);
    },
    async isOn(conversation) {
      return (
        (await store.query('select from bot.autoreply where conversation = $1', [conversation])).length > 0
      );
    },
  };
}
