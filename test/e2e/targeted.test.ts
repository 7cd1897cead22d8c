import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FAST, openStage, type Stage } from '../stage.ts';
import { buttonsOf, inThread, linesOf, only, pressing } from './cards.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const VERY_SLOW = '00:1B:54:00:00:07';
const CHANNEL = '19:noc@thread.tacv2;messageid=7';
const BOT = { id: 'bot', name: 'NAC lookup' };
const ASKER = { id: 'user-1', name: 'Alex', aadObjectId: '00000000-0000-0000-0000-000000000001' };

const inChannel = inThread(CHANNEL, false);
const targeted = { ...inChannel, recipient: { ...BOT, isTargeted: true } };

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ ALERTS_TOKEN: 'token-for-alerts', ADMINS: '*' }, FAST);
});
afterEach(() => stage.close());

const seenByAll = () =>
  stage.replies.filter(({ conversationId, isTargeted }) => conversationId === CHANNEL && !isTargeted);

describe('a targeted question in a channel', () => {
  it('is answered to its asker alone, without a mention of the bot, and is not among the last lookups of the channel; the room sees the tokens', async () => {
    const { replies } = await stage.say(`lookup ${KNOWN}`, { ...targeted, id: 'question-1' });
    const answer = only(replies);
    expect(answer).toMatchObject({ method: 'POST', isTargeted: true, replyToId: 'question-1' });
    expect(answer.activity).toMatchObject({ from: BOT, recipient: ASKER });
    expect(answer.activity.entities).toEqual([{ type: 'targetedMessageInfo', messageId: 'question-1' }]);
    expect(linesOf(answer).slice(-2)).toEqual([
      'The tokens were posted to the room.',
      'Only you see this answer; everyone in the room sees the tokens.',
    ]);
    expect(stage.posts()).toHaveLength(1);
    for (const text of ['help', 'lookup 00:1B:54:00:00', 'posts'])
      expect((await stage.say(text, targeted)).replies).toMatchObject([{ isTargeted: true }]);
    expect(seenByAll()).toEqual([]);
    expect((await stage.say('recent', inThread(CHANNEL))).texts[0]).toContain('No lookups here yet');
    expect((await stage.say('recent', targeted)).texts[0]).toContain(KNOWN);
  });

  it('stays private if the answer takes longer than the turn, and if the process dies', async () => {
    await stage.say(`lookup ${VERY_SLOW}`, { ...targeted, id: 'slow-1' });
    await vi.waitFor(() => expect(stage.replies).toHaveLength(2), 15_000);
    await stage.say(`lookup ${VERY_SLOW}`, { ...targeted, id: 'slow-2' });
    await stage.restart();
    await vi.waitFor(() => expect(stage.replies).toHaveLength(4), 40_000);
    expect(stage.replies.map(({ method }) => method)).toEqual(['POST', 'PUT', 'POST', 'PUT']);
    for (const { activity, method, isTargeted } of stage.replies) {
      expect(isTargeted).toBe(true);
      expect('recipient' in activity).toBe(method === 'POST');
      expect(JSON.stringify(activity)).not.toContain('<at>');
    }
    expect(stage.typing).toEqual([]);
  });

  it('stays private after a press of its buttons and an edit, which nobody marks as targeted', async () => {
    const asked = only((await stage.say(`lookup ${KNOWN}`, { ...targeted, id: 'question-1' })).replies);
    for (const button of buttonsOf(asked)) {
      const { replies } = await stage.say('', { ...inChannel, ...pressing(button, asked.id) });
      expect(replies).toMatchObject([{ isTargeted: true }]);
    }
    const edit = { type: 'messageUpdate', channelData: { eventType: 'editMessage' }, id: 'question-1' };
    const { replies } = await stage.say('lookup 00:1B:54:00:00:01', { ...inChannel, ...edit });
    expect(replies).toMatchObject([{ id: asked.id, method: 'PUT', isTargeted: true }]);
    expect(seenByAll()).toEqual([]);
  });
});

it('a place that is named in a targeted message takes alerts for everyone', async () => {
  const named = await stage.say('alerts here as noc', targeted);
  expect(named.replies).toMatchObject([{ isTargeted: true }]);
  expect(named.texts[0]).toContain('Everyone here will see the answers to alerts.');
  expect(await stage.alert(`port down ${KNOWN}`, 'noc')).toBe(202);
  await vi.waitFor(() => expect(seenByAll()).toHaveLength(1), 10_000);
});
