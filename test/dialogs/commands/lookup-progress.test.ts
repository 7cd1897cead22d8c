import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LookupOutcome } from '../../../src/domain/outcome.ts';
import type { Delivery } from '../../../src/webhook/posts.ts';
import { PLACE } from '../talk.ts';
import { DOWN, found, NOW, POSTED, type Script, stageLookup } from './lookup-stage.ts';

const FAST = '00:1B:54:00:00:01';
const SLOW = '00:1B:54:00:00:02';

const NO_SESSION = 'The NAC knows of no current session. Is the device plugged in and awake?';
const PROGRESS = `1 of 2 answered so far.\n\n\`${FAST}\`: no session. ${NO_SESSION}\n\n\`${SLOW}\`: still asking`;
const STILL_ONE = `Still asking the NAC about \`${SLOW}\`. The answer will come here.`;
const RESULT = `2 devices: 2 no session.\n\n${NO_SESSION}\n\n\`${FAST}\`: no session\n\n\`${SLOW}\`: no session`;
const ANSWERED = { text: RESULT, buttons: ['Look up all again'] };

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

describe('several devices that take a while', () => {
  it('are answered in one message within two seconds', async () => {
    const { deeds, ended, answerSlow } = begin();
    await pass(1999);
    expect(deeds).toEqual([]);
    answerSlow();
    await ended;
    expect(deeds).toEqual([{ kind: 'said', ...ANSWERED }]);
  });

  it.each<[string, Chat, object]>([
    ['replaces it', {}, { kind: 'replaced', id: 'message-2' }],
    ['is a new message if it cannot be replaced', { canReplace: false }, { kind: 'said' }],
    ['is a new message if the chat service did not take it', { takesOnce: false }, { kind: 'said' }],
  ])('show the progress after two seconds; the answer %s', async (_, chat, deed) => {
    const { deeds, ended, answerSlow } = begin(chat);
    await pass(2000);
    expect(deeds).toEqual([{ kind: 'said once', text: PROGRESS }]);
    answerSlow();
    await ended;
    expect(deeds.slice(1)).toEqual([{ ...deed, ...ANSWERED }]);
  });

  it.each<[string, Script, object]>([
    ['replaces it', {}, { kind: 'replaced', id: 'message-2' }],
    ['is a new message if it can no longer be replaced', { canReplaceLater: false }, { kind: 'said' }],
  ])("say at the turn's end that the bot is still asking; the later answer %s", async (_, script, deed) => {
    const { deeds, answerSlow, stage } = await turn(script);
    const text = `${PROGRESS}\n\nStill asking the NAC; the answer will come here.`;
    expect(deeds.slice(1)).toEqual([{ kind: 'replaced', id: 'message-2', text }]);
    const job = { addresses: [FAST, SLOW], messageId: 'message-2', arrivedAt: NOW, attempt: 0 };
    expect(stage.jobs).toMatchObject([{ key: 'message-1', job }]);
    expect(stage.audited).toEqual([]);
    answerSlow();
    await pass(0);
    expect(stage.later).toEqual([{ ...deed, ...ANSWERED }]);
    const times = { askedAt: '2026-01-15T14:05:00.000Z', answeredAt: '2026-01-15T14:05:08.000Z' };
    expect(stage.audited).toMatchObject([times, times]);
    expect(stage.settled).toEqual(['message-1']);
  });

  it('get no more replies in the turn if a repeat of the message is a job already', async () => {
    const { deeds, stage } = await turn({ put: async () => 'known' });
    expect([deeds.length, stage.later]).toEqual([1, []]);
  });
});

