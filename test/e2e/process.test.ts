import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { freePort } from '../../src/sandbox/listen.ts';
import { startBot } from '../../src/sandbox/sandbox.ts';
import { startPostgres } from '../store/postgres.ts';
import { openStallingProxy } from '../store/stalling-proxy.ts';
import { openStage, type Stage } from './bot.ts';

describe('the process', () => {
  it('starts nothing with missing settings: lists them all, names the sandbox, exits 2', async () => {
    const failure = await startBot({}).catch((error: Error) => error.message);
    expect(failure).toContain('ended with 2');
    for (const name of [
      'MicrosoftAppId',
      'NAC_URL',
      'NAC_USERNAME',
      'NAC_PASSWORD',
      'WEBHOOK_URL',
      'npm run sandbox',
    ]) {
      expect(failure).toContain(name);
    }
  });

  it('prints no secret when something else is wrong', async () => {
    const failure = await startBot({
      NAC_PASSWORD: 'canary-1',
      WEBHOOK_URL: 'canary-2',
      DATABASE_URL: 'canary-3',
    }).catch(String);
    expect(failure).toContain('DATABASE_URL must be');
    expect(failure).not.toContain('canary');
  });

  it.each<[what: string, settings: (stage: Stage) => Record<string, string>, sentence: string]>([
    [
      'a PORT in use',
      ({ bot }) => ({ PORT: new URL(bot.url).port }),
      'PORT is in use by another program, or equals OPS_PORT: set another port',
    ],
    [
      'a DATA_DIR that is a file',
      () => ({ DATA_DIR: import.meta.filename }),
      'DATA_DIR names a file, or a path below a file: set a folder',
    ],
    [
      'a DATA_DIR below a file',
      () => ({ DATA_DIR: join(import.meta.filename, 'data') }),
      'DATA_DIR names a file, or a path below a file: set a folder',
    ],
    [
      'a DATA_DIR with too long a name',
      ({ sandbox }) => ({ DATA_DIR: join(sandbox.environment.DATA_DIR ?? '', 'a'.repeat(300)) }),
      'the path in DATA_DIR is too long: set a shorter path',
    ],
    [
      'a DATA_DIR with too long a path',
      ({ sandbox }) => ({
        DATA_DIR: join(sandbox.environment.DATA_DIR ?? '', ...Array(6).fill('a'.repeat(100))),
      }),
      'the path in DATA_DIR is too long, or this user may not write there: set another folder',
    ],
  ])('does not start with %s: one sentence, and exits 2', async (_, settings, sentence) => {
    const first = await openStage();
    const { DATA_DIR: _taken, ...environment } = first.sandbox.environment;
    const failure = await openStage({ ...environment, ...settings(first) }).catch(
      (error: Error) => error.message,
    );
    await first.close();
    expect(failure).toMatch(/ended with 2:\n/);
    expect(String(failure).split('ended with 2:\n')[1]).toBe(`The bot cannot start: ${sentence}.\n`);
  });

  it('does not start with OPS_PORT equal to PORT', async () => {
    const port = String(await freePort(0));
    const failure = await openStage({ PORT: port, OPS_PORT: port, OPS_HOST: '127.0.0.1' }).catch(String);
    expect(failure).toContain('or equals OPS_PORT');
  });

  it('refuses requests without a token if it has an identity, though ALLOW_UNAUTHENTICATED is set', async () => {
    const stage = await openStage({
      MicrosoftAppId: 'id',
      MicrosoftAppType: 'UserAssignedMSI',
      MicrosoftAppTenantId: 't',
      ALLOWED_TENANTS: '*',
    });
    const { status, replies } = await stage.say('lookup AA:BB:CC:DD:EE:FF');
    await stage.close();
    expect({ status, replies }).toEqual({ status: 401, replies: [] });
    expect(stage.sandbox.nacCalls).toEqual([]);
  });

  it('exits with 0 on SIGTERM', async () => {
    const stage = await openStage();
    await stage.say('help');
    const exit = new Promise((resolve) => stage.bot.child.once('exit', resolve));
    await stage.bot.stop();
    await stage.close();
    expect(await exit).toBe(0);
  });

  it('continues, and exits on SIGTERM, when nobody reads its log any more', async () => {
    const stage = await openStage();
    stage.bot.child.stdout?.destroy();
    for (const time of ['first', 'second'])
      expect((await stage.say(`lookup AA:BB:CC:DD:EE:FF, for the ${time} time`)).texts.join()).toContain(
        'posted',
      );
    const { child } = stage.bot;
    await stage.bot.stop();
    expect(child.exitCode).toBe(0);
    await stage.close();
  });

  it('does not wait for a request that never ends', async () => {
    const stage = await openStage();
    const exit = new Promise((resolve) => stage.bot.child.once('exit', resolve));
    const socket = connect(Number(new URL(stage.bot.url).port), '127.0.0.1');
    await new Promise<void>((resolve) =>
      socket.write('POST /api/messages HTTP/1.1\r\nHost: localhost\r\n', () => resolve()),
    );
    socket.on('error', () => {}); // The bot may end the connection.
    await stage.say('help');
    stage.bot.child.kill('SIGTERM');
    expect(await exit).toBe(0);
    socket.destroy();
    await stage.close();
  });

  it('answers, stays ready, and exits on SIGTERM while its database hangs', {
    timeout: 60_000,
  }, async () => {
    const postgres = await startPostgres();
    const proxy = await openStallingProxy(postgres.url);
    const stage = await openStage({ DATABASE_URL: proxy.url });
    await stage.ready();
    const exit = new Promise((resolve) => stage.bot.child.once('exit', resolve));
    proxy.stall();
    const begun = Date.now();
    const old = { timestamp: new Date(begun - 60_000).toISOString() }; // So late that it must become a job.
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF', old)).texts).toEqual([
      expect.stringContaining('connected.'),
    ]);
    const ready = await fetch(`${stage.bot.url}/readyz`);
    expect(await ready.json()).toMatchObject({ parts: { database: 'does not answer' } });
    expect(ready.status).toBe(200);
    expect(Date.now() - begun).toBeLessThan(10_000);
    const told = Date.now();
    stage.bot.child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(Date.now() - told).toBeLessThan(8000);
    await stage.close();
    await proxy.close();
    await postgres.close();
  });

  it('is ready, and reports the last state of its upstreams', async () => {
    const stage = await openStage({ WEBHOOK_TOKEN: 'unknown' });
    const ready = async () => (await fetch(`${stage.bot.url}/readyz`)).json();
    expect(await ready()).toMatchObject({ status: 'not ready', parts: { database: 'opening' } });
    await vi.waitFor(async () => {
      expect(await ready()).toEqual({
        status: 'ready',
        parts: { database: 'ok', nac: 'not asked yet', webhook: 'not asked yet', chat: 'not asked yet' },
      });
    }, 40_000);
    await stage.say('lookup AA:BB:CC:DD:EE:FF');
    expect(await ready()).toMatchObject({
      status: 'ready',
      parts: { nac: 'ok', webhook: 'failing', chat: 'ok' },
    });
    await stage.close();
  });

  it('answers 502 if the reply was neither delivered nor kept, so that the channel retries', async () => {
    const stage = await openStage({ DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' });
    expect(await stage.say('help', { serviceUrl: 'http://127.0.0.1:1' })).toMatchObject({
      status: 502,
      texts: [],
    });
    expect((await stage.say('help')).status).toBe(200);
    await stage.close();
  });
});
