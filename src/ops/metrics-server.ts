import { createServer, type Server } from 'node:http';
import type { Metrics } from './metrics.ts';

/** `GET /metrics`, on a port of its own that the chat service never reaches. */
export function createOpsServer(
  { render }: Pick<Metrics, 'render'>,
  onError: (error: unknown) => void,
): Server {
  return createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      response.statusCode = 404;
      response.end();
      return;
    }
    try {
      const { contentType, body } = await render();
      response.setHeader('Content-Type', contentType);
      response.end(body);
    } catch (error) {
      onError(error);
      response.statusCode = 500;
      response.end();
    }
  });
}
