import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { createRoom, type Room, type RoomPost } from '../../src/sandbox/room.ts';
import { followEvents, type SentEvent } from './events.ts';

let room: Room;
let server: Server;
let roomAt: Listening;
let address: string;

beforeEach(async () => {
  room = createRoom();
  server = createServer((request, response) => {
    if (room.handle(request, response)) return;
    response.writeHead(404);
    response.end(response.getHeaderNames().join());
  });
  roomAt = await listen(server);
  address = roomAt.url;
});

afterEach(() => roomAt.close());

describe('the page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', "<title>The team's room</title>"],
    ['/?from=chat', 'text/html; charset=utf-8', '<ol'],
    ['/room.css', 'text/css; charset=utf-8', 'light dark'],
    ['/room.js', 'text/javascript; charset=utf-8', 'EventSource'],
  ])('serves %s as %s', async (path, type, part) => {
    const response = await fetch(address + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(await response.text()).toContain(part);
  });

  it.each(['/', '/room.css', '/room.js', '/events'])('protects %s with headers', async (path) => {
    const response = await fetch(address + path);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    await response.body?.cancel();
  });

  it.each([
    ['GET', '/elsewhere'],
    ['GET', '/room.ts'],
    ['GET', '//events'],
    ['POST', '/'],
    ['POST', '/events'],
  ])('leaves %s %s to the caller', async (method, path) => {
    const response = await fetch(address + path, { method });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('');
  });
});

describe('the posts', () => {
  it('are returned with their time of arrival', () => {
    const before = Date.now();
    const post = room.add('legacy', 'Corp_Wired_Access');
    expect(post).toMatchObject({ form: 'legacy', text: 'Corp_Wired_Access' });
    expect(post.at).toBe(new Date(post.at).toISOString());
    expect(Date.parse(post.at)).toBeGreaterThanOrEqual(before);
    expect(room.posts()).toEqual([post]);
  });

  it('are limited to the last 200', async () => {
    const added = Array.from({ length: 205 }, (_, index) => room.add('v2', `post ${index + 1}`));
    expect(room.posts()).toEqual(added.slice(5));
    const events = await followEvents(address);
    expect(await events.posts(200)).toEqual(added.slice(5).map(asSent));
    await events.stop();
  });

  it('cannot be changed from outside', () => {
    room.add('v2', 'first');
    (room.posts() as RoomPost[]).pop();
    expect(room.posts()).toHaveLength(1);
  });
});

describe('the events', () => {
  it('replay the posts so far, then continue live, for every reader', async () => {
    const first = room.add('v2', 'first');
    const second = room.add('legacy', 'second');
    const readers = await Promise.all([followEvents(address), followEvents(address)]);
    for (const events of readers) {
      expect(events.type).toBe('text/event-stream');
      expect(await events.posts(2)).toEqual([first, second].map(asSent));
    }
    const third = room.add('v2', 'third');
    for (const events of readers) {
      expect(await events.posts(1)).toEqual([asSent(third)]);
      await events.stop();
    }
  });

  it('say when they are live, after the posts so far', async () => {
    const post = room.add('v2', 'first');
    for (const [lastEventId, missed] of [
      [undefined, [asSent(post)]],
      [String(post.id), []],
    ] as const) {
      const events = await followEvents(address, lastEventId);
      for (const event of missed) expect(await events.next()).toEqual(event);
      expect(await events.next()).toEqual({ kind: 'live' });
      await events.stop();
    }
  });

  it('carry any text unchanged', async () => {
    const text = 'a\nb\r\nc\rd\u2028e\n\ndata: x\nid: 1\n\n<b>_Ünï_"\\';
    const events = await followEvents(address);
    const post = room.add('v2', text);
    expect(await events.posts(1)).toEqual([asSent(post)]);
    await events.stop();
  });

  it('resume after Last-Event-ID', async () => {
    room.add('v2', 'first');
    const second = room.add('v2', 'second');
    const third = room.add('v2', 'third');
    const events = await followEvents(address, String(second.id));
    expect(await events.posts(1)).toEqual([asSent(third)]);
    const fourth = room.add('v2', 'fourth');
    expect(await events.posts(1)).toEqual([asSent(fourth)]);
    await events.stop();
  });

  it('start from the first post when Last-Event-ID is no number', async () => {
    const post = room.add('v2', 'first');
    const events = await followEvents(address, 'first');
    expect(await events.posts(1)).toEqual([asSent(post)]);
    await events.stop();
  });

  it('resume over a restart: a new room does not repeat the ids of the old one', async () => {
    const old = room.add('v2', 'before the restart');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
    room = createRoom();
    vi.useRealTimers();
    const post = room.add('v2', 'after the restart');
    const events = await followEvents(address, String(old.id));
    expect(await events.posts(1)).toEqual([asSent(post)]);
    await events.stop();
  });

  it('end at close(), which lets the server close at once', { timeout: 3000 }, async () => {
    const readers = await Promise.all([followEvents(address), followEvents(address)]);
    const closed = new Promise((done) => server.close(done));
    room.close();
    for (const events of readers) expect(await events.posts(1)).toEqual([]);
    await closed;
  });

  it('can be followed again after close()', async () => {
    const before = await followEvents(address);
    room.close();
    await before.posts(1);
    const post = room.add('v2', 'said meanwhile');
    const after = await followEvents(address);
    expect(await after.posts(1)).toEqual([asSent(post)]);
    await after.stop();
  });
});

function asSent(post: RoomPost): SentEvent {
  return { kind: 'post', id: String(post.id), post };
}
