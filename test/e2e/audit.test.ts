import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAST, openReadyStage, openStage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, pressing } from './cards.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const UNKNOWN = '00:1B:54:00:00:99';
const FORBIDDEN = '00:1B:54:00:04:03';
const VERY_SLOW = '00:1B:54:00:00:07';
const THREAD = '19:noc@thread.tacv2;messageid=7';
const ASKER = '00000000-0000-0000-0000-000000000001';
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('the audit', { timeout: 60_000 }, () => {
  it('is all that a silent bot logs: one line for each device that was asked for', async () => {
    const { say, alert, stage, linesOf } = await startSilentBot();

    await say(`lookup ${KNOWN} ${UNKNOWN}`);
    const same = {
      level: 30,
      by: 'message',
      person: ASKER,
      conversation: 'personal-chat',
      account: 'service',
    };
    const [known, unknown] = await linesOf(2);
    expect(known).toEqual({
      ...same,
      time: expect.any(Number),
      pid: expect.any(Number),
      hostname: expect.any(String),
      number: expect.any(Number),
      asked: KNOWN,
      address: KNOWN,
      outcome: 'found',
      verdict: 'connected',
      tokens: 2,
      posted: 'yes',
      askedAt: ISO,
      answeredAt: ISO,
      msg: 'audit',
    });
    expect(unknown).toMatchObject({ ...same, number: known?.number, asked: UNKNOWN, posted: 'nothing' });

    const answer = cardOf(stage.replies.at(-1) ?? expect.unreachable());
    const again = buttonsOf(answer).find(({ title }) => title === 'Look up all again');
    await say('', pressing(again, stage.replies.at(-1)?.id ?? ''));
    expect(await linesOf(2)).toMatchObject([{ by: 'press', posted: 'nothing' }, { by: 'press' }]);

    const refused = await say(`lookup ${FORBIDDEN}`);
    const [forbidden] = await linesOf(1);
    expect(forbidden).toMatchObject({ outcome: 'forbidden', verdict: 'not allowed', posted: 'nothing' });
    expect(refused).toMatch(new RegExp(`^Report number ${forbidden?.number}\\.$`, 'm'));

    await say(`fields ${KNOWN}`);
    expect(await linesOf(1)).toMatchObject([{ by: 'fields', outcome: 'found', posted: 'nothing' }]);

    await say('alerts here as noc', inThread(THREAD));
    await alert(`port down ${UNKNOWN}`);
    expect(await linesOf(1)).toMatchObject([
      { by: 'alert', alert: 'noc', conversation: '19:noc@thread.tacv2', asked: UNKNOWN, posted: 'yes' },
    ]);

    expect(await say(`lookup ${VERY_SLOW}`)).toContain('Still asking');
    const [late] = await linesOf(1);
    expect(late).toMatchObject({ by: 'message', asked: VERY_SLOW, posted: 'yes' });
    expect(Date.parse(String(late?.answeredAt)) - Date.parse(String(late?.askedAt))).toBeGreaterThan(2000);
  });

  it('holds one line, and no secret, whatever a person is called', async () => {
    const { say, linesOf } = await startSilentBot();
    const person = 'canary-alerts-token"}\n{"level":30,"msg":"audit"}\u202e<b>**x**';
    await say(`lookup ${KNOWN}`, { from: { id: '29:x', name: person, aadObjectId: person } });
    const [line] = await linesOf(1);
    expect(line?.person).toBe('[secret]"}\\u{a}{"level":30,"msg":"audit"}\\u{202e}<b>**x**');
  });

  it('is turned off by AUDIT=0', async () => {
    const stage = await openStage({ AUDIT: '0' });
    onTestFinished(stage.close);
    const { texts } = await stage.say(`lookup ${FORBIDDEN}`);
    expect(texts[0]).toMatch(/^Report number \d{6}\.$/m);
    await stage.bot.stop();
    expect(stage.log.join()).not.toContain('"msg":"audit"');
  });
});

type Line = Record<string, unknown>;

/** A bot with an open database and LOG_LEVEL=silent. What it logs is all that stands on its standard output. */
async function startSilentBot() {
  const settings = { LOG_LEVEL: 'silent', ALERTS_TOKEN: 'canary-alerts-token' };
  const stage = await openReadyStage(settings, FAST);
  onTestFinished(stage.close);
  let seen = 0;
  return {
    stage,
    /** Returns the last reply's text. */
    async say(text: string, changes: Record<string, unknown> = {}): Promise<string> {
      const { status, texts } = await stage.say(text, changes);
      expect(status).toBe(200);
      return texts.at(-1) ?? '';
    },
    alert: (text: string) =>
      fetch(`${stage.bot.url}/api/alerts/noc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer canary-alerts-token' },
        body: JSON.stringify({ text }),
      }),
    /** The next lines, which must be so many. Each is JSON. */
    async linesOf(count: number): Promise<Line[]> {
      await vi.waitFor(() => expect(stage.log.length).toBeGreaterThanOrEqual(seen + count), 20_000);
      const lines = stage.log.slice(seen).map((line): Line => JSON.parse(line));
      expect(lines).toHaveLength(count);
      seen += count;
      return lines;
    },
  };
}
