import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '../src/sandbox/listen.ts';
import { createNac, PERSONAL_ACCOUNT, SERVICE_ACCOUNT } from '../src/sandbox/nac.ts';

/** A status alone, or a body with status 200; status 0 cuts the connection. */
export type Answer = number | string;

type Scripted = Answer | undefined | Promise<Answer | undefined>;

/**
 * The answers to calls for sessions by address, or to every call. A call without an answer gets what a NAC says that knows
 * no device.
 */
export type Nac = Readonly<Record<string, Scripted>> | ((address: string, path: string) => Scripted);

/** The answers to the first posts in turn, or to every post. A post without an answer is taken. */
export type Room = readonly Answer[] | ((text: string) => Scripted);

/** Serves what is scripted, and names it in settings. */
export async function openScripts(nac: Nac | undefined, room: Room | undefined) {
  const nacScript = nac && scriptedNac(nac);
  const roomScript = room && scriptedRoom(room);
  const nacAt = nacScript && (await listen(nacScript.server));
  const roomAt = roomScript && (await listen(roomScript.server));
  const roomSettings = roomAt && { WEBHOOK_URL: roomAt.url };
  return {
    ...nacScript,
    ...roomScript,
    settings: { ...(nacAt && { NAC_URL: nacAt.url, ENDPOINTS_URL: nacAt.url }), ...roomSettings },
    close: () => Promise.all([nacAt?.close(), roomAt?.close()]),
  };
}

const ADDRESS = /\/(?:MACAddress|EndPointIPAddress|UserName|endpoint)\/([^/?]+)/;

/** A NAC that follows a script, and the calls that it received: those for sessions, and the others. */
function scriptedNac(nac: Nac) {
  const calls: Array<{ path: string; username: string | undefined }> = [];
  const otherCalls: typeof calls = [];
  const { server: empty } = createNac([SERVICE_ACCOUNT, PERSONAL_ACCOUNT], 1, []);
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const isSession = path.includes('/mnt/Session/') && !path.endsWith('/ActiveCount');
    const [, base64 = ''] = headers.authorization?.split(' ') ?? [];
    const [username] = Buffer.from(base64, 'base64').toString().split(':');
    (isSession ? calls : otherCalls).push({ path, username });
    const address = decodeURIComponent(ADDRESS.exec(path)?.[1] ?? '');
    const answer = await (typeof nac === 'function' ? nac(address, path) : isSession && nac[address]);
    if (answer === undefined || answer === false) empty.emit('request', request, response);
    else send(response, answer, 'application/xml;charset=UTF-8');
  });
  return { server, calls, otherCalls };
}

/** A room that follows a script, and the texts that it took. */
function scriptedRoom(room: Room) {
  const posts: string[] = [];
  const answers = typeof room === 'function' ? [] : [...room];
  const script = typeof room === 'function' ? room : () => answers.shift();
  const server = createServer(async (request, response) => {
    const { text } = (await json(request)) as { text: string };
    const answer = (await script(text)) ?? '{"status":"OK"}';
    if (typeof answer === 'string' || answer === 200) posts.push(text);
    send(response, answer, 'application/json');
  });
  return { server, posts };
}

function send(response: ServerResponse, answer: Answer, type: string): void {
  if (answer === 0) return void response.destroy();
  response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': type });
  response.end(typeof answer === 'string' ? answer : '');
}
