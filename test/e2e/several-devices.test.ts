import { afterEach, describe, expect, it, vi } from 'vitest';
import { reportNumber } from '../../dialogs/lookup/report.ts';
import { shownIn, textOf } from '../../src/sandbox/chat.ts';
import { FAST, openReadyStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, linesOf, pressing } from './cards.ts';

const QUICK = 'AA:BB:CC:DD:EE:FF';
const SLOW = '00:1B:54:00:00:05';
const VERY_SLOW = '00:1B:54:00:00:07';
const FAULT = '00:1B:54:00:05:00';
const NONE = '00:1B:54:00:99:99';
const STILL = 'Still asking the NAC; the answer will come here.';
const POSTED = 'The tokens were posted to the room.';
const THREAD = '19:noc@thread.tacv2;messageid=7';

/** Of the question q-1 in that thread. */
const NUMBER = reportNumber(JSON.stringify([THREAD, 'q-1']));

const TOKENS = 'Corp_Wired_Access\nBasic_Authenticated_Access';
const QUICK_LINES = `${QUICK}: connected. alex, sw-floor2-17, GigabitEthernet1/0/15, 3 hours ago\n${TOKENS}`;

let stage: Stage;
afterEach(() => stage.close());

async function open(): Promise<void> {
  stage = await openReadyStage({}, FAST);
}

const posts = () => stage.sandbox.room.posts().map(({ text }) => text);
const replied = (count: number, timeout: number) =>
  vi.waitFor(() => expect(stage.replies).toHaveLength(count), { timeout, interval: 20 });

