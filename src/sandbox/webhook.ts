import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readJson } from './listen.ts';

type Answer = { status: number; body: unknown };

/** The answer for each of the sandbox's webhook tokens. Any other token gets {@link NOT_FOUND}. */
const ANSWERS = new Map<string, Answer>([
  ['sandbox-room', { status: 200, body: { status: 'OK' } }],
  ['answers-error-object', { status: 200, body: { error: { code: 17, message: 'try again' } } }],
  ['answers-400', { status: 400, body: { message: 'Bad Request' } }],
  ['answers-500', { status: 500, body: 'Internal Server Error' }],
]);

const NOT_FOUND: Answer = {
  status: 200,
  body: { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' },
};

const NO_TEXT: Answer = { status: 400, body: { status: 'error', message: 'text is needed' } };

/** Endpoints 4 and 5, and the room page that shows their posts. */
export function createWebhook() {
  const room = createRoom();
  const server = createServer(async (request, response) => {
    if (room.handle(request, response)) return;
    const [, v2, token] = /^\/webhook\/(v2\/)?([^/]+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || token === undefined)
      return send(response, { status: 404, body: { message: 'Not Found' } });
    const { text } = await readJson(request);
    if (typeof text !== 'string') return send(response, NO_TEXT);
    if (token === 'sandbox-room') room.add(v2 === undefined ? 'legacy' : 'v2', text);
    send(response, ANSWERS.get(token) ?? NOT_FOUND);
  });
  server.on('close', () => room.close());
  return { server, room };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** One post that the incoming webhook received. Ids grow in order of arrival; `at` is ISO 8601, UTC. */
type RoomPost = Readonly<{ id: number; at: string; form: 'v2' | 'legacy'; text: string }>;

export type Room = ReturnType<typeof createRoom>;

const POSTS_KEPT = 200;
const READER_BACKLOG_BYTES = 1_000_000;
const RECONNECT_AFTER_MS = 500;

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/**
 * The team's room as a web page: shows the incoming webhook's posts live.
 *
 * The page follows `/events` (server-sent events). The room sends the posts so far, or the posts after `Last-Event-ID`.
 * Then the room sends an event `live`, which has no id, and after it each new post.
 */
function createRoom() {
  const files = new Map([
    ['/', pageFile('html')],
    ['/room.css', pageFile('css')],
    ['/room.js', pageFile('js')],
  ]);
  const posts: RoomPost[] = [];
  const readers = new Set<ServerResponse>();
  // Ids start from the clock, so they grow over a restart and an open page shows the new posts.
  let nextId = Date.now();

  function follow(response: ServerResponse, lastSeen: number): void {
    // With keep-alive, an ended stream would delay the server's close() by five seconds.
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream', Connection: 'close' });
    response.write(`retry: ${RECONNECT_AFTER_MS}\n\n`);
    for (const post of posts) if (post.id > lastSeen) response.write(postEvent(post));
    // Browsers drop an event whose data is empty.
    response.write('event: live\ndata: now\n\n');
    readers.add(response);
    response.on('close', () => readers.delete(response));
  }

  return {
    /** Keeps the post and shows it on every open page. Drops the oldest post over 200. */
    add(form: RoomPost['form'], text: string): RoomPost {
      const post: RoomPost = { id: nextId++, at: new Date().toISOString(), form, text };
      posts.push(post);
      if (posts.length > POSTS_KEPT) posts.shift();
      for (const reader of readers) {
        // A reader that has stopped reading is cut off; its page reconnects and resumes.
        if (reader.writableLength > READER_BACKLOG_BYTES) reader.destroy();
        else reader.write(postEvent(post));
      }
      return post;
    },

    /** The posts still kept, oldest first. */
    posts: (): readonly RoomPost[] => [...posts],

    /** Answers `GET` of `/`, `/room.css`, `/room.js` and `/events`. Returns false otherwise; the response is untouched. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== 'GET') return false;
      const path = request.url?.split('?', 1)[0] ?? '';
      if (path === '/events') {
        follow(response, Number(request.headers['last-event-id']) || 0);
        return true;
      }
      const file = files.get(path);
      if (file === undefined) return false;
      response.writeHead(200, { ...HEADERS, 'Content-Type': file.type, 'Content-Length': file.body.length });
      response.end(file.body);
      return true;
    },

    /** Ends every event stream. A page that still reaches the room reconnects and gets the posts that it missed. */
    close(): void {
      for (const reader of readers) reader.end();
      readers.clear();
    },
  };
}

function pageFile(ending: string) {
  const type = `text/${ending === 'js' ? 'javascript' : ending}; charset=utf-8`;
  return { type, body: readFileSync(new URL(`room.${ending}`, import.meta.url)) };
}

function postEvent(post: RoomPost): string {
  return `id: ${post.id}\ndata: ${JSON.stringify(post)}\n\n`;
}
