import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { readJson } from './listen.ts';

const NOT_FOUND = { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' };

/** One post that the incoming webhook received. Ids grow in order of arrival; `at` is ISO 8601, UTC. */
type RoomPost = Readonly<{ id: number; at: string; form: 'v2' | 'legacy'; text: string }>;

const POSTS_KEPT = 200;

/** Endpoints 4 and 5, and the team's room: a page that asks for `/posts` again and again, and shows the new ones. */
export function createWebhook() {
  /** The last posts, oldest first. */
  const posts: RoomPost[] = [];
  // Ids start from the clock, so they grow over a restart and an open page shows the new posts.
  let nextId = Date.now();

  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const file = PAGE.get(url.split('?', 1)[0] ?? '');
    if (method === 'GET' && file) return send(response, 200, file.body, file.type);
    if (method === 'GET' && url === '/posts') return send(response, 200, posts);
    const [, v2, token] = /^\/webhook\/(v2\/)?([^/]+)$/.exec(url) ?? [];
    if (method !== 'POST' || token === undefined) return send(response, 404, { message: 'Not Found' });
    const { text } = await readJson(request);
    if (typeof text !== 'string') return send(response, 400, { status: 'error', message: 'text is needed' });
    if (token === 'answers-500') return send(response, 500, 'Internal Server Error');
    if (token !== 'sandbox-room') return send(response, 200, NOT_FOUND);
    posts.push({ id: nextId++, at: new Date().toISOString(), form: v2 ? 'v2' : 'legacy', text });
    posts.splice(0, posts.length - POSTS_KEPT);
    send(response, 200, { status: 'OK' });
  });
  return { server, room: { posts: (): readonly RoomPost[] => [...posts] } };
}

const PAGE = new Map(
  Object.entries({ '/': 'html', '/room.css': 'css', '/room.js': 'javascript' }).map(([path, type]) => {
    const file = new URL(path === '/' ? 'room.html' : path.slice(1), import.meta.url);
    return [path, { type: `text/${type}; charset=utf-8`, body: readFileSync(file) }];
  }),
);

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

function send(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type });
  response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
}
