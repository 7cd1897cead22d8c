import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { FAST, openReadyStage, type Stage } from '../stage.ts';
import { inThread } from './cards.ts';

const QUICK = 'AA:BB:CC:DD:EE:FF';
const SLOW = '00:1B:54:00:00:05';
const VERY_SLOW = '00:1B:54:00:00:07';
const FAULT = '00:1B:54:00:05:00';
const NONE = '00:1B:54:00:99:99';
const POSTED = 'The tokens were posted to the room.';
const THREAD = '19:noc@thread.tacv2;messageid=7';

const TOKENS = 'Corp_Wired_Access\nBasic_Authenticated_Access';

/** On a busy machine, too, the quick devices are answered before the progress. */
const TIMING = { ...FAST.timing, progressMs: 1000 };

let stage: Stage;
beforeEach(async () => {
  stage = await openReadyStage({}, { pace: 0.5, timing: TIMING });
});
afterEach(() => stage.close());

const replied = (count: number) =>
  vi.waitFor(() => expect(stage.replies).toHaveLength(count), { timeout: 30_000, interval: 20 });

describe('several devices, one of them slow', () => {
  it('show progress after a while, and the answer replaces it in the thread', async () => {
    const begun = performance.now();
    const question = `lookup ${SLOW}, ${QUICK}, ${FAULT}, ${NONE}`;
    const asking = stage.say(question, { ...inThread(THREAD), id: 'q-1' });
    await replied(1);
    expect(performance.now() - begun).toBeGreaterThan(0.9 * TIMING.progressMs);
    const progress = stage.replies.map(textOf).join().split('\n');
    expect([progress[0], progress.at(-1)]).toEqual(['3 of 4 answered so far.', `${SLOW}: still asking`]);
    expect(stage.posts()).toEqual([]);

    const { ms, replies } = await asking;
    expect(ms).toBeLessThan(5000);
    const activity = { conversation: { id: THREAD }, replyToId: 'q-1' };
    const same = { id: replies[0]?.id, conversationId: THREAD, activity };
    expect(replies).toMatchObject(['POST', 'PUT'].map((method) => ({ ...same, method })));
    const told = replies.map(textOf)[1]?.split('\n') ?? [];
    expect(told[0]).toBe('4 devices: 2 connected, 1 no session, 1 failed.');
    expect(told.slice(-2)).toEqual([POSTED, expect.stringMatching(/^Report number \d{6}\.$/)]);
    expect(told).toEqual(expect.arrayContaining(TOKENS.split('\n')));
    expect(stage.posts()).toEqual([`${SLOW}\n${TOKENS}\n\n${QUICK}\n${TOKENS}`]);
  });
});

describe('several devices, one of them slower than a turn', () => {
  it('show progress, again at the end of the turn, then the answer: one message, one post', async () => {
    const { ms, replies } = await stage.say(`${VERY_SLOW} ${QUICK}`, { id: 'q-4' });
    expect(ms).toBeGreaterThan(0.9 * TIMING.turnMs);
    expect(ms).toBeLessThan(0.9 * TIMING.turnMs + 1500);
    const [progress = '', again] = replies.map(textOf);
    expect(progress).toMatch(/^1 of 2 answered so far\.\n[\s\S]*:07: still asking$/);
    expect(again).toBe(`${progress}\nStill asking the NAC; the answer will come here.`);
    expect(stage.posts()).toEqual([]);
    await replied(3);
    expect(stage.replies.map(({ id, method }) => [id, method])).toEqual(
      ['POST', 'PUT', 'PUT'].map((method) => [replies[0]?.id, method]),
    );
    const summary = expect.stringContaining(POSTED);
    expect(stage.replies.at(-1)?.activity).toMatchObject({ replyToId: 'q-4', summary });
    expect(stage.posts()).toEqual([`${VERY_SLOW}\n${TOKENS}\n\n${QUICK}\n${TOKENS}`]);
    expect(stage.sandbox.nacCalls).toHaveLength(2);
  });

  it.each([
    ['the same message', [], 'PUT'],
    ['a new one if the edit is refused', [{ status: 404 }], 'POST'],
  ])('are answered by the next start if the process dies: in %s', async (_, refusals, method) => {
    const { replies } = await stage.say(`${VERY_SLOW} ${QUICK}`, { ...inThread(THREAD), id: 'q-5' });
    await stage.restart();
    stage.refuse(...refusals);
    await replied(3);
    const activity = { replyToId: 'q-5', summary: expect.stringMatching(/^2 devices: 2 connected\./) };
    expect(stage.replies[2]).toMatchObject({ method, conversationId: THREAD, activity });
    expect(stage.replies[2]?.id === replies[0]?.id).toBe(method === 'PUT');
    expect(stage.posts()).toHaveLength(1);
  });
});
