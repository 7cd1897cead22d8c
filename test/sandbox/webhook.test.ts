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

const NOT_FOUND = '{"status":"error","message":"Webhook not found!","error":"Webhook not found!"}';
const ANSWERS: [string, number, string][] = [
  ['answers-one', 200, '1'],
  ['answers-accepted', 202, ''],
  ['answers-error-object', 200, '{"error":{"code":17,"message":"try again"}}'],
  ['answers-error-status', 200, '{"status":"error","message":"busy"}'],
  ['answers-400', 400, '{"message":"Bad Request"}'],
  ['answers-404', 404, '{"message":"Not Found"}'],
  ['answers-429', 429, ''],
  ['answers-500', 500, '"Internal Server Error"'],
  ['any-other', 200, NOT_FOUND],
  ['constructor', 200, NOT_FOUND],
];

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
])('the webhook in its %s form', (form, path) => {
  it('shows posts with its own token', async () => {
    expect((await post(`${path}sandbox-room`, { text: 'first' })).status).toBe(200);
    expect(room.posts()).toMatchObject([{ form, text: 'first' }]);
  });

  it.each(ANSWERS)('answers %s with HTTP %i, and shows nothing', async (token, status, body) => {
    const response = await post(path + token, { text: 'first' });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(body);
    expect(room.posts()).toEqual([]);
  });

  it('does not answer a call with its silent token', async () => {
    const call = post(`${path}silent`, { text: 'first' }, AbortSignal.timeout(300));
    await expect(call).rejects.toThrow('timeout');
    expect(room.posts()).toEqual([]);
  });

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

function post(path: string, body: unknown, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(webhookAt.url + path, { method: 'POST', body: JSON.stringify(body), signal });
}
