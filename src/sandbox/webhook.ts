import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { readJson } from './listen.ts';

type Answer = { status: number; body: unknown };

/** Answers by token. Any other token gets {@link NOT_FOUND}. */
const ANSWERS = new Map<string, Answer>([
  ['sandbox-room', { status: 200, body: { status: 'OK' } }],
  ['answers-500', { status: 500, body: 'Internal Server Error' }],
]);
const NOT_FOUND: Answer = {
  status: 200,
  body: { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' },
};
const NO_TEXT: Answer = { status: 400, body: { status: 'error', message: 'text is needed' } };

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
    if (method === 'GET' && file) return send(response, 200, file.type, file.body);
    if (method === 'GET' && url === '/posts') return answer(response, { status: 200, body: posts });
    const [, v2, token] = /^\/webhook\/(v2\/)?([^/]+)$/.exec(url) ?? [];
    if (method !== 'POST' || token === undefined)
      return answer(response, { status: 404, body: { message: 'Not Found' } });
    const { text } = await readJson(request);
    if (typeof text !== 'string') return answer(response, NO_TEXT);
    if (token === 'sandbox-room') {
      posts.push({ id: nextId++, at: new Date().toISOString(), form: v2 ? 'v2' : 'legacy', text });
      posts.splice(0, posts.length - POSTS_KEPT);
    }
    answer(response, ANSWERS.get(token) ?? NOT_FOUND);
  });
  return { server, room: { posts: (): readonly RoomPost[] => [...posts] } };
}

const PAGE = new Map(
  Object.entries({ '/': 'html', '/room.css': 'css', '/room.js': 'javascript' }).map(([path, type]) => {
    const file = new URL(path === '/' ? 'room.html' : path.slice(1), import.meta.url);
    return [path, { type: `text/${type}; charset=utf-8`, body: readFileSync(file) }];
  }),
);

function answer(response: ServerResponse, { status, body }: Answer): void {
  send(response, status, 'application/json', JSON.stringify(body));
}

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type });
  response.end(body);
}
