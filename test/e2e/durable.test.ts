import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { textOf } from '../../src/sandbox/chat.ts';
import { createNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { answer, closedUrl, serve } from '../serve.ts';
import { FAST, openProcessStage, openStage, type Stage } from '../stage.ts';
import { ALERTS_TOKEN, nameChannel, saidIn, sendGroup } from './alert-stage.ts';
import { inThread } from './cards.ts';

const STILL = 'Still asking the NAC about 00:1B:54:00:00:07. The answer will come here.';
const SLOW = '00:1B:54:00:00:07';
const QUICK = 'AA:BB:CC:DD:EE:FF';

const CHANNEL = '19:team@thread.tacv2;messageid=7';
const ASKER = '<at>Alex</at>';

let stage: Pick<Stage, 'close' | 'replies' | 'sandbox' | 'say' | 'posts' | 'restart' | 'typing'>;
afterEach(() => stage.close());

const replied = (count: number) =>
  vi.waitFor(() => expect(stage.replies).toHaveLength(count), { timeout: 30_000, interval: 20 });

describe('a lookup that takes longer than a turn', () => {
  it("becomes a job at the turn's end, and is answered in its thread after the NAC's answer", async () => {
    stage = await openStage({}, FAST);
    const { turnMs } = FAST.timing;
    const question = { id: 'slow-1', ...inThread(CHANNEL) };
    const { status, texts, ms } = await stage.say(`lookup ${SLOW}`, question);
    expect({ status, texts }).toEqual({ status: 200, texts: [STILL] });
    expect(ms).toBeGreaterThan(0.9 * turnMs);
    expect(ms).toBeLessThan(turnMs + 1500);
    await replied(2);
    expect(stage.typing).toHaveLength(1); // After half a second; not at the turn's end, nor later.
    expect(stage.replies[1]).toMatchObject({
      id: stage.replies[0]?.id,
      method: 'PUT',
      conversationId: CHANNEL,
      activity: { replyToId: 'slow-1', summary: expect.stringContaining('were posted to the room.') },
    });
    expect(stage.replies.map((reply) => JSON.stringify(reply).includes(ASKER))).toEqual([false, true]);
    expect(stage.sandbox.nacCalls).toHaveLength(1);
    expect(stage.sandbox.room.posts()).toMatchObject([{ text: expect.not.stringContaining('<at>') }]);
  });

  it('is resumed within 20 s of the next start if the process dies, and a repeat is left to it', async () => {
    stage = await openProcessStage();
    const question = { id: 'slow-2', timestamp: new Date().toISOString() };
    await stage.say(`lookup ${SLOW}`, question);
    await stage.restart();
    const restarted = Date.now();
    expect(await stage.say(`lookup ${SLOW}`, question)).toMatchObject({ status: 200, texts: [] });
    await vi.waitFor(() => expect(stage.replies).toHaveLength(2), 40_000);
    expect(stage.replies[1]).toMatchObject({
      id: stage.replies[0]?.id,
      method: 'PUT',
      activity: { replyToId: 'slow-2', summary: expect.stringContaining('connected. megan,') },
    });
    expect(Date.now() - restarted).toBeLessThan(30_000); // 20 s, plus the 10 s that this device takes.
    expect(stage.sandbox.room.posts()).toHaveLength(1);
  });
});

it('a NAC that is down is reported at once, and the answer comes when it is back', async () => {
  const NAC_URL = await closedUrl();
  stage = await openStage({ NAC_URL }, FAST);
  const question = { id: 'down-1', channelId: 'sms', ...inThread(CHANNEL) };
  expect((await stage.say(`lookup ${QUICK}`, question)).texts).toEqual([
    expect.stringMatching(
      /^`AA:BB:CC:DD:EE:FF`: the NAC could not be reached\.[\s\S]*\n\nI keep trying for 10 minutes; the answer will come here\.\n\nReport number \d{6}\. Tell it to whoever runs the bot\.$/,
    ),
  ]);
  await serve(createNac({ accounts: [SERVICE_ACCOUNT] }).server, Number(new URL(NAC_URL).port));
  await replied(2);
  expect(stage.replies[1]).toMatchObject({
    replyToId: 'down-1',
    activity: { text: expect.stringMatching(/^<at>Alex<\/at> {2}\n`AA:BB:CC:DD:EE:FF`: connected\./) },
  });
});

it('a failing webhook gets the post when it is back, once', async () => {
  const bodies: string[] = [];
  let failures = 2;
  const WEBHOOK_URL = await serve(async (request, response) => {
    bodies.push(await text(request));
    answer(response, failures-- > 0 ? 503 : 200, { 'retry-after': '1' }, '');
  });
  stage = await openStage({ WEBHOOK_URL }, FAST);
  const { texts } = await stage.say(`lookup ${QUICK}`);
  expect(texts[0]).toContain('its webhook failed (HTTP status 503). I keep trying for 24 hours.');
  expect((await stage.say('status')).texts[0]).toContain('Posts: 1 waiting, 0 given up.');
  await vi.waitFor(() => expect(bodies).toHaveLength(3), 30_000);
  const posts = async () => (await stage.say('posts')).texts[0];
  await expect.poll(posts).toBe('Posts: 0 waiting, 0 given up.');
  expect(bodies).toEqual(Array(3).fill(bodies[0]));
});

it.each([
  ['taken at last', [503], 2],
  ['given up, and now taken anew', [503, 404], 3],
])('a repeated alert says that its post was %s', async (_, failures, calls) => {
  const bodies: string[] = [];
  const WEBHOOK_URL = await serve(async (request, response) => {
    bodies.push(await text(request));
    answer(response, failures.shift() ?? 200, {}, '');
  });
  const opened = await openStage({ WEBHOOK_URL, ALERTS_TOKEN }, FAST);
  stage = opened;
  await nameChannel(opened);
  const isSaid = (words: RegExp) =>
    vi.waitFor(() => expect(saidIn(opened).some((each) => words.test(each))).toBe(true), 30_000);
  await sendGroup(opened.bot, 'firing', [QUICK]);
  await isSaid(/^POST Alert firing[\s\S]* I keep trying for 24 hours\./);
  await (calls === 2
    ? vi.waitFor(() => expect(bodies).toHaveLength(2), 30_000)
    : isSaid(/never took the post/));
  await sendGroup(opened.bot, 'firing', [QUICK]);
  await isSaid(/^PUT [\s\S]* told 2 times[\s\S]* posted to the room/);
  expect(bodies).toHaveLength(calls);
  expect(bodies.at(-1)).toContain('Corp_Wired_Access');
  const numbers = saidIn(opened).flatMap((each) => each.match(/Report number \d+/) ?? []);
  expect(new Set(numbers).size).toBe(1);
});

it('a post that the room at last refuses for good is told to its asker', async () => {
  let calls = 0;
  const WEBHOOK_URL = await serve((_request, response) =>
    answer(response, calls++ === 0 ? 503 : 404, {}, ''),
  );
  stage = await openStage({ WEBHOOK_URL }, FAST);
  const { texts } = await stage.say(`lookup ${QUICK}`);
  expect(texts[0]).toContain('I keep trying for 24 hours.');
  await vi.waitFor(() => expect(stage.replies).toHaveLength(2), 30_000);
  expect(stage.replies.map(textOf)[1]).toMatch(
    /^The room never took the post about .*: not found\. Please tell /,
  );
});
