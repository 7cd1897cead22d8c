import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';

/** Where the other systems are; the same for every contender. */
const { NAC_URL, NAC_USERNAME, NAC_PASSWORD, WEBHOOK_URL, WEBHOOK_TOKEN } = process.env;

/** The only HTTP client of the peers, so that they differ in their SDK alone. */
export const agent = new Agent();

const authorization = `Basic ${Buffer.from(`${NAC_USERNAME}:${NAC_PASSWORD}`).toString('base64')}`;

/** The work of one message without any promise: asks, picks the tokens out, posts; gives the reply's text. */
export async function lookUp(message: string): Promise<string> {
  const address = /(?:[0-9A-F]{2}:){5}[0-9A-F]{2}/.exec(message)?.[0];
  const session = await agent.request({
    origin: NAC_URL ?? '',
    path: `/admin/API/mnt/Session/MACAddress/${address}`,
    method: 'GET',
    headers: { authorization },
  });
  const tokens = tokensIn(await session.body.text());
  const post = await agent.request({
    origin: WEBHOOK_URL ?? '',
    path: `/webhook/v2/${WEBHOOK_TOKEN}`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: [address, ...tokens].join('\n') }),
  });
  const verdict = (await post.body.json()) as { status: string };
  return `${address}: ${tokens.join(', ')}: ${verdict.status === 'OK' ? 'posted' : 'not posted'}`;
}

/** The token rule as the obvious regular expression. */
function tokensIn(text: string): string[] {
  const runs = text.matchAll(/(?<!<\/?)(?<![\p{L}\p{Nd}_.-])[\p{L}\p{Nd}_.-]*_[\p{L}\p{Nd}_.-]*(?=[:<])/gu);
  return [...new Set(Array.from(runs, ([run]) => run).filter((run) => /[\p{L}\p{Nd}]/u.test(run)))];
}

/** Listens on a free port of loopback, and says which on stdout. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
  });
}
