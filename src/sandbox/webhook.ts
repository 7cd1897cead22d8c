import { readFileSync } from 'node:fs';
import { jsonServer } from './listen.ts';

const NOT_FOUND = { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' };

/** One post that the incoming webhook received. Ids grow in order of arrival; `at` is ISO 8601, UTC. */
type RoomPost = Readonly<{ id: number; at: string; form: 'v2' | 'legacy'; text: string }>;

const POSTS_KEPT = 200;

/** The webhook in both forms, and the team's room: a page that asks for `/posts` again and again, and shows the new ones. */
export function createWebhook() {
  const posts: RoomPost[] = [];
  // Ids start from the clock, so they grow over a restart and an open page shows the new posts.
  let nextId = Date.now();

  const server = jsonServer((route, { text }) => {
    const page = PAGES.get(route.split('?', 1)[0] ?? '');
    if (page) return [200, page.body, { ...HEADERS, 'content-type': page.type }];
    if (route === 'GET /posts') return [200, posts, HEADERS];
    const [, v2, token] = /^POST \/webhook\/(v2\/)?([^/]+)$/.exec(route) ?? [];
    if (token === undefined) return [404, { message: 'Not Found' }];
    if (typeof text !== 'string') return [400, { status: 'error', message: 'text is needed' }];
    if (token === 'answers-500') return [500, 'Internal Server Error'];
    if (token !== 'sandbox-room') return [200, NOT_FOUND];
    posts.push({ id: nextId++, at: new Date().toISOString(), form: v2 ? 'v2' : 'legacy', text });
    posts.splice(0, posts.length - POSTS_KEPT);
    return [200, { status: 'OK' }];
  });
  return { server, room: { posts: (): readonly RoomPost[] => [...posts] } };
}

const PAGES = new Map(
  Object.entries({ '': 'html', 'room.css': 'css', 'room.js': 'javascript' }).map(([file, type]) => {
    const body = readFileSync(new URL(file || 'room.html', import.meta.url), 'utf8');
    return [`GET /${file}`, { type: `text/${type}; charset=utf-8`, body }];
  }),
);

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};
