import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';

/** The NAC, the webhook and the chat service, and a count of each message's effects. */
export type BenchStage = {
  /** Their addresses and credentials, under the bot's names of settings. */
  environment: Readonly<Record<string, string>>;
  /** An activity, as JSON, that asks for a new device, or for the device with the given number. */
  nextActivity(device?: number): string;
  /** The number of calls to the NAC so far. */
  calls(): number;
  /** Resolves when this many more messages have their reply. */
  replied(messages: number): Promise<void>;
  /** Faults so far, in words; empty if each message caused one call, one post and one answer. */
  faults(): string[];
  close(): Promise<void>;
};

const MESSAGES = 1 << 22;
const PERSONS = 20_000;
const CONVERSATIONS = 500;

const USERNAME = 'bench';
const PASSWORD = '<PASSWORD>';
const AUTHORIZATION = `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`;
const WEBHOOK_TOKEN = 'bench-room';

/**
 * Opens the systems in this process. They are as lean as possible, because they share the machine with the contender.
 * (The sandbox's own systems keep everything they receive.) Each message has a number, which stands in its id, its address
 * and its token.
 * @param options.nacMs how long the NAC takes for an answer
 */
export async function openBenchStage({ nacMs = 0 } = {}): Promise<BenchStage> {
  const asked = new Uint8Array(MESSAGES);
  const posted = new Uint8Array(MESSAGES);
  const answered = new Uint8Array(MESSAGES);
  const unexpected: string[] = [];
  let sent = 0;
  let calls = 0;
  let replies = 0;
  let waiting: { at: number; resolve(): void } | undefined;

  const nac = await listen(
    createServer((request, response) => {
      const number = numberIn(request.url ?? '', /MACAddress\/00:1B:54:(..:..:..)$/);
      const isAuthorized = request.headers.authorization === AUTHORIZATION;
      if (number === undefined || !isAuthorized) {
        unexpected.push(`NAC: ${request.url}`);
        response.writeHead(isAuthorized ? 404 : 401);
        return void response.end();
      }
      count(asked, number);
      calls++;
      response.writeHead(200, { 'content-type': 'application/xml;charset=UTF-8' });
      const answer = () => response.end(`${SESSION_START}${tokenOf(number)}${SESSION_END}`);
      if (nacMs === 0) answer();
      else setTimeout(answer, nacMs);
    }),
  );

  const webhook = await listen(
    withBody((request, body, response) => {
      const number = numberIn(body, /00:1B:54:(..:..:..)/);
      const isRight =
        number !== undefined &&
        request.url === `/webhook/v2/${WEBHOOK_TOKEN}` &&
        body.includes(`\\n${tokenOf(number)}\\n${COMMON_TOKEN}`);
      if (isRight) count(posted, number);
      else unexpected.push(`webhook: ${request.url} ${body}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"status":"OK"}');
    }),
  );

  const channel = await listen(
    withBody((request, body, response) => {
      // A typing indicator is not an answer; the bot sends it while an answer takes time.
      if (body.startsWith('{"type":"typing"')) return void response.end('{"id":"typing"}');
      const number = numberIn(body, /Corp_([0-9A-F]{6})/);
      const isRight =
        number !== undefined &&
        request.url?.startsWith('/v3/conversations/') &&
        body.includes(COMMON_TOKEN) &&
        /(?<!not )posted/i.test(body);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":"reply"}');
      if (!isRight) return void unexpected.push(`channel: ${request.url} ${body}`);
      count(answered, number);
      replies++;
      if (waiting?.at === replies) waiting.resolve();
    }),
  );

  return {
    environment: {
      NAC_URL: nac.url,
      NAC_USERNAME: USERNAME,
      NAC_PASSWORD: PASSWORD,
      WEBHOOK_URL: webhook.url,
      WEBHOOK_TOKEN,
    },
    calls: () => calls,
    nextActivity(device) {
      const number = hex(sent++ % MESSAGES);
      return JSON.stringify({
        type: 'message',
        id: `bench-${number}`,
        timestamp: new Date().toISOString(),
        channelId: 'msteams',
        serviceUrl: channel.url,
        from: { id: `29:user-${sent % PERSONS}`, name: 'Alex', aadObjectId: `person-${sent % PERSONS}` },
        conversation: {
          id: `a:conversation-${sent % CONVERSATIONS}`,
          conversationType: 'personal',
          tenantId: 'bench',
        },
        recipient: { id: '28:bot', name: 'NAC lookup' },
        locale: 'en-US',
        localTimezone: 'Europe/Berlin',
        entities: [
          { type: 'clientInfo', locale: 'en-US', country: 'US', platform: 'iOS', timezone: 'Europe/Berlin' },
        ],
        channelData: { tenant: { id: 'bench' } },
        textFormat: 'plain',
        text: `lookup 00:1B:54:${device === undefined ? number : hex(device)}`,
      });
    },
    replied(messages) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { at: replies + messages, resolve };
      return promise;
    },
    faults() {
      const faults = unexpected.slice(0, 5).map((each) => `unexpected: ${each.slice(0, 300)}`);
      for (let number = 0; number < sent; number++) {
        const [calls, posts, answers] = [asked[number], posted[number], answered[number]];
        // The load generator may leave some prepared messages unsent.
        const isWhole = (calls === 1 && posts === 1 && answers === 1) || (!calls && !posts && !answers);
        if (!isWhole) faults.push(`message ${number}: ${calls} calls, ${posts} posts, ${answers} answers`);
      }
      return faults;
    },
    async close() {
      await Promise.all([nac.close(), webhook.close(), channel.close()]);
    },
  };
}

function count(messages: Uint8Array, number: number): void {
  messages[number] = (messages[number] ?? 0) + 1;
}

type Answer = Parameters<RequestListener>[1];

function withBody(answer: (request: IncomingMessage, body: string, response: Answer) => void) {
  return createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => answer(request, body, response));
  });
}

const COMMON_TOKEN = 'Basic_Authenticated_Access';
const MARK = 'HERE';

/** Nearly 3 KB; real sessions have 2 to 17. */
const [SESSION_START = '', SESSION_END = ''] = sessionXml({
  selected_azn_profiles: MARK,
  other: {
    AuthorizationPolicyMatchedRule: COMMON_TOKEN,
    ISEPolicySetName: 'Default',
    IdentityPolicyMatchedRule: 'MAB',
    ...Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [
        `Attribute number ${index}`,
        `some value, ${index}; and more`,
      ]),
    ),
  },
}).split(MARK);

function tokenOf(number: number): string {
  return `Corp_${hex(number).replaceAll(':', '')}`;
}

/** A message's number as the last three bytes of a MAC address. */
function hex(number: number): string {
  const digits = number.toString(16).toUpperCase().padStart(6, '0');
  return `${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4)}`;
}

function numberIn(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits.replaceAll(':', ''), 16);
}
