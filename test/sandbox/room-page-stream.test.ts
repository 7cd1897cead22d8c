import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumOrSkip } from '../chromium.ts';
import { launchChromium, RoomPage } from './room-page.ts';

const executablePath = chromiumOrSkip('what the room page follows');

describe.skipIf(executablePath === undefined)('the room page', { timeout: 20_000 }, () => {
  let browser: Browser;
  let roomPage: RoomPage;

  beforeAll(async () => {
    browser = await launchChromium(executablePath);
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    roomPage = await RoomPage.create(browser);
  });
  afterEach(() => roomPage.close());

  it('counts what the webhook took and what it refused, by verdict', async () => {
    await roomPage.open();
    await roomPage.counted('0 taken · 0 refused');
    for (const path of ['v2/sandbox-room', 'sandbox-room', 'answers-one', 'v2/answers-accepted'])
      await roomPage.call(path);
    await roomPage.counted('4 taken · 0 refused');
    await roomPage.call('v2/answers-500');
    await roomPage.counted('4 taken · 1 refused (1 HTTP 500)');
    for (const path of ['gone', 'v2/answers-error-object', 'v2/gone', 'answers-one'])
      await roomPage.call(path);
    await roomPage.counted('5 taken · 4 refused (1 HTTP 500, 2 not found, 1 error object)');
    expect(await roomPage.page.locator('.post').count()).toBe(2);
    expect(roomPage.complaints).toEqual([]);
  });

  it('has the counts of what happened before it was opened', async () => {
    for (const path of ['sandbox-room', 'gone', 'sandbox-room']) await roomPage.call(path);
    await roomPage.open();
    await roomPage.counted('2 taken · 1 refused (1 not found)');
  });

  it('reconnects when its stream ends: misses nothing, doubles nothing, has the present counts', async () => {
    await roomPage.call('v2/sandbox-room', 'before');
    await roomPage.open();
    await roomPage.shown(1);
    await roomPage.counted('1 taken · 0 refused');
    roomPage.room.close();
    await roomPage.call('v2/sandbox-room', 'meanwhile 1');
    await roomPage.call('sandbox-room', 'meanwhile 2');
    await roomPage.call('answers-400');
    await roomPage.shown(3);
    await roomPage.counted('3 taken · 1 refused (1 HTTP 400)');
    expect(await states()).toEqual(['live', 'reconnecting', 'live']);
    await roomPage.call('v2/sandbox-room', 'after');
    await roomPage.shown(4);
    await roomPage.counted('4 taken · 1 refused (1 HTTP 400)');
    expect(await roomPage.texts()).toEqual(['before', 'meanwhile 1', 'meanwhile 2', 'after']);
  });

  it('goes on with a sandbox that was restarted, and with its counts', async () => {
    await roomPage.call('v2/sandbox-room', 'before');
    await roomPage.call('gone');
    await roomPage.open();
    await roomPage.counted('1 taken · 1 refused (1 not found)');
    await roomPage.stopWebhook();
    await roomPage.inState('reconnecting');
    await roomPage.startWebhook();
    await roomPage.inState('live');
    await roomPage.counted('0 taken · 0 refused');
    await roomPage.call('v2/sandbox-room', 'after');
    await roomPage.shown(2);
    await roomPage.counted('1 taken · 0 refused');
    expect(await roomPage.texts()).toEqual(['before', 'after']);
  });

  it('comes back after an answer that is no event stream', async () => {
    const { page, room } = roomPage;
    room.add('v2', 'before');
    await roomPage.open();
    await roomPage.shown(1);
    await page.route('**/events', (route) => route.fulfill({ status: 502 }), { times: 1 });
    room.close();
    room.add('v2', 'after');
    await roomPage.shown(2);
    expect(await states()).toEqual(['live', 'reconnecting', 'reconnecting', 'live']);
    expect(await roomPage.texts()).toEqual(['before', 'after']);
  });

  async function states(): Promise<string[]> {
    return (await roomPage.heard('state')).filter((word) => word !== 'connecting');
  }
});
