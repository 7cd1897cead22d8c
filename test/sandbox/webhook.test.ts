import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import type { Room } from '../../src/sandbox/room.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';

let room: Room;
let webhookAt: Listening;

beforeEach(async () => {
  const webhook = createWebhook();
  room = webhook.room;
  webhookAt = await listen(webhook.server);
});

afterEach(() => webhookAt.close());

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
])('the webhook in its %s form', (form, path) => {
  it('shows posts with its own token', async () => {
    expect((await post(`${path}sandbox-room`, { text: 'first' })).status).toBe(200);
    expect(room.posts()).toMatchObject([{ form, text: 'first' }]);
  });

  it.each(['answers-400', 'any-other', 'constructor'])(
    'shows nothing that comes with the token %s',
    async (token) => {
      expect((await post(path + token, { text: 'first' })).status).toBe(token === 'answers-400' ? 400 : 200);
      expect(room.posts()).toEqual([]);
    },
  );

  it('refuses a body without a text with HTTP 400', async () => {
    for (const token of ['sandbox-room', 'silent'])
      expect((await post(path + token, { words: 'first' })).status).toBe(400);
    expect(room.posts()).toEqual([]);
  });
});

it('answers any other request with HTTP 404', async () => {
  expect((await post('/elsewhere', { text: 'first' })).status).toBe(404);
  expect((await fetch(`${webhookAt.url}/webhook/sandbox-room`)).status).toBe(404);
  expect(room.posts()).toEqual([]);
});

function post(path: string, body: unknown): Promise<Response> {
  return fetch(webhookAt.url + path, { method: 'POST', body: JSON.stringify(body) });
}
