import { createServer, type Server, type ServerResponse } from 'node:http';
import { readJson } from './read-json.ts';
import { createRoom, type Room } from './room.ts';

type Verdict = { status: number; body?: unknown; headers?: Record<string, string> } | 'silent';

/** The verdict that each of the sandbox's webhook tokens gets; every other token gets {@link NOT_FOUND}. */
const VERDICTS: Readonly<Record<string, Verdict>> = {
  'sandbox-room': { status: 200, body: { status: 'OK' } },
  'answers-one': { status: 200, body: 1 },
  'answers-accepted': { status: 202 },
  'answers-error-object': { status: 200, body: { error: { code: 17, message: 'try again' } } },
  'answers-error-status': { status: 200, body: { status: 'error', message: 'busy' } },
  'answers-400': { status: 400, body: { message: 'Bad Request' } },
  'answers-404': { status: 404, body: { message: 'Not Found' } },
  'answers-429': { status: 429, headers: { 'retry-after': '1' } },
  'answers-500': { status: 500, body: 'Internal Server Error' },
  silent: 'silent',
};

const NOT_FOUND: Verdict = {
  status: 200,
  body: { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' },
};

/** Endpoints 4 and 5, and the room page that shows what they took. */
export function createWebhook(): { server: Server; room: Room } {
  const room = createRoom();
  const server = createServer(async (request, response) => {
    if (room.handle(request, response)) return;
    const [, v2, token] = /^\/webhook\/(v2\/)?([^/]+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || token === undefined)
      return send(response, 404, { message: 'Not Found' });
    const { text } = await readJson(request);
    if (typeof text !== 'string') return send(response, 400, { status: 'error', message: 'text is needed' });
    const verdict = (Object.hasOwn(VERDICTS, token) && VERDICTS[token]) || NOT_FOUND;
    if (verdict === 'silent') return;
    if (token === 'sandbox-room') room.add(v2 === undefined ? 'legacy' : 'v2', text);
    send(response, verdict.status, verdict.body, verdict.headers);
  });
  server.on('close', () => room.close());
  return { server, room };
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
