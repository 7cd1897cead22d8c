import { createServer, type Server, type ServerResponse } from 'node:http';
import { readJson } from './listen.ts';
import { createRoom, type Room } from './room.ts';

/** The answer to a call; undefined leaves the call unanswered. */
type Answer = { status: number; body?: unknown; headers?: Record<string, string> } | undefined;

/** The answer for each of the sandbox's webhook tokens. Any other token gets {@link NOT_FOUND}. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'sandbox-room': { status: 200, body: { status: 'OK' } },
  'answers-one': { status: 200, body: 1 },
  'answers-accepted': { status: 202 },
  'answers-error-object': { status: 200, body: { error: { code: 17, message: 'try again' } } },
  'answers-error-status': { status: 200, body: { status: 'error', message: 'busy' } },
  'answers-400': { status: 400, body: { message: 'Bad Request' } },
  'answers-404': { status: 404, body: { message: 'Not Found' } },
  'answers-429': { status: 429, headers: { 'retry-after': '1' } },
  'answers-500': { status: 500, body: 'Internal Server Error' },
  silent: undefined,
};

const NOT_FOUND: Answer = {
  status: 200,
  body: { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' },
};

const NO_TEXT: Answer = { status: 400, body: { status: 'error', message: 'text is needed' } };

/** Endpoints 4 and 5, and the room page that shows their posts. */
export function createWebhook(): { server: Server; room: Room } {
  const room = createRoom();
  const server = createServer(async (request, response) => {
    if (room.handle(request, response)) return;
    const [, v2, token] = /^\/webhook\/(v2\/)?([^/]+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || token === undefined)
      return send(response, { status: 404, body: { message: 'Not Found' } });
    const { text } = await readJson(request);
    if (typeof text !== 'string') return send(response, NO_TEXT);
    if (token === 'sandbox-room') room.add(v2 === undefined ? 'legacy' : 'v2', text);
    send(response, Object.hasOwn(ANSWERS, token) ? ANSWERS[token] : NOT_FOUND);
  });
  server.on('close', () => room.close());
  return { server, room };
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === undefined) return;
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
}
