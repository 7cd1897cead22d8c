import { describe, expect, it } from 'vitest';
import { createWebhook } from '../../src/sandbox/sandbox.ts';
import { serve } from '../serve.ts';

async function open() {
  const { server, posts } = createWebhook();
  const url = await serve(server);
  const post = async (path: string, body: object) =>
    (await fetch(url + path, { method: 'POST', body: JSON.stringify(body) })).status;
  return { url, posts, post };
}

describe.each(['/webhook/v2/', '/webhook/'])('the webhook at %s', (path) => {
  it.each([
    ['answers-500', { text: 'first' }, 500],
    ['any-other', { text: 'first' }, 200],
    ['constructor', { text: 'first' }, 200],
    ['sandbox-room', { words: 'first' }, 400],
  ])('shows nothing of what comes to %s with %o, and answers %i', async (token, body, status) => {
    const { posts, post } = await open();
    expect(await post(path + token, body)).toBe(status);
    expect(posts).toEqual([]);
  });
});

it.each([
  ['/', 'text/html; charset=utf-8', "<title>The team's room</title>"],
  ['/?from=chat', 'text/html; charset=utf-8', '<ol'],
  ['/room.css', 'text/css; charset=utf-8', 'light dark'],
  ['/room.js', 'text/javascript; charset=utf-8', 'fetch'],
  ['/posts', 'application/json', '[]'],
])('the page serves %s as %s, with headers that protect', async (path, type, part) => {
  const response = await fetch((await open()).url + path);
  expect(await response.text()).toContain(part);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': type,
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  });
});
