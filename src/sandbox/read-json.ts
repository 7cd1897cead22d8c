import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';

/** A request's JSON body as an object; an empty object for any other body. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  try {
    const body = await json(request);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}
