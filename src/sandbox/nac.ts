import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { SandboxAccount } from './accounts.ts';
import { DEVICES, type Device } from './devices.ts';

export type NacOptions = { accounts: readonly SandboxAccount[]; devices?: readonly Device[] };

/** One call as the sandbox's NAC received it; without a user name where its credentials were wrong. */
export type NacCall = { path: string; username: string | undefined };

/** Endpoint 3 with the habits of a real NAC: Basic checked, gzip, "no session" as a 500. */
export function createNac({ accounts, devices = DEVICES }: NacOptions): { server: Server; calls: NacCall[] } {
  const usernames = new Map(
    accounts.map(({ username, password }) => [
      `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      username,
    ]),
  );
  const answers = new Map(devices.map(({ address, answer }) => [address, answer]));
  const calls: NacCall[] = [];

  const server = createServer((request, response) => {
    const username = usernames.get(request.headers.authorization ?? '');
    calls.push({ path: request.url ?? '', username });
    if (username === undefined)
      return send(request, response, 401, HTML, page('HTTP Status 401 - Unauthorized'));
    const [, written] = /^\/admin\/API\/mnt\/Session\/MACAddress\/([^/?]+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'GET' || written === undefined)
      return send(request, response, 404, HTML, page('HTTP Status 404'));
    const address = written.replaceAll('-', ':');
    void answerFor(address, request, response);
  });
  return { server, calls };

  async function answerFor(
    address: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const answer = answers.get(address);
    switch (answer?.kind) {
      case undefined:
        return send(
          request,
          response,
          500,
          XML,
          faultXml(34110, `Session data is not available for ${address}.`),
        );
      case 'session':
        if (answer.delayMs !== undefined) await delay(answer.delayMs);
        return send(request, response, 200, XML, answer.xml);
      case 'status':
        if (answer.status === 500)
          return send(request, response, 500, XML, faultXml(34110, 'Database connection lost.'));
        return send(request, response, answer.status, HTML, page(`HTTP Status ${answer.status}`));
      case 'login page':
        return send(request, response, 200, HTML, page('Identity Services - Login'));
      case 'another root':
        return send(request, response, 200, XML, '<activeList noOfActiveSession="0"/>');
      case 'cut off':
        response.writeHead(200, { 'content-type': XML, 'content-length': 4000 });
        response.write('<sessionParameters><user_name>cut_off</user_name>', () => response.destroy());
        return;
      case 'too large':
        return send(
          request,
          response,
          200,
          XML,
          `<sessionParameters>${'<a>a_b</a>'.repeat(200_000)}</sessionParameters>`,
          false,
        );
      case 'packed too large':
        return send(
          request,
          response,
          200,
          XML,
          `<sessionParameters>${' '.repeat(20_000_000)}</sessionParameters>`,
          true,
        );
      case 'endless':
        return trickle(response);
      case 'silent':
        return; // The connection stays open until the asker gives up.
    }
  }
}

const XML = 'application/xml;charset=UTF-8';
const HTML = 'text/html;charset=UTF-8';

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  packed = /\bgzip\b/.test(String(request.headers['accept-encoding'])),
): void {
  const bytes = packed ? gzipSync(body) : Buffer.from(body);
  response.writeHead(status, {
    'content-type': type,
    'content-length': bytes.length,
    ...(packed && { 'content-encoding': 'gzip' }),
    ...(status === 401 && { 'www-authenticate': 'Basic realm="NAC"' }),
  });
  response.end(bytes);
}

function trickle(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': XML });
  response.write('<sessionParameters>');
  const timer = setInterval(() => response.write('<a>a_b</a>'), 50);
  response.on('close', () => clearInterval(timer));
}

function page(title: string): string {
  return `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>user_name: <b>x</b></p></body></html>`;
}

function faultXml(code: number, info: string): string {
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><mnt-rest-result><http-code>500</http-code><cpm-code>${code}</cpm-code><description>An unexpected error occured.</description><module-name>MnT</module-name><internal-error-info>com.example.mnt.NoDataException: ${info}</internal-error-info><requested-operation>GET</requested-operation><resource-id>N/A</resource-id><resource-name>N/A</resource-name><resource-type>N/A</resource-type><status>SERVER_ERROR</status></mnt-rest-result>`;
}
