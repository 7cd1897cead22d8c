import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import type { Refusal, Room } from '../../src/sandbox/room.ts';
import { createWebhook } from '../../src/sandbox/webhook.ts';
import { followEvents, type RoomEvents } from './events.ts';

let room: Room;
let webhookAt: Listening;
let events: RoomEvents;

beforeEach(async () => {
  const webhook = createWebhook();
  room = webhook.room;
  webhookAt = await listen(webhook.server);
  events = await followEvents(webhookAt.url);
  expect(await events.counts()).toEqual({ taken: 0, refused: {} });
});

afterEach(async () => {
  await events.stop();
  await webhookAt.close();
});

const REFUSALS: [string, Refusal, number][] = [
  ['answers-error-object', 'error object', 200],
  ['answers-error-status', 'error status', 200],
  ['answers-400', 'HTTP 400', 400],
  ['answers-404', 'HTTP 404', 404],
  ['answers-429', 'HTTP 429', 429],
  ['answers-500', 'HTTP 500', 500],
  ['any-other', 'not found', 200],
  ['constructor', 'not found', 200],
];

describe.each([
  ['v2', '/webhook/v2/'],
  ['legacy', '/webhook/'],
])('the webhook in its %s form', (form, path) => {
  it('shows and counts as taken what its own token brings', async () => {
    expect((await post(`${path}sandbox-room`, { text: 'first' })).status).toBe(200);
    expect(await events.counts()).toEqual({ taken: 1, refused: {} });
    expect(room.posts()).toMatchObject([{ form, text: 'first' }]);
  });

  it.each([
    ['answers-one', 200],
    ['answers-accepted', 202],
  ])('counts as taken, without showing it, what %s brings', async (token, status) => {
    expect((await post(path + token, { text: 'first' })).status).toBe(status);
    expect(await events.counts()).toEqual({ taken: 1, refused: {} });
    expect(room.posts()).toEqual([]);
  });

  it.each(REFUSALS)('counts %s as refused: %s', async (token, refusal, status) => {
    expect((await post(path + token, { text: 'first' })).status).toBe(status);
    expect(await events.counts()).toEqual({ taken: 0, refused: { [refusal]: 1 } });
    expect(room.posts()).toEqual([]);
  });

  it('counts a call that it leaves without an answer', async () => {
    const patience = new AbortController();
    const call = post(`${path}silent`, { text: 'first' }, patience.signal);
    expect(await events.counts()).toEqual({ taken: 0, refused: { 'no answer': 1 } });
    patience.abort();
    await expect(call).rejects.toThrow('abort');
  });

  it('refuses a body without a text by HTTP 400', async () => {
    expect((await post(`${path}sandbox-room`, { words: 'first' })).status).toBe(400);
    expect(await events.counts()).toEqual({ taken: 0, refused: { 'HTTP 400': 1 } });
    expect(room.posts()).toEqual([]);
  });
});

it('counts no call that is not one of the webhook', async () => {
  expect((await post('/elsewhere', { text: 'first' })).status).toBe(404);
  expect((await fetch(`${webhookAt.url}/webhook/sandbox-room`)).status).toBe(404);
  await post('/webhook/sandbox-room', { text: 'first' });
  expect(await events.counts()).toEqual({ taken: 1, refused: {} });
});

function post(path: string, body: unknown, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(webhookAt.url + path, { method: 'POST', body: JSON.stringify(body), signal });
}
