import { createServer, type Server, type ServerResponse } from 'node:http';
import { readJson } from './read-json.ts';
import { createRoom, type Refusal, type Room } from './room.ts';

/** What a call gets back, and the verdict that the room counts it under. */
type Answer =
  | { verdict: 'taken' | Refusal; status: number; body?: unknown; headers?: Record<string, string> }
  | { verdict: 'no answer' };

/** What each of the sandbox's webhook tokens answers; every other token answers {@link NOT_FOUND}. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'sandbox-room': { verdict: 'taken', status: 200, body: { status: 'OK' } },
  'answers-one': { verdict: 'taken', status: 200, body: 1 },
  'answers-accepted': { verdict: 'taken', status: 202 },
  'answers-error-object': {
    verdict: 'error object',
    status: 200,
    body: { error: { code: 17, message: 'try again' } },
  },
  'answers-error-status': {
    verdict: 'error status',
    status: 200,
    body: { status: 'error', message: 'busy' },
  },
  'answers-400': { verdict: 'HTTP 400', status: 400, body: { message: 'Bad Request' } },
  'answers-404': { verdict: 'HTTP 404', status: 404, body: { message: 'Not Found' } },
  'answers-429': { verdict: 'HTTP 429', status: 429, headers: { 'retry-after': '1' } },
  'answers-500': { verdict: 'HTTP 500', status: 500, body: 'Internal Server Error' },
  silent: { verdict: 'no answer' },
};

const NOT_FOUND: Answer = {
  verdict: 'not found',
  status: 200,
  body: { status: 'error', message: 'Webhook not found!', error: 'Webhook not found!' },
};

const NO_TEXT: Answer = {
  verdict: 'HTTP 400',
  status: 400,
  body: { status: 'error', message: 'text is needed' },
};

/** Endpoints 4 and 5, and the room page that shows what they took and counts what they refused. */
export function createWebhook(): { server: Server; room: Room } {
  const room = createRoom();
  const server = createServer(async (request, response) => {
    if (room.handle(request, response)) return;
    const [, v2, token] = /^\/webhook\/(v2\/)?([^/]+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'POST' || token === undefined)
      return send(response, 404, { message: 'Not Found' });
    const { text } = await readJson(request);
    const answer = typeof text === 'string' ? answerOf(token) : NO_TEXT;
    room.count(answer.verdict);
    if (typeof text === 'string' && token === 'sandbox-room')
      room.add(v2 === undefined ? 'legacy' : 'v2', text);
    if ('status' in answer) send(response, answer.status, answer.body, answer.headers);
  });
  server.on('close', () => room.close());
  return { server, room };
}

function answerOf(token: string): Answer {
  return (Object.hasOwn(ANSWERS, token) && ANSWERS[token]) || NOT_FOUND;
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
