import { once } from 'node:events';
import { EventSource } from 'undici';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';

let webhook: ReturnType<typeof createWebhook>;
let webhookAt: Listening;
beforeEach(async () => {
  webhook = createWebhook();
  webhookAt = await listen(webhook.server);
});
afterEach(() => webhookAt.close());

const post = async (path: string, body: object) =>
  (await fetch(webhookAt.url + path, { method: 'POST', body: JSON.stringify(body) })).status;

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
])('the webhook in its %s form', (form, path) => {
  it('shows what comes with its own token, as it came, with the time of its arrival', async () => {
    expect(await post(`${path}sandbox-room`, { text: 'first' })).toBe(200);
    const [shown, ...others] = webhook.room.posts();
    expect([shown, others]).toMatchObject([{ form, text: 'first' }, []]);
    expect(Math.abs(Date.now() - Date.parse(shown?.at ?? ''))).toBeLessThan(1000);
  });

  it.each([
    ['answers-400', { text: 'first' }, 400],
    ['any-other', { text: 'first' }, 200],
    ['constructor', { text: 'first' }, 200],
    ['sandbox-room', { words: 'first' }, 400],
  ])('shows nothing of what comes to %s with %o, and answers %i', async (token, body, status) => {
    expect(await post(path + token, body)).toBe(status);
    expect(webhook.room.posts()).toEqual([]);
  });
});

describe('the page', () => {
  it.each([
    ['/', 'html', "<title>The team's room</title>"],
    ['/?from=chat', 'html', '<ol'],
    ['/room.css', 'css', 'light dark'],
    ['/room.js', 'javascript', 'EventSource'],
  ])('serves %s as %s, with headers that protect', async (path, type, part) => {
    const response = await fetch(webhookAt.url + path);
    expect(await response.text()).toContain(part);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': `text/${type}; charset=utf-8`,
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it.each([
    ...['GET /elsewhere', 'GET /webhook.ts', 'GET //events', 'GET /webhook/sandbox-room'],
    ...['POST /', 'POST /events', 'POST /elsewhere'],
  ])('is not at %s, which gets 404', async (line) => {
    const [method = '', path] = line.split(' ');
    const body = method === 'POST' ? '{"text":"first"}' : undefined;
    const response = await fetch(webhookAt.url + path, { method, ...(body && { body }) });
    expect([response.status, response.headers.get('content-security-policy')]).toEqual([404, null]);
    expect(webhook.room.posts()).toEqual([]);
  });
});

it('the posts are limited to the last 200, and cannot be changed from outside', () => {
  const { room } = webhook;
  const added = Array.from({ length: 205 }, (_, index) => room.add('v2', `post ${index + 1}`));
  (room.posts() as unknown[]).pop();
  expect(room.posts()).toEqual(added.slice(5));
});

describe('the events', () => {
  /** A reader, and the texts that it has received. */
  function follow() {
    const source = new EventSource(`${webhookAt.url}/events`);
    onTestFinished(() => source.close());
    const texts: string[] = [];
    source.onmessage = ({ data }) => void texts.push(JSON.parse(data).text);
    return { texts: () => texts, source };
  }

  it('replay the posts so far, say that they are live, then continue, for every reader', async () => {
    webhook.room.add('v2', 'first');
    const readers = [follow(), follow()];
    await Promise.all(readers.map(({ source }) => once(source, 'live')));
    webhook.room.add('legacy', 'second');
    for (const { texts } of readers) await expect.poll(texts).toEqual(['first', 'second']);
  });

  it('resume after the last post when the stream ends, and nothing is missed or doubled', async () => {
    const { texts, source } = follow();
    webhook.room.add('v2', 'before');
    await once(source, 'live');
    webhook.room.close();
    webhook.room.add('v2', 'meanwhile');
    await expect.poll(texts).toEqual(['before', 'meanwhile']);
  });

  it('end at close(), which lets the server close at once', async () => {
    const { source } = follow();
    await once(source, 'live');
    const closed = new Promise((done) => webhook.server.close(done));
    webhook.room.close();
    source.close();
    await closed;
  });
});
