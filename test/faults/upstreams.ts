import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Listening, listen } from '../../src/sandbox/listen.ts';
import { readJson } from '../../src/sandbox/read-json.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';

/** A NAC that knows every device, and a room's webhook that can be taken down; both count what they are asked. */
export type Upstreams = {
  nac: Listening;
  webhook: Listening;
  /** Posts taken, by the MAC address in their first line. */
  posts: Map<string, number>;
  /** How often posts were refused while the webhook was down. */
  refused: number;
  isDown: boolean;
  close(): Promise<void>;
};

/** @param delayMs how long the NAC takes for an address */
export async function startUpstreams(delayMs: (address: string) => number): Promise<Upstreams> {
  const nac = await listen(
    createServer(async (request, response) => {
      const address = decodeURIComponent((request.url ?? '').split('/').at(-1) ?? '');
      await delay(delayMs(address));
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(sessionXml({ calling_station_id: address }));
    }),
  );
  const webhook = await listen(
    createServer(async (request, response) => {
      const { text } = await readJson(request);
      if (upstreams.isDown) {
        upstreams.refused += 1;
        response.writeHead(503).end();
        return;
      }
      count(upstreams.posts, String(text).split('\n', 1)[0] ?? '');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"status":"OK"}');
    }),
  );
  const upstreams: Upstreams = {
    nac,
    webhook,
    posts: new Map(),
    refused: 0,
    isDown: false,
    close: async () => void (await Promise.all([nac.close(), webhook.close()])),
  };
  return upstreams;
}

/** What a bot needs to use them, and no others. */
export function environmentOf({ nac, webhook }: Upstreams): Record<string, string> {
  return {
    ALLOW_UNAUTHENTICATED: '1',
    PORT: '0',
    OPS_PORT: '0',
    NAC_URL: nac.url,
    NAC_USERNAME: 'sandbox',
    NAC_PASSWORD: 'sandbox',
    NAC_CONCURRENCY: '500',
    WEBHOOK_URL: webhook.url,
    WEBHOOK_TOKEN: 'room',
  };
}

export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