describe('one device that takes a while', () => {
  it("has no progress, but is named at the turn's end; the answer replaces that message", async () => {
    const taking = Promise.withResolvers<void>();
    const { deeds, ended, answerSlow, stage } = begin({ taking: taking.promise }, SLOW);
    await pass(8000);
    answerSlow();
    await pass(1000);
    expect([deeds, stage.later]).toEqual([[], []]); // The chat service has not taken yet what names the device.
    taking.resolve();
    await ended;
    expect(deeds).toEqual([{ kind: 'said once', text: STILL_ONE }]);
    const [{ job } = { job: undefined }] = stage.jobs;
    expect(stage.jobs).toMatchObject([{ key: 'message-1', job: { addresses: [SLOW] } }]);
    expect(stage.changed).toEqual([{ key: 'message-1', job: { ...job, messageId: 'message-2' } }]);
    await pass(0);
    const text = expect.stringMatching(/^`00:1B:54:00:00:02`: no session\./);
    expect(stage.later).toEqual([{ kind: 'replaced', id: 'message-2', text, buttons: ['Look up again'] }]);
  });

  it('is answered in a new message if the chat service did not take the one that names it', async () => {
    const { deeds, answerSlow, stage } = await turn({ takesOnce: false }, SLOW);
    expect(deeds.map(({ kind }) => kind)).toEqual(['said once']); // A later try would come after the answer.
    answerSlow();
    await pass(0);
    expect(stage.later).toMatchObject([{ kind: 'said', text: expect.stringContaining('no session') }]);
    expect(stage.changed).toEqual([]);
  });

  it('is shown while the room is slow, and answered after the post', async () => {
    const posting = Promise.withResolvers<Delivery>();
    const { deeds, stage } = await turn({ delivery: posting.promise, lookUp: async () => found() }, SLOW);
    const text = expect.stringMatching(
      /^`00:1B:54:00:00:02`: connected[\s\S]*\n`Corp_[\s\S]* still posting to the room\.$/,
    );
    expect(deeds).toMatchObject([
      { kind: 'said once', text },
      { kind: 'replaced', id: 'message-2', text },
    ]);
    posting.resolve(POSTED);
    await pass(0);
    expect(stage.later).toMatchObject([{ text: expect.stringContaining('were posted to the room') }]);
    expect(stage.settled).toEqual(['message-1']);
  });

  it('tells nobody anything once an edit was answered, whatever the NAC says', async () => {
    for (const outcome of [found(), DOWN]) {
      const { answerSlow, stage } = await turn({}, SLOW);
      await stage.supersede('message-1');
      answerSlow(outcome);
      await pass(0);
      expect([stage.posts, stage.later, stage.audited, stage.jobs.length]).toEqual([[], [], [], 1]);
      expect(stage.recent.of('chat')).toEqual([]);
    }
  });

  it('is what "again" and "and :08?" mean before it is answered', async () => {
    const asked: string[] = [];
    const { stage, ended } = begin({}, FAST);
    await ended;
    await pass(1);
    const slow = stage.begin(SLOW);
    for (const text of ['again', 'and :08?']) {
      const next = stage.begin(text);
      await pass(0);
      asked.push(...next.messages.map(({ text: said }) => said));
    }
    await pass(8000);
    expect(slow.deeds).toMatchObject([{ text: STILL_ONE }]);
    expect(asked).toEqual([expect.stringMatching(/^`00:1B:54:00:00:08`: no session\. (?!.*not look up)/s)]);
  });

  it('is kept for later if the NAC is down after the turn', async () => {
    const { answerSlow, stage } = await turn({}, SLOW);
    answerSlow(DOWN);
    await pass(0);
    expect(stage.later).toMatchObject([{ text: expect.stringContaining('I keep trying for 10 minutes') }]);
    const job = { addresses: [SLOW], arrivedAt: NOW, attempt: 1 };
    expect(stage.jobs.slice(1)).toMatchObject([{ key: 'message-1 later', job }]);
    expect(stage.settled).toEqual(['message-1']);
  });

  it('is answered in the turn, however long it takes, if no job can be stored', async () => {
    const { deeds, ended, answerSlow } = begin({ put: () => Promise.reject(new Error('no database')) }, SLOW);
    await pass(20_000);
    expect(deeds).toEqual([]);
    answerSlow();
    await ended;
    expect(deeds).toMatchObject([{ kind: 'said', text: expect.stringContaining('no session') }]);
  });

  it.each<[string, Script]>([
    ['its end cannot be stored', { settle: () => Promise.reject(new Error('no database')) }],
    ['its job was stored after the database gave up', { put: () => Promise.reject(new Error('time-out')) }],
  ])('is answered once, even if %s', async (_, script) => {
    const { ended, deeds, answerSlow, stage } = begin(script, SLOW);
    await pass(8000);
    answerSlow();
    await ended;
    await pass(0);
    const said = deeds.length + stage.later.length;
    const job = {
      ...stage.jobs[0]?.job,
      place: PLACE,
      person: 'alex',
      addresses: [SLOW],
      arrivedAt: NOW,
      attempt: 0,
    };
    expect(await stage.resume(job, 'message-1')).toEqual({ kind: 'done' });
    expect(deeds.length + stage.later.length).toBe(said);
    expect(stage.audited).toHaveLength(1);
  });
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

type Chat = { canReplace?: boolean; takesOnce?: boolean; taking?: Promise<void> | undefined };

/** Begins a turn. The test decides when the slow device is answered. */
function begin(
  { canReplace = true, takesOnce = true, taking, ...script }: Script & Chat = {},
  text = `${FAST} ${SLOW}`,
) {
  const slow = Promise.withResolvers<LookupOutcome>();
  const lookUp: Script['lookUp'] = (address) =>
    address === SLOW ? slow.promise : Promise.resolve({ kind: 'no session' });
  const stage = stageLookup({ lookUp, now: Date.now, ...script });
  return {
    stage,
    answerSlow: (outcome: LookupOutcome = { kind: 'no session' }) => slow.resolve(outcome),
    ...stage.begin(text, { canReplace, takesOnce, taking }),
  };
}

/** Begins a turn, and waits for its end. */
async function turn(...question: Parameters<typeof begin>) {
  const begun = begin(...question);
  await pass(8000);
  await begun.ended;
  return begun;
}
