import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createChat, messageActivity, textOf } from '../../src/sandbox/chat.ts';
import { freePort, listen } from '../../src/sandbox/listen.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { openStage, untilOpen } from '../stage.ts';
import { buttonsOf, cardOf, inThread, pressing } from './cards.ts';

const KNOWN = 'AA:BB:CC:DD:EE:FF';
const UNKNOWN = '00:1B:54:00:00:99';
const FORBIDDEN = '00:1B:54:00:04:03';
const VERY_SLOW = '00:1B:54:00:00:07';
const THREAD = '19:noc@thread.tacv2;messageid=7';
const ASKER = '00000000-0000-0000-0000-000000000001';
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe('the audit', { timeout: 60_000 }, () => {
  it('stands alone on the standard output of a silent bot: one line for each device that was asked for', async () => {
    const { say, alert, chat, linesOf } = await startSilentBot();

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

    const answer = cardOf(chat.replies.at(-1) ?? expect.unreachable());
    const again = buttonsOf(answer).find(({ title }) => title === 'Look up all again');
    await say('', pressing(again, chat.replies.at(-1)?.id ?? ''));
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
    expect(Date.parse(String(late?.answeredAt)) - Date.parse(String(late?.askedAt))).toBeGreaterThan(8000);
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
    closers.push(stage.close);
    const { texts } = await stage.say(`lookup ${FORBIDDEN}`);
    expect(texts[0]).toMatch(/^Report number \d{6}\.$/m);
    await stage.bot.stop();
    expect(stage.log.join()).not.toContain('"msg":"audit"');
  });
});

type Line = Record<string, unknown>;

/** A bot with an open database and LOG_LEVEL=silent, and what it prints. */
async function startSilentBot() {
  const sandbox = await startSandbox();
  const chat = createChat();
  const chatAt = await listen(chat.server);
  closers.push(sandbox.close, chatAt.close);
  const { environment } = sandbox;
  const port = await freePort(0);
  const settings = { LOG_LEVEL: 'silent', PORT: String(port), ALERTS_TOKEN: 'canary-alerts-token' };
  const printed: string[] = [];
  const bot = start({ ...environment, ...settings }, (line) => printed.push(line));
  closers.push(() => stop(bot));
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => untilOpen(url), 30_000);
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  let seen = 0;
  return {
    chat,
    /** Returns the last reply's text. */
    async say(text: string, changes: Record<string, unknown> = {}): Promise<string> {
      const { status } = await post('/api/messages', { ...messageActivity(chatAt.url, text), ...changes });
      expect(status).toBe(200);
      const last = chat.replies.at(-1);
      return last ? textOf(last) : '';
    },
    alert: (text: string) =>
      post('/api/alerts/noc', { text }, { authorization: 'Bearer canary-alerts-token' }),
    /** The next lines, which must be so many. Each is JSON. */
    async linesOf(count: number): Promise<Line[]> {
      await vi.waitFor(() => expect(printed.length).toBeGreaterThanOrEqual(seen + count), 20_000);
      const lines = printed.slice(seen).map((line): Line => JSON.parse(line));
      expect(lines).toHaveLength(count);
      seen += count;
      return lines;
    },
  };
}

/** It says nothing when it listens, so `startBot` would wait for ever. */
function start(environment: Readonly<Record<string, string>>, onLine: (line: string) => void): ChildProcess {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', onLine);
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