describe('several devices, one of them slow', { timeout: 30_000 }, () => {
  it('show progress after a while, and the answer replaces it', async () => {
    await open();
    const begun = Date.now();
    const asking = stage.say(`lookup ${SLOW}, ${QUICK}, ${FAULT}, ${NONE}`, {
      ...inThread(THREAD),
      id: 'q-1',
    });
    await replied(1, 5000);
    expect(Date.now() - begun).toBeGreaterThan(0.9 * FAST.timing.progressMs);
    const [progress] = stage.replies;
    if (!progress) throw new Error('no progress');
    expect(textOf(progress)).toBe(
      `3 of 4 answered so far.\n${FAULT}: the NAC reported a fault (HTTP status 500). Please ask those who run the NAC.\n${NONE}: no session. The NAC knows of no current session. Is the device plugged in and awake?\n${QUICK_LINES}\n${SLOW}: still asking`,
    );
    expect(linesOf(cardOf(progress))[0]).toBe('3 of 4 answered so far.');
    expect(cardOf(progress)).not.toHaveProperty('actions');
    expect(posts()).toEqual([]);

    const { status, ms, replies } = await asking;
    expect(status).toBe(200);
    expect(ms).toBeLessThan(5000);
    expect(replies.map(({ method }) => method)).toEqual(['POST', 'PUT']);
    const answer = replies[1];
    if (!answer) throw new Error('no answer');
    expect(answer.id).toBe(progress.id);
    expect(textOf(answer)).toBe(
      `4 devices: 2 connected, 1 no session, 1 failed.\n${FAULT}: the NAC reported a fault (HTTP status 500). Please ask those who run the NAC.\n${NONE}: no session. The NAC knows of no current session. Is the device plugged in and awake?\nThe other 2 devices are well.\n${SLOW}: connected. patti, sw-floor2-17, GigabitEthernet1/0/15, 3 hours ago\n${TOKENS}\n${QUICK_LINES}\n${POSTED}\nReport number ${NUMBER}.`,
    );
    for (const { conversationId, activity } of replies)
      expect({ conversationId, activity }).toMatchObject({
        conversationId: THREAD,
        activity: { conversation: { id: THREAD }, replyToId: 'q-1' },
      });
    expect(progress.replyToId).toBe('q-1');
    expect(posts()).toEqual([`${SLOW}\n${TOKENS}\n\n${QUICK}\n${TOKENS}`]);

    const again = buttonsOf(cardOf(answer)).find(
      ({ title }) => title === `${QUICK} connected: look up alone`,
    );
    const one = await stage.say('', { ...inThread(THREAD), ...pressing(again, answer.id) });
    expect(one.texts).toEqual([expect.stringMatching(new RegExp(`^connected\\. .*${QUICK}$`, 'm'))]);
  });

  it('are text if the channel shows no cards, edited in the same way', async () => {
    await open();
    const { replies } = await stage.say(`${SLOW} ${QUICK}`, { channelId: 'sms' });
    expect(replies.map(({ id, method, activity }) => [id, method, activity.text])).toEqual([
      [replies[0]?.id, 'POST', expect.stringMatching(/^1 of 2 answered so far\.\n\n[\s\S]*`: still asking$/)],
      [replies[0]?.id, 'PUT', expect.stringMatching(/^2 devices: 2 connected\.\n\n/)],
    ]);
  });
});

describe('several devices, one of them slower than a turn', { timeout: 90_000 }, () => {
  it('show progress, again at the end of the turn, then the answer: one message, one post', async () => {
    await open();
    const { status, ms, replies } = await stage.say(`${VERY_SLOW} ${QUICK}`, { id: 'q-4' });
    expect(status).toBe(200);
    expect(ms).toBeGreaterThan(0.9 * FAST.timing.turnMs);
    expect(ms).toBeLessThan(0.9 * FAST.timing.turnMs + 1500);
    expect(replies.map(({ method }) => method)).toEqual(['POST', 'PUT']);
    expect(replies.map(textOf)).toEqual([
      `1 of 2 answered so far.\n${QUICK_LINES}\n${VERY_SLOW}: still asking`,
      `1 of 2 answered so far.\n${QUICK_LINES}\n${VERY_SLOW}: still asking\n${STILL}`,
    ]);
    expect(posts()).toEqual([]);
    await replied(3, 10_000);
    expect(stage.replies.map(({ id, method }) => [id, method])).toEqual(
      ['POST', 'PUT', 'PUT'].map((method) => [replies[0]?.id, method]),
    );
    const [shown] = shownIn(stage.replies);
    expect(shown?.activity).toMatchObject({ replyToId: 'q-4', summary: expect.stringContaining(POSTED) });
    expect(shown && textOf(shown)).toMatch(
      /^2 devices: 2 connected\.\n00:1B:54:00:00:07: connected\. megan,/,
    );
    expect(posts()).toEqual([`${VERY_SLOW}\n${TOKENS}\n\n${QUICK}\n${TOKENS}`]);
    expect(stage.sandbox.nacCalls).toHaveLength(2);
  });

  it('are answered by the next start if the process dies: in the same message, or in a new one if the edit is refused', async () => {
    await open();
    const places: Record<string, string> = { 'q-5': THREAD, 'q-6': '19:lab@thread.tacv2;messageid=1' };
    await Promise.all(
      Object.entries(places).map(([id, thread]) =>
        stage.say(`${VERY_SLOW} ${QUICK}`, { ...inThread(thread), id }),
      ),
    );
    const told = [...stage.replies];
    expect(told.map(({ method }) => method).toSorted()).toEqual(['POST', 'POST', 'PUT', 'PUT']);
    await stage.restart();
    stage.refuse({ status: 404 }); // One of the two edits.
    await replied(6, 60_000);
    const answers = stage.replies.slice(4);
    expect(answers.map(({ method }) => method).toSorted()).toEqual(['POST', 'PUT']);
    for (const { id, method, conversationId, activity } of answers) {
      const question = String(activity.replyToId);
      expect(conversationId).toBe(places[question]);
      expect(activity.summary).toMatch(/^2 devices: 2 connected\./);
      const progress = told.find((each) => each.replyToId === question);
      if (method === 'PUT') expect(id).toBe(progress?.id);
    }
    expect(new Set(answers.map(({ activity }) => activity.replyToId)).size).toBe(2);
    expect(posts()).toHaveLength(2);
  });
});
