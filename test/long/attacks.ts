import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import { writeToken } from '../teams/authentication/identity.ts';
import { alertAttacks } from './alert-attacks.ts';
import { halfSentBodies } from './half-sent-bodies.ts';
import type { HostileStage } from './hostile-stage.ts';
import { anyJson, anyText } from './pieces.ts';

/** One attack. `run` returns the number of inputs, and each fault in words. */
export type Attack = {
  name: string;
  /** Whether the NAC may be called: the NAC itself attacks, or someone who may use the bot. */
  mayCall?: true;
  run(stage: HostileStage, size: 'short' | 'full'): Promise<{ inputs: number; faults: string[] }>;
};

const MAC = 'AA:BB:CC:DD:EE:FF';
const LOOKUP = `lookup ${MAC}`;
const JSON_TYPE = { 'content-type': 'application/json' };

export const attacks: readonly Attack[] = [
  {
    name: 'malformed requests',
    async run({ raw, isAlive }) {
      const head = 'POST /api/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      const requests = [
        'GET / HTTP/1.1\r\n\r\n',
        'GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n',
        'GET /%00%ff HTTP/1.1\r\nHost: x\r\n\r\n',
        '\u0000\u0001\u0002',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n`,
        `${head}Content-Length: -1\r\n\r\n`,
        `${head}Content-Length: 99999999999999999999\r\n\r\n{}`,
        `${head}Transfer-Encoding: chunked\r\n\r\nZZZ\r\n`,
        `${head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n`,
        `POST /api/messages HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
        `POST /api/messages HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(20_000)}\r\n`,
        `${head}Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n${'\u001f\u008b'.repeat(10)}`,
      ];
      const answers = await Promise.all(requests.map((request) => raw(request)));
      const faults = answers.flatMap((answer, index) =>
        /^HTTP\/1\.1 2/.test(answer) ? [`${index} got ${answer}`] : [],
      );
      return { inputs: requests.length, faults: [...faults, ...((await isAlive()) ? [] : ['not alive'])] };
    },
  },
  {
    name: 'malformed bodies',
    async run({ request, identity }) {
      const authorization = `Bearer ${identity.issue({})}`;
      const send = (body: BodyInit, headers: Record<string, string> = {}) =>
        request('/api/messages', {
          method: 'POST',
          headers: { ...JSON_TYPE, authorization, ...headers },
          body,
        });
      const cases: Array<[number, () => Promise<{ status: number }>]> = [
        [415, () => send('{}', { 'content-type': 'text/plain' })],
        [415, () => send('a=b', { 'content-type': 'application/x-www-form-urlencoded' })],
        [415, () => send('--x--', { 'content-type': 'multipart/form-data; boundary=x' })],
        [415, () => send(gzipSync('x'.repeat(60_000_000)), { 'content-encoding': 'gzip' })],
        [413, () => send('x'.repeat(300_000))],
        [413, () => send(`{"text":"${'x'.repeat(5_000_000)}"}`)],
        [400, () => send('[['.repeat(60_000))],
        [400, () => send(`${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`)],
        [400, () => send(`"${'\\"'.repeat(100_000)}`)],
        [400, () => send(new Uint8Array([0xff, 0xfe, 0x7b, 0x7d]))],
        [400, () => send('')],
        [400, () => send('null')],
        [400, () => send('[]')],
        [400, () => send('{"__proto__":{"type":"message"},"constructor":{"prototype":{}}}')],
      ];
      const faults: string[] = [];
      for (const [index, [expected, answering]] of cases.entries()) {
        // Refusing an unread body ends the connection, and fetch may see that first.
        const status = await answering().then(
          (answer) => answer.status,
          () => expected,
        );
        if (status !== expected) faults.push(`${index} got ${status}`);
      }
      return { inputs: cases.length, faults };
    },
  },
  {
    name: 'sockets that ask for an upgrade',
    async run({ socket, isAlive }, size) {
      const count = size === 'full' ? 300 : 50;
      const sockets = Array.from({ length: count }, () => {
        const each = socket();
        each.on('error', () => {}); // A reset connection is what should come.
        each.write(
          'GET /api/messages HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
        );
        each.resume();
        return each;
      });
      const closed = sockets.map((each) => once(each, 'close', { signal: AbortSignal.timeout(5000) }));
      const open = (await Promise.allSettled(closed)).filter(({ status }) => status === 'rejected').length;
      for (const each of sockets) each.destroy();
      const faults = open > 0 ? [`${open} of ${count} stay open`] : [];
      return { inputs: count, faults: [...faults, ...((await isAlive()) ? [] : ['not alive'])] };
    },
  },
  {
    name: 'identities that another channel makes up',
    async run({ send, replies }) {
      const before = replies.length;
      const from = { id: 'nobody', aadObjectId: 'nobody', tenantId: 'tenant-of-the-team' };
      const channelData = { tenant: { id: 'tenant-of-the-team' } };
      const made = ['directline', 'webchat'].flatMap((channelId) =>
        [LOOKUP, 'posts drop', 'alerts here as lab'].map((text) => ({ channelId, text })),
      );
      for (const { channelId, text } of made) await send(text, { channelId, from, channelData });
      const faults = replies.length > before ? [`${replies.length - before} replies`] : [];
      return { inputs: made.length, faults };
    },
  },
  {
    name: 'inputs that a quadratic reader would dwell on',
    async run({ send }) {
      const faults: string[] = [];
      const sizes = [1000, 8000, 64_000, 200_000];
      const inputs = sizes.flatMap((size) => [
        { conversation: { id: ';messageid='.repeat(size / 11), conversationType: 'personal' } },
        { locale: 'a-'.repeat(size / 2) },
        {
          attachments: [
            { contentType: 'messageReference', content: JSON.stringify(Array(size / 4).fill(1)) },
          ],
        },
      ]);
      for (const changes of inputs) {
        const begun = performance.now();
        await send('help', { ...changes, from: { id: 'stranger' }, channelData: {} });
        const ms = performance.now() - begun;
        if (ms > 1500) faults.push(`${Object.keys(changes)[0]}: ${ms.toFixed(0)} ms`);
      }
      return { inputs: inputs.length, faults };
    },
  },
  {
    name: 'forged, foreign or old tokens',
    async run({ identity, send }, size) {
      const now = Math.floor(Date.now() / 1000);
      const pem = String(identity.key.publicKey.export({ type: 'spki', format: 'pem' }));
      const valid = identity.issue({});
      const [head = '', body = '', signature = ''] = valid.split('.');
      const tokens = [
        '',
        'x',
        'a.b.c',
        `${head}.${body}.`,
        `${head}.${body}.${signature.slice(0, -4)}AAAA`,
        `${head}.${signature}.${body}`,
        identity.issue({ header: { alg: 'none' }, key: undefined }),
        identity.issue({ header: { alg: 'HS256' }, key: pem }),
        identity.issue({ header: { alg: 'RS512' } }),
        identity.issue({ header: { alg: 'PS256' } }),
        identity.issue({ header: { kid: 'unknown' } }),
        identity.issue({ header: { kid: undefined } }),
        identity.issue({ header: { crit: ['b64'], b64: false } }),
        identity.issue({ claims: { iss: 'https://sts.windows.net/other/' } }),
        identity.issue({ claims: { iss: ['https://api.botframework.com'] } }),
        identity.issue({ claims: { aud: 'another-app' } }),
        identity.issue({ claims: { aud: undefined } }),
        identity.issue({ claims: { exp: now - 3600 } }),
        identity.issue({ claims: { exp: undefined } }),
        identity.issue({ claims: { nbf: now + 3600 } }),
        identity.issue({ claims: { serviceurl: 'https://smba.trafficmanager.net/' } }),
        identity.issue({ claims: { serviceurl: undefined } }),
        writeToken({ alg: 'RS256', kid: identity.key.kid }, { iss: 'https://api.botframework.com' }, pem),
      ];
      const flips = fc.sample(
        fc.tuple(fc.nat(valid.length - 1), fc.constantFrom('A', 'B', '-', '_', '.', '0')),
        {
          seed: 7,
          numRuns: size === 'full' ? 500 : 40,
        },
      );
      const bent = flips
        .map(([index, character]) => valid.slice(0, index) + character + valid.slice(index + 1))
        .filter((token) => decoded(token) !== decoded(valid));
      const faults: string[] = [];
      for (const token of [...tokens, ...bent]) {
        const { status } = await send(LOOKUP, {}, token);
        if (status !== 401) faults.push(`${token.slice(0, 60)} got ${status}`);
      }
      const { status } = await send(LOOKUP, { channelId: 'slack' });
      if (status !== 401) faults.push(`a channel without the key's endorsement got ${status}`);
      return { inputs: tokens.length + bent.length + 1, faults };
    },
  },
  {
    name: 'people without permission',
    async run({ send, replies }, size) {
      const strangers = [
        { conversation: { id: 'other', conversationType: 'personal', tenantId: 'another-tenant' } },
        { conversation: { id: 'other', conversationType: 'personal' } },
        { conversation: { id: 'other', tenantId: ['tenant-of-the-team'] } },
        { conversation: { id: 'other' }, channelData: { tenant: { id: 'another-tenant' } } },
      ];
      const doings: Array<Record<string, unknown>> = [
        { text: LOOKUP },
        { text: 'connect' },
        { text: 'status' },
        { text: 'posts retry' },
        { text: 'alerts here as noc' },
        { text: '', value: { dialog: 'lookup', text: MAC } },
        { text: '', value: { dialog: 'posts', text: 'drop' } },
        {
          type: 'invoke',
          name: 'composeExtension/fetchTask',
          value: { messagePayload: { body: { content: MAC } } },
        },
        { type: 'invoke', name: 'composeExtension/submitAction', value: { data: { text: MAC } } },
        { type: 'conversationUpdate', membersAdded: [{ id: 'bot' }] },
        { type: 'installationUpdate', action: 'add' },
      ];
      const before = replies.length;
      const faults: string[] = [];
      for (const stranger of strangers) {
        for (const doing of doings) {
          const { status } = await send('', { ...doing, ...stranger });
          if (status >= 500 && status !== 501) faults.push(`${JSON.stringify(doing)} got ${status}`);
        }
      }
      const told = replies.slice(before).map(textOf);
      if (told.some((text) => !text.startsWith('Sorry,'))) faults.push(`told ${told.join(' | ')}`);
      if (told.length > 1) faults.push(`told ${told.length} times within an hour`);
      const repeats = size === 'full' ? 200 : 20;
      for (let index = 0; index < repeats; index++) await send(LOOKUP, strangers[0]);
      if (replies.length - before > 1) faults.push('told again within an hour');
      return { inputs: strangers.length * doings.length + repeats, faults };
    },
  },
  {
    name: 'forbidden reply addresses',
    async run({ send, identity, replies }) {
      const before = replies.length;
      const addresses = [
        'https://evil.example.com/',
        'http://169.254.169.254/latest/meta-data/',
        'https://smba.trafficmanager.net.evil.example.com/',
        'file:///etc/passwd',
        'https://127.0.0.1@evil.example.com/',
        'not an address',
        '',
      ];
      const faults: string[] = [];
      for (const serviceUrl of addresses) {
        const { status } = await send(
          LOOKUP,
          { serviceUrl },
          identity.issue({ claims: { serviceurl: serviceUrl } }),
        );
        if (status !== 403 && status !== 400) faults.push(`${serviceUrl} got ${status}`);
      }
      if (replies.length > before) faults.push('a reply was sent');
      return { inputs: addresses.length, faults };
    },
  },
  {
    name: 'alerts without the bearer token',
    async run({ request }, size) {
      const body = JSON.stringify({ text: MAC });
      const headers = [
        {},
        { authorization: 'Bearer' },
        { authorization: 'Bearer x' },
        { authorization: 'Basic canary' },
        { authorization: `Bearer ${'x'.repeat(8000)}` },
        { authorization: 'Bearer canary-alerts-toke' },
        { authorization: 'Bearer canary-alerts-tokenX' },
      ];
      const repeats = size === 'full' ? 50 : 5;
      const faults: string[] = [];
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const each of headers) {
          const { status } = await request('/api/alerts', {
            method: 'POST',
            headers: { ...JSON_TYPE, ...each },
            body,
          });
          if (status !== 401) faults.push(`${JSON.stringify(each).slice(0, 60)} got ${status}`);
        }
      }
      return { inputs: headers.length * repeats, faults };
    },
  },
  ...alertAttacks,
  {
    name: 'random inputs from strangers',
    async run({ send, identity, isAlive }, size) {
      const inputs = fc.sample(
        fc.tuple(anyText, anyJson(['id', 'text', 'value', 'conversation', 'tenantId'])),
        {
          seed: 11,
          numRuns: size === 'full' ? 1000 : 80,
        },
      );
      const faults: string[] = [];
      for (const [text, json] of inputs) {
        const changes = {
          ...(typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { value: json }),
        };
        const { status } = await send(text.slice(0, 20_000), {
          ...changes,
          conversation: { id: 'strange', tenantId: 'another-tenant', ...changes },
        });
        if (status >= 500 && status !== 501)
          faults.push(`${text.slice(0, 100)} ${JSON.stringify(json)?.slice(0, 200)} got ${status}`);
      }
      await identity.issue({});
      return { inputs: inputs.length, faults: [...faults, ...((await isAlive()) ? [] : ['not alive'])] };
    },
  },
  {
    name: 'slow senders and idle connections',
    async run({ socket, isAlive }, size) {
      const count = size === 'full' ? 2000 : 300;
      const sockets = Array.from({ length: count }, socket);
      await Promise.all(sockets.map((each) => once(each, 'connect')));
      for (const [index, each] of sockets.entries()) {
        each.on('error', () => {}); // The bot may end the connection, as it should.
        each.write(index % 2 === 0 ? 'POST /api/messages HTTP/1.1\r\nHost: x\r\nX-' : '');
      }
      const alive = await isAlive();
      const isFull = size === 'full';
      const ended = isFull
        ? await Promise.all(sockets.filter((_, index) => index % 2 === 0).map(endsIn(60_000)))
        : [];
      for (const each of sockets) each.destroy();
      const open = ended.filter((isEnded) => !isEnded).length;
      return {
        inputs: count,
        faults: [
          ...(alive ? [] : ['not alive meanwhile']),
          ...(open > 0 ? [`${open} slow connections still open after a minute`] : []),
        ],
      };
    },
  },
  ...halfSentBodies,
  {
    name: 'endless bodies',
    async run({ socket, identity, isAlive }) {
      const sockets = Array.from({ length: 20 }, socket);
      await Promise.all(sockets.map((each) => once(each, 'connect')));
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const answers = await Promise.all(
        sockets.map(async (each) => {
          each.on('error', () => {}); // The bot cuts the connection, as it should.
          each.write(
            `POST /api/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${identity.issue({})}\r\nTransfer-Encoding: chunked\r\n\r\n`,
          );
          const closed = endsIn(10_000)(each);
          for (let sent = 0; sent < 100 && !each.destroyed; sent++) {
            each.write(chunk);
            await new Promise(setImmediate);
          }
          return closed;
        }),
      );
      for (const each of sockets) each.destroy();
      const open = answers.filter((isEnded) => !isEnded).length;
      return {
        inputs: sockets.length,
        faults: [
          ...(open > 0 ? [`${open} bodies still read after 6 MB`] : []),
          ...((await isAlive()) ? [] : ['not alive']),
        ],
      };
    },
  },
  {
    name: 'messages with too many addresses',
    mayCall: true,
    async run({ send, replies, calls }) {
      const before = { replies: replies.length, nac: calls.nac };
      const many = Array.from({ length: 10_000 }, (_, index) => index.toString(16).padStart(12, '0')).join(
        ' ',
      );
      const asked = [
        many,
        `${MAC} `.repeat(10_000).replace(/AA/g, () => Math.floor(Math.random() * 90 + 10).toString()),
      ];
      for (const text of asked) await send(text);
      const told = replies.slice(before.replies).map(textOf);
      const isTold = told.some((text) => text.includes('the first 20'));
      const made = calls.nac - before.nac;
      return {
        inputs: asked.length,
        faults: [
          ...(isTold ? [] : [`told ${told.join(' | ').slice(0, 300)}`]),
          ...(made <= 2 * 20 ? [] : [`${made} calls`]),
        ],
      };
    },
  },
  {
    name: 'many messages from one person',
    mayCall: true,
    async run({ send, replies, calls, nacAnswers }) {
      nacAnswers((_, response) => {
        response.statusCode = 404;
        response.end();
      });
      const before = { replies: replies.length, nac: calls.nac };
      const from = { id: 'eager', aadObjectId: 'eager' };
      const each = Array.from(
        { length: 60 },
        (_, index) => `00:1B:54:00:10:${index.toString(16).padStart(2, '0')}`,
      );
      for (const address of each) await send(address, { from });
      const made = calls.nac - before.nac;
      const told = replies.length - before.replies;
      return {
        inputs: each.length,
        faults: [
          ...(made > 30 ? [`${made} calls in a minute`] : []),
          ...(told === each.length ? [] : [`${told} replies`]),
        ],
      };
    },
  },
  {
    name: 'hostile answers from the NAC',
    mayCall: true,
    async run({ send, nacAnswers, replies, isAlive }) {
      const bodies: Array<[string, Buffer | string, Record<string, string>]> = [
        ['50 MB', Buffer.alloc(50_000_000, '<a>a_b:</a>'), {}],
        ['200 MB packed', gzipSync(Buffer.alloc(200_000_000, 'x')), { 'content-encoding': 'gzip' }],
        ['packed four times', gzipSync(gzipSync(gzipSync('x'))), { 'content-encoding': 'gzip, gzip, gzip' }],
        ['entity bomb', entityBomb(), {}],
        ['deep', `<sessionParameters>${'<a>'.repeat(100_000)}</sessionParameters>`, {}],
        ['a megabyte of underscores', `<sessionParameters>${'_'.repeat(1_000_000)}</sessionParameters>`, {}],
        ['a megabyte of tokens', `<sessionParameters>${'a_b<'.repeat(250_000)}</sessionParameters>`, {}],
        ['another type', '\u0000\u0001', { 'content-type': 'image/png' }],
        [
          'markup',
          sessionXml({ user_name: '`[x](https://evil.example.com) &lt;at&gt;all&lt;/at&gt; ![:Team](1)' }),
          {},
        ],
      ];
      const faults: string[] = [];
      for (const [index, [name, body, headers]] of bodies.entries()) {
        nacAnswers((_, response) => {
          response.setHeader('content-type', 'application/xml');
          for (const [header, value] of Object.entries(headers)) response.setHeader(header, value);
          response.end(body);
        });
        const before = replies.length;
        const from = { id: `asker-${index}`, aadObjectId: `asker-${index}` };
        const begun = performance.now();
        const { status } = await send(`00:1B:54:00:20:0${index}`, { from });
        const ms = performance.now() - begun;
        if (status !== 200 || replies.length === before)
          faults.push(`${name}: ${status}, ${replies.length - before} replies`);
        if (ms > 6000) faults.push(`${name}: ${Math.round(ms)} ms`);
        if (!(await isAlive())) faults.push(`${name}: not alive`);
      }
      return { inputs: bodies.length, faults };
    },
  },
];

function decoded(token: string): string {
  return token
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString('hex'))
    .join('.');
}

function endsIn(
  ms: number,
): (socket: { once(event: 'close', listener: () => void): unknown; resume(): unknown }) => Promise<boolean> {
  return (socket) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      socket.resume();
      socket.once('close', () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
}

function entityBomb(): string {
  const entities = Array.from(
    { length: 12 },
    (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`,
  ).join('');
  return `<?xml version="1.0"?><!DOCTYPE b [<!ENTITY e0 "lol">${entities}]><sessionParameters><passed>true</passed><user_name>&e12;</user_name></sessionParameters>`;
}
