import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../../src/sandbox/listen.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';

export type BenchStage = Awaited<ReturnType<typeof openBenchStage>>;

const MESSAGES = 1 << 22;
const PERSONS = 20_000;
const CONVERSATIONS = 500;

const USERNAME = 'bench';
const PASSWORD = 'password-of-the-bench';
const AUTHORIZATION = `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`;
const WEBHOOK_TOKEN = 'bench-room';
const ALERTS_TOKEN = 'token-for-alerts';

/** The NAC has no session of the devices below this address. */
export const UNKNOWN_DEVICE = '00:1B:54:FF:';

/**
 * Opens the NAC, the webhook and the chat service in this process, and counts each message's effects. They are as lean as
 * possible, because they share the machine with the contender. (The sandbox's own systems keep everything they receive.)
 * Each message has a number, which stands in its id, its address and its token.
 */
export async function openBenchStage() {
  const newCounts = () => ({ of: new Uint8Array(MESSAGES), all: 0 });
  const [asked, posted, answered] = [newCounts(), newCounts(), newCounts()];
  const unexpected: string[] = [];
  let sent = 0;
  let extra = 0;
  let waiting: { for: typeof asked; at: number; resolve(): void } | undefined;
  let nacMs = 0;

  function serve(
    effect: typeof asked,
    numberOf: (request: IncomingMessage, body: string) => number | undefined,
    answerTo: (number: number) => string,
  ) {
    const server = createServer(async (request, response) => {
      const body = request.method === 'GET' ? '' : await text(request);
      const number = numberOf(request, body);
      if (effect === asked && nacMs > 0) await delay(nacMs);
      const isKnown = effect !== asked || !request.url?.includes(UNKNOWN_DEVICE);
      const type = effect === asked ? 'application/xml;charset=UTF-8' : 'application/json';
      response.writeHead(isKnown ? 200 : 500, { 'content-type': type });
      if (number === undefined) {
        unexpected.push(`${request.url} ${body}`);
        return void response.end('{"id":"unexpected"}');
      }
      effect.of[number] = (effect.of[number] ?? 0) + 1;
      response.end(isKnown ? answerTo(number) : NO_SESSION);
      effect.all++;
      if (waiting?.for === effect && waiting.at === effect.all) waiting.resolve();
    });
    return listen(server);
  }

  const nac = await serve(
    asked,
    ({ url = '', headers }) =>
      headers.authorization === AUTHORIZATION ? numberIn(url, /MACAddress\/00:1B:54:(..:..:..)$/) : undefined,
    (number) => `${SESSION_START}${tokenOf(number)}${SESSION_END}`,
  );
  const webhook = await serve(
    posted,
    ({ url }, body) => {
      const number = numberIn(body, /00:1B:54:(..:..:..)/) ?? 0;
      const isRight = body.includes(`\\n${tokenOf(number)}\\n${COMMON_TOKEN}`);
      return isRight && url === `/webhook/v2/${WEBHOOK_TOKEN}` ? number : undefined;
    },
    () => '{"status":"OK"}',
  );
  const channel = await serve(
    answered,
    ({ url }, body) => {
      const isRight = body.includes(COMMON_TOKEN) && /(?<!not )posted/i.test(body);
      const isReply = isRight && url?.startsWith('/v3/conversations/');
      return isReply ? numberIn(body, /Corp_([0-9A-F]{6})/) : undefined;
    },
    () => '{"id":"reply"}',
  );

  function until(effect: typeof asked, more: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { for: effect, at: effect.all + more, resolve };
    return promise;
  }

  /** An activity, as JSON, that asks for a new device and for so many others, which no other message asks for. */
  function nextActivity(devices = 1): string {
    const number = hex(sent++ % MESSAGES);
    const others = Array.from({ length: devices - 1 }, () => `00:1B:54:${hex(MESSAGES - ++extra)}`);
    const [locale, timezone] = ['en-US', 'Europe/Berlin'];
    const conversation = `a:conversation-${sent % CONVERSATIONS}`;
    return JSON.stringify({
      type: 'message',
      id: `bench-${number}`,
      timestamp: new Date().toISOString(),
      channelId: 'msteams',
      serviceUrl: channel.url,
      from: { id: `29:user-${sent % PERSONS}`, name: 'Alex', aadObjectId: `person-${sent % PERSONS}` },
      conversation: { id: conversation, conversationType: 'personal', tenantId: 'bench' },
      recipient: { id: '28:bot', name: 'NAC lookup' },
      locale,
      localTimezone: timezone,
      entities: [{ type: 'clientInfo', locale, country: 'US', platform: 'iOS', timezone }],
      channelData: { tenant: { id: 'bench' } },
      textFormat: 'plain',
      text: `lookup 00:1B:54:${[number, ...others].join(' ')}`,
    });
  }

  /** Posts a message or an alert to a bot. Returns the milliseconds until its answer. */
  async function post(url: string, body: object | string): Promise<number> {
    const begun = performance.now();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ALERTS_TOKEN}` };
    const json = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url, { method: 'POST', headers, body: json });
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    return performance.now() - begun;
  }

  const account = { NAC_USERNAME: USERNAME, NAC_PASSWORD: PASSWORD };
  return {
    /** The addresses and credentials of the systems, under the bot's names of settings. */
    environment: { ...account, NAC_URL: nac.url, WEBHOOK_URL: webhook.url, WEBHOOK_TOKEN, ALERTS_TOKEN },
    nextActivity,
    post,
    /** From now on, the NAC takes so long. */
    slowDown(ms: number): void {
      nacMs = ms;
    },
    /** Sends the next activity to a bot. Returns the milliseconds until its answer. */
    ask: (messagesUrl: string, devices?: number) => post(messagesUrl, nextActivity(devices)),
    /** Resolves when this many more messages have their reply. */
    replied: (messages: number) => until(answered, messages),
    /** Resolves when the room has this many more posts. */
    posted: (posts: number) => until(posted, posts),
    /** Faults so far, in words; empty if each message caused one call, one post and one answer. */
    faults(): string[] {
      const faults = unexpected.slice(0, 5).map((each) => `unexpected: ${each.slice(0, 300)}`);
      for (let number = 0; number < sent; number++) {
        const [calls, posts, answers] = [asked, posted, answered].map(({ of }) => of[number]);
        // The load generator may leave some prepared messages unsent.
        const isWhole = (calls === 1 && posts === 1 && answers === 1) || (!calls && !posts && !answers);
        if (!isWhole) faults.push(`message ${number}: ${calls} calls, ${posts} posts, ${answers} answers`);
      }
      return faults;
    },
    async close(): Promise<void> {
      await Promise.all([nac.close(), webhook.close(), channel.close()]);
    },
  };
}

const COMMON_TOKEN = 'Basic_Authenticated_Access';
const NO_SESSION =
  '<mnt-rest-result><http-code>500</http-code><internal-error-info>Session data is not available for 00:00:00:00:00:00.</internal-error-info></mnt-rest-result>';
const MARK = 'HERE';

const RULES = { AuthorizationPolicyMatchedRule: COMMON_TOKEN, IdentityPolicyMatchedRule: 'MAB' };
const MORE = Array.from({ length: 25 }, (_, n) => [`Attribute number ${n}`, `some value, ${n}; and more`]);

/** Nearly 3 KB; real sessions have 2 to 17. */
const [SESSION_START = '', SESSION_END = ''] = sessionXml({
  selected_azn_profiles: MARK,
  other: { ...RULES, ISEPolicySetName: 'Default', ...Object.fromEntries(MORE) },
}).split(MARK);

const tokenOf = (number: number) => `Corp_${hex(number).replaceAll(':', '')}`;

const hex = (number: number) =>
  number
    .toString(16)
    .toUpperCase()
    .padStart(6, '0')
    .replace(/..(?=.)/g, '$&:');

function numberIn(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? undefined : Number.parseInt(digits.replaceAll(':', ''), 16);
}
