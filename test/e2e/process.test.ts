import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startBot } from '../../src/sandbox/sandbox.ts';
import { openProcessStage } from '../stage.ts';

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

  it('does not start with a PORT in use: one sentence, and exits 2', async () => {
    const first = await openProcessStage();
    const failure = await openProcessStage({ PORT: new URL(first.bot.url).port }).catch(String);
    await first.close();
    expect(failure).toMatch(
      /ended with 2:\nThe bot cannot start: PORT is in use by another program, or equals OPS_PORT: set another port\.\n$/,
    );
  });

  it('exits with 0 on SIGTERM', async () => {
    const stage = await openProcessStage();
    await stage.say('help');
    const exit = new Promise((resolve) => stage.bot.child.once('exit', resolve));
    await stage.bot.stop();
    await stage.close();
    expect(await exit).toBe(0);
  });

  it('continues, and exits on SIGTERM, when nobody reads its log any more', async () => {
    const stage = await openProcessStage();
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
    const stage = await openProcessStage();
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
});
