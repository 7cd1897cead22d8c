import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { EventSource } from 'undici';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { createRoom, type Room } from '../../src/sandbox/room.ts';

let room: Room;
let server: Server;
let roomAt: Listening;

beforeEach(async () => {
  room = createRoom();
  server = createServer((request, response) => {
    if (room.handle(request, response)) return;
    response.writeHead(404);
    response.end(response.getHeaderNames().join());
  });
  roomAt = await listen(server);
});
afterEach(() => roomAt.close());

describe('the page', () => {
  it.each([
    ['/', 'html', "<title>The team's room</title>"],
    ['/?from=chat', 'html', '<ol'],
    ['/room.css', 'css', 'light dark'],
    ['/room.js', 'javascript', 'EventSource'],
  ])('serves %s as %s, with headers that protect', async (path, type, part) => {
    const response = await fetch(roomAt.url + path);
    expect(await response.text()).toContain(part);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': `text/${type}; charset=utf-8`,
      'content-security-policy':
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });

  it.each(['GET /elsewhere', 'GET /room.ts', 'GET //events', 'POST /', 'POST /events'])(
    'leaves %s to the caller',
    async (line) => {
      const [method = '', path] = line.split(' ');
      const response = await fetch(roomAt.url + path, { method });
      expect([response.status, await response.text()]).toEqual([404, '']);
    },
  );
});

describe('the posts', () => {
  it('have their time of arrival, and cannot be changed from outside', () => {
    const post = room.add('legacy', 'Corp_Wired_Access');
    expect(post).toMatchObject({ form: 'legacy', text: 'Corp_Wired_Access' });
    expect(Math.abs(Date.now() - Date.parse(post.at))).toBeLessThan(1000);
    (room.posts() as unknown[]).pop();
    expect(room.posts()).toEqual([post]);
  });

  it('are limited to the last 200', () => {
    const added = Array.from({ length: 205 }, (_, index) => room.add('v2', `post ${index + 1}`));
    expect(room.posts()).toEqual(added.slice(5));
  });
});

describe('the events', () => {
  /** The posts that a reader has received, as JSON. */
  function follow(): { texts(): string[]; source: EventSource } {
    const source = new EventSource(`${roomAt.url}/events`);
    onTestFinished(() => source.close());
    const posts: string[] = [];
    source.onmessage = ({ data }) => void posts.push(JSON.parse(data).text);
    return { texts: () => posts, source };
  }

  it('replay the posts so far, say that they are live, then continue, for every reader', async () => {
    room.add('v2', 'first');
    const readers = [follow(), follow()];
    await Promise.all(readers.map(({ source }) => once(source, 'live')));
    room.add('legacy', 'second');
    for (const { texts } of readers) await expect.poll(texts).toEqual(['first', 'second']);
  });

  it('carry any text unchanged', async () => {
    const { texts } = follow();
    const text = 'a\nb\r\nc\rd\u2028e\n\ndata: x\nid: 1\n\n<b>_Ünï_"\\';
    room.add('v2', text);
    await expect.poll(texts).toEqual([text]);
  });

  it('resume after the last post when the stream ends, and nothing is missed or doubled', async () => {
    const { texts, source } = follow();
    room.add('v2', 'before');
    await once(source, 'live');
    room.close();
    room.add('v2', 'meanwhile');
    await expect.poll(texts).toEqual(['before', 'meanwhile']);
  });

  it('end at close(), which lets the server close at once', async () => {
    const { source } = follow();
    await once(source, 'live');
    const closed = new Promise((done) => server.close(done));
    room.close();
    source.close();
    await closed;
  });
});
