import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Reply, textOf } from '../../src/sandbox/chat.ts';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { answer } from '../serve.ts';
import { FAST, openReadyStage, type Stage } from '../stage.ts';
import { buttonsOf, cardOf, inThread, linesOf, pressing } from './cards.ts';

const ONE = '00:1B:54:00:00:31';
const OTHER = '00:1B:54:00:00:32';
const THREAD = '19:noc@thread.tacv2;messageid=7';
const UNCHANGED = /^Unchanged since \d\d:\d\d [AP]M UTC\.$/m;

let stage: Stage;
const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  await stage.close();
  await Promise.all(closers.splice(0).map((close) => close()));
});

const posts = () => stage.sandbox.room.posts().map(({ text }) => text);

describe('a press of "Look up again"', { timeout: 30_000 }, () => {
  it('edits its card in its thread, and says and posts only what has changed', async () => {
    const nac = await open();
    const asked = await ask(ONE);
    expect(posts()).toEqual([`${ONE}\nFirst_Access`]);
    const same = await press(asked, 'Look up again');
    expect(same.replies).toMatchObject([{ id: asked.id, method: 'PUT', conversationId: THREAD }]);
    expect(linesOf(cardOf(only(same.replies))).at(-1)).toMatch(UNCHANGED);
    expect(posts()).toHaveLength(1);

    nac.tokens = 'Second_Access';
    const other = await press(only(same.replies), 'Look up again');
    expect(other.replies).toMatchObject([{ id: asked.id, method: 'PUT' }]);
    expect(linesOf(cardOf(only(other.replies))).slice(-2)).toEqual([
      expect.stringMatching(/^Changed since \d\d:\d\d [AP]M UTC: other tokens\.$/),
      'The tokens were posted to the room.',
    ]);
    expect(posts().slice(1)).toEqual([`${ONE}\nSecond_Access`]);
  });

  it('for several devices edits their card too; a row and an alert say new messages', async () => {
    await open({ ALERTS_TOKEN: 'token-for-alerts', ADMINS: '*' });
    const asked = await ask(`${ONE} ${OTHER}`);
    const all = await press(asked, 'Look up all again');
    expect(all.replies).toMatchObject([{ id: asked.id, method: 'PUT' }]);
    expect(textOf(only(all.replies))).toMatch(UNCHANGED);
    expect(posts()).toHaveLength(1);
    const row = await press(only(all.replies), `${OTHER} connected: look up alone`);
    expect(row.replies).toMatchObject([{ method: 'POST' }]);

    await stage.say('alerts here as noc', inThread(THREAD));
    const before = stage.replies.length;
    await fetch(`${stage.bot.url}/api/alerts/noc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token-for-alerts' },
      body: JSON.stringify({ text: `port down ${ONE}` }),
    });
    await vi.waitFor(() => expect(stage.replies).toHaveLength(before + 1), 10_000);
    const alert = only(stage.replies.slice(before));
    expect((await press(alert, 'Look up again')).replies).toMatchObject([{ method: 'POST' }]);
  });
});

describe('a press that takes longer than a turn', { timeout: 90_000 }, () => {
  it.each([false, true])('is answered on its card; if the process dies meanwhile: %s', async (dies) => {
    const nac = await open();
    const asked = await ask(ONE);
    nac.delayMs = 2500;
    const { status, replies } = await press(asked, 'Look up again');
    expect(status).toBe(200);
    expect(replies.map(textOf)).toEqual([
      `Still asking the NAC about ${ONE}.`,
      `Still asking the NAC about ${ONE}. The answer will come here.`,
    ]);
    if (dies) await stage.restart();
    await vi.waitFor(() => expect(stage.replies).toHaveLength(4), 60_000);
    expect(stage.replies.map(({ id, method }) => [id, method])).toEqual(
      ['POST', 'PUT', 'PUT', 'PUT'].map((method) => [asked.id, method]),
    );
    expect(textOf(stage.replies[3] as Reply)).toMatch(UNCHANGED);
    expect(posts()).toHaveLength(1);
  });
});

/** A bot, and a NAC whose answer the test changes. */
async function open(settings: Record<string, string> = {}) {
  const nac = { tokens: 'First_Access', delayMs: 0, calls: 0 };
  const server = createServer(async (request, response) => {
    if (!request.url?.includes('/Session/')) return answer(response, 404, {}, '');
    nac.calls++;
    await delay(nac.delayMs);
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(sessionXml({ selected_azn_profiles: nac.tokens, other: {} }));
  });
  const { url, close } = await listen(server);
  closers.push(close);
  stage = await openReadyStage({ NAC_URL: url, ...settings }, FAST);
  return nac;
}

async function ask(text: string): Promise<Reply> {
  return only((await stage.say(`lookup ${text}`, inThread(THREAD))).replies);
}

function press(card: Reply, title: string) {
  const button = buttonsOf(cardOf(card)).find((each) => each.title === title);
  return stage.say('', { ...inThread(THREAD), ...pressing(button, card.id), entities: [] });
}

function only(replies: readonly Reply[]): Reply {
  const [first, ...others] = replies;
  if (first === undefined || others.length > 0) throw new Error(`${replies.length} replies`);
  return first;
}
