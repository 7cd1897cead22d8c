import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** One post that the incoming webhook received. Ids grow by the order of arrival. */
export type RoomPost = Readonly<{
  id: number;
  /** ISO 8601, UTC */
  at: string;
  form: 'v2' | 'legacy';
  text: string;
}>;

/** Why the webhook took no post from a call, in the words that the page shows. */
export type Refusal = 'not found' | 'error object' | 'error status' | 'no answer' | `HTTP ${number}`;

/** How many calls of the webhook had which verdict, since the room was created. */
export type VerdictCounts = { taken: number; refused: Partial<Record<Refusal, number>> };

export type Room = {
  /** Keeps the post, drops the oldest over 200, and shows it on every open page. */
  add(form: RoomPost['form'], text: string): RoomPost;
  /** Counts the verdict of one call, and shows the new counts on every open page. It adds no post. */
  count(verdict: 'taken' | Refusal): void;
  /** The posts still kept, oldest first. */
  posts(): readonly RoomPost[];
  /** Answers `GET` of `/`, of the page's files and of `/events`. Anything else: false, and the response is untouched. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
  /** Ends every event stream. The room itself goes on: a page that can still reach it comes back for what it missed. */
  close(): void;
};

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
 * The team's room as a web page: what the incoming webhook received, live.
 *
 * The page follows `/events` (server-sent events): the posts so far, or those after `Last-Event-ID`, and the counts as
 * an event `counts`, which has no id; from then on each new post, and the counts whenever they change.
 *
 * @example
 * const room = createRoom();
 * createServer((request, response) => {
 *   if (room.handle(request, response)) return;
 *   response.writeHead(404);
 *   response.end();
 * }).listen(56151, '127.0.0.1');
 * room.count('taken');
 * room.add('v2', 'AA:BB:CC:DD:EE:FF\nCorp_Wired_Access');
 */
export function createRoom(): Room {
  const files = new Map([
    ['/', pageFile('room.html', 'text/html; charset=utf-8')],
    ['/room.css', pageFile('room.css', 'text/css; charset=utf-8')],
    ['/room-posts.css', pageFile('room-posts.css', 'text/css; charset=utf-8')],
    ['/room.js', pageFile('room.js', 'text/javascript; charset=utf-8')],
  ]);
  const posts: RoomPost[] = [];
  const counts: VerdictCounts = { taken: 0, refused: {} };
  const readers = new Set<ServerResponse>();
  // Starting from the clock keeps ids growing over a restart of the sandbox, so that a page left open still
  // tells the new posts from those it has.
  let nextId = Date.now();

  function follow(response: ServerResponse, lastSeen: number): void {
    // With keep-alive, an ended stream would hold its connection, and so the server's close(), for five seconds more.
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream', Connection: 'close' });
    response.write(`retry: ${RECONNECT_AFTER_MS}\n\n`);
    for (const post of posts) if (post.id > lastSeen) response.write(postEvent(post));
    response.write(countsEvent(counts));
    readers.add(response);
    response.on('close', () => readers.delete(response));
  }

  function tellReaders(event: string): void {
    for (const reader of readers) {
      // A reader that has stopped reading is cut off, not buffered for; its page reconnects and resumes.
      if (reader.writableLength > READER_BACKLOG_BYTES) reader.destroy();
      else reader.write(event);
    }
  }

  return {
    add(form, text) {
      const post: RoomPost = { id: nextId++, at: new Date().toISOString(), form, text };
      posts.push(post);
      if (posts.length > POSTS_KEPT) posts.shift();
      tellReaders(postEvent(post));
      return post;
    },

    count(verdict) {
      if (verdict === 'taken') counts.taken += 1;
      else counts.refused[verdict] = (counts.refused[verdict] ?? 0) + 1;
      tellReaders(countsEvent(counts));
    },

    posts: () => [...posts],

    handle(request, response) {
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

    close() {
      for (const reader of readers) reader.end();
      readers.clear();
    },
  };
}

function pageFile(name: string, type: string): { type: string; body: Buffer } {
  return { type, body: readFileSync(new URL(name, import.meta.url)) };
}

function postEvent(post: RoomPost): string {
  return `id: ${post.id}\ndata: ${JSON.stringify(post)}\n\n`;
}

function countsEvent(counts: VerdictCounts): string {
  return `event: counts\ndata: ${JSON.stringify(counts)}\n\n`;
}
