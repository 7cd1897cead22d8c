import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from '../../src/sandbox/listen.ts';
import { createNac, type SandboxNac, SERVICE_ACCOUNT } from '../../src/sandbox/nac.ts';
import { openReadyStage, openStage, type Stage } from '../stage.ts';

/** A chat service without cards, so each answer is text. */
const TEXT = { channelId: 'sms' };
const REMEMBERED = '00:1B:54:00:00:21';
const MOVED = '00:1B:54:00:00:22';
const UNEXPLAINED = '00:1B:54:00:00:23';
const BY_STEPS = '00:1B:54:00:00:24';
const REJECTED = '00:1B:54:00:00:03';
const ENDED = '00:1B:54:00:00:09';
const CONNECTED = 'AA:BB:CC:DD:EE:FF';
const TITLE = 'Last attempts (24 hours):';

const closers: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(settings: Record<string, string> = {}, start = openStage): Promise<Stage> {
  const stage = await start(settings);
  closers.push(stage.close);
  return stage;
}

/** A bot whose NAC answers the calls beside the session call like this. */
async function openWith(sisters: RequestListener, start = openStage): Promise<Stage & { nac: SandboxNac }> {
  const nac = createNac({ accounts: [SERVICE_ACCOUNT], sisters });
  const { url, close } = await listen(nac.server);
  const stage = await open({ NAC_URL: url }, start);
  closers.push(close);
  return { ...stage, nac };
}

async function linesOf(stage: Stage, question: string): Promise<string[]> {
  const { status, texts } = await stage.say(question, TEXT);
  expect(status).toBe(200);
  return texts.join('\n').split(/ *\n/);
}

describe('an answer that says why', () => {
  it('tells the last attempts of a device without a running session, and posts no more than before', async () => {
    const stage = await open();
    const since =
      /^7 minutes ago: failed 10 times since .+ UTC, `22056 No identity store holds this device`, /;
    expect((await linesOf(stage, REMEMBERED)).slice(1)).toEqual([
      TITLE,
      expect.stringMatching(since),
      '22056: The NAC finds no such user or device in its identity stores.',
      'Maker: `Cisco Systems, Inc`',
    ]);
    expect(await linesOf(stage, MOVED)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^20 minutes ago: failed 2 times since .+, `grady`, `sw-floor3-02`, /),
        expect.stringMatching(/^5 hours ago: failed, `24408 Active/),
        '10 hours ago: passed, `Corp_Wired_Access`, `grady`, `sw-floor2-17`, `GigabitEthernet1/0/15`',
        "12520: The device does not trust the NAC's certificate. The device needs the authority behind it.",
        '24408: The password is wrong in Active Directory.',
      ]),
    );
    for (const device of [REJECTED, ENDED]) expect(await linesOf(stage, device)).toContain(TITLE);
    expect(await linesOf(stage, '00:1B:54:00:99:99')).toContain(
      'The NAC lists no attempt in the last 24 hours.',
    );
    expect(stage.sandbox.room.posts().map(({ text }) => text)).toEqual([
      `${REJECTED}\nBlacklist_Access-Reject`,
      `${ENDED}\nCorp_Wired_Access\nBasic_Authenticated_Access`,
    ]);
  });

  it('tells what the code of a rejection means, or else a step', async () => {
    const stage = await open();
    const lines = await linesOf(stage, UNEXPLAINED);
    expect(lines[0]).toBe(`\`${UNEXPLAINED}\`: rejected. The device does not trust the NAC's certificate.`);
    expect(lines).toContain('The device needs the authority behind it.');
    expect((await linesOf(stage, BY_STEPS))[0]).toBe(
      `\`${BY_STEPS}\`: rejected. Possible cause: the NAC does not support the kind of the device's certificate.`,
    );
  });

  it('asks for no attempts about a connected device, nor with NAC_HISTORY=0', async () => {
    const stage = await open();
    await linesOf(stage, CONNECTED);
    const without = await open({ NAC_HISTORY: '0' });
    expect(await linesOf(without, REMEMBERED)).toEqual([
      expect.stringContaining('no session'),
      'Maker: `Cisco Systems, Inc`',
    ]);
    expect([...stage.sandbox.nacSisterCalls, ...without.sandbox.nacSisterCalls]).toEqual([]);
  });
});

it('a NAC that does not know the call for attempts is asked once, and answers are as without the call', async () => {
  const stage = await openWith((_, response) => {
    response.writeHead(404, { 'content-type': 'text/html' });
    response.end('<!DOCTYPE html><html><body>mnt</body></html>');
  });
  for (const device of [REMEMBERED, REJECTED, ENDED])
    expect((await linesOf(stage, device)).join('\n')).not.toMatch(/attempt/);
  expect(stage.nac.sisterCalls.map(({ path }) => path.split('/')[4])).toEqual(['AuthStatus']);
  expect((await linesOf(stage, 'status')).join('\n')).not.toMatch(/failing|left alone/);
  expect(stage.log.filter((each) => each.includes('it is left alone for an hour'))).toHaveLength(1);
});

describe('a history that never ends', () => {
  it('delays an answer by 2.5 s at most, three times', { timeout: 90_000 }, async () => {
    const stage = await openWith((_, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.write('<authStatusOutputList>');
    }, openReadyStage);
    await stage.say(CONNECTED, TEXT); // The first answer of a process takes longer.
    for (let time = 0; time < 5; time++) {
      const { ms, texts } = await stage.say(REMEMBERED, TEXT);
      expect(texts[0]).toContain('no session. ');
      expect(texts[0]).not.toContain('attempt');
      expect(ms).toBeLessThan(7000); // A machine busy with other things adds its own time.
      if (time < 3) expect(ms).toBeGreaterThan(2400);
      else expect(ms).toBeLessThan(2000);
    }
  });
});
