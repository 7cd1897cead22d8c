import { createServer, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { openReadyStage, type Stage } from '../stage.ts';

const ALERTS_TOKEN = 'a-token-of-alerts';
const SESSION = sessionXml({ other: {} });
/** A chat service without cards, so each answer is text. */
const TEXT = { channelId: 'sms' };

let stage: Stage;
let close: () => Promise<void>;
afterEach(async () => {
  await stage.close();
  await close();
});

/** A bot whose NAC answers so; returns the paths that the NAC was asked for. */
async function open(answer: (path: string, response: ServerResponse) => void): Promise<string[]> {
  const asked: string[] = [];
  const nac = await listen(
    createServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      response.setHeader('content-type', 'application/xml');
      answer(path, response);
    }),
  );
  close = nac.close;
  const settings = { NAC_URL: nac.url, NAC_HISTORY: '0', NAC_TIMEOUT_MS: '300', ALERTS_TOKEN };
  stage = await openReadyStage(settings, { timing: { lookups: { firstMs: 100, mostMs: 500 } } });
  return asked;
}

function fail(response: ServerResponse): void {
  response.statusCode = 500;
  response.end();
}

const from = (id: string) => ({ ...TEXT, from: { id } });
const device = (number: number) => `00:1B:54:00:88:${String(number).padStart(2, '0')}`;
const ask = async (id: string, what: string) =>
  (await stage.say(`lookup ${what}`, from(id))).texts.join('\n');

describe('a NAC that fails', () => {
  it('for what one person asks is asked for everyone else', async () => {
    await open((path, response) =>
      path.includes('EndPointIPAddress') ? fail(response) : response.end(SESSION),
    );
    const answers: string[] = [];
    for (let round = 0; round < 4; round++) {
      const ips = Array.from({ length: 5 }, (_, index) => `198.51.100.${10 * round + index}`);
      await ask('mallory', ips.join(' '));
      if (round === 0) expect(await ask('mallory', '198.51.100.200')).toMatch(/I ask for you again in/);
      for (let index = 0; index < 6; index++) answers.push(await ask(`person${index}`, device(index)));
    }
    expect(answers).toHaveLength(24);
    for (const answer of answers) expect(answer).toContain('connected');
  });

  it('is left alone by a sender that floods it with alerts, and by that sender only', async () => {
    const asked = await open((_, response) => fail(response));
    const thread = {
      conversation: { id: '19:noc@thread.tacv2;messageid=1', conversationType: 'channel', isGroup: true },
    };
    await stage.say('/alerts here as flood', thread);
    for (let alert = 0; alert < 10; alert++) {
      const macs = Array.from({ length: 8 }, (_, index) => device(8 * alert + index)).join(' ');
      const response = await fetch(`${stage.bot.url}/api/alerts/flood`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ALERTS_TOKEN}`, 'content-type': 'text/plain' },
        body: `down: ${macs}`,
      });
      expect(response.status).toBe(202);
    }
    await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(5));
    stage.skip(10 * 60_000); // The alerts are told without an answer.
    await vi.waitFor(() => expect(stage.replies.length).toBeGreaterThan(10), 20_000);
    expect(asked.length).toBeLessThan(15);
    expect(await ask('alex', device(99))).toContain('HTTP status 500');
  });
});
