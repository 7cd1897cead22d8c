import { gzipSync } from 'node:zlib';
import { textOf } from '../../src/sandbox/chat.ts';
import { sessionXml } from '../../src/sandbox/session-xml.ts';
import type { HostileStage } from './hostile-stage.ts';
import { isFull } from './length.ts';

/** Attacks by name. Each returns its faults in words. */
export type Attacks = Readonly<Record<string, (stage: HostileStage) => Promise<string[]>>>;

type Activity = Record<string, unknown>;

const MAC = 'AA:BB:CC:DD:EE:FF';
const LOOKUP = `lookup ${MAC}`;

const STRANGERS: readonly Activity[] = [
  { conversation: { id: 'other', conversationType: 'personal', tenantId: 'another-tenant' } },
  { conversation: { id: 'other', conversationType: 'personal' } },
  { conversation: { id: 'other', tenantId: ['tenant-of-the-team'] } },
  { conversation: { id: 'other' }, channelData: { tenant: { id: 'another-tenant' } } },
];

const DOINGS: readonly Activity[] = [
  ...[LOOKUP, 'connect', 'status', 'posts retry', 'alerts here as noc'].map((text) => ({ text })),
  { text: '', value: { dialog: 'lookup', text: MAC } },
  { text: '', value: { dialog: 'posts', text: 'drop' } },
  invoke('composeExtension/fetchTask', { messagePayload: { body: { content: MAC } } }),
  invoke('composeExtension/submitAction', { data: { text: MAC } }),
  { type: 'conversationUpdate', membersAdded: [{ id: 'bot' }] },
  { type: 'installationUpdate', action: 'add' },
];

/** Attacks by people who may not use the bot; the NAC must not be called. */
export const messageAttacks: Attacks = {
  async 'inputs that a quadratic reader would dwell on'({ send }) {
    const faults: string[] = [];
    const inputs = [1000, 8000, 64_000, 200_000].flatMap((size) => {
      const content = JSON.stringify(Array(size / 4).fill(1));
      return [
        { conversation: { id: ';messageid='.repeat(size / 11), conversationType: 'personal' } },
        { locale: 'a-'.repeat(size / 2) },
        { attachments: [{ contentType: 'messageReference', content }] },
      ];
    });
    for (const changes of inputs) {
      const begun = performance.now();
      await send('help', { ...changes, from: { id: 'stranger' }, channelData: {} });
      const ms = performance.now() - begun;
      if (ms > 1500) faults.push(`${Object.keys(changes)[0]}: ${ms.toFixed(0)} ms`);
    }
    return faults;
  },
  async 'people without permission'({ send, replies }) {
    const before = replies.length;
    const activities = STRANGERS.flatMap((stranger) => DOINGS.map((doing) => ({ ...doing, ...stranger })));
    const faults: string[] = [];
    for (const activity of activities) {
      const { status } = await send('', activity);
      if (status >= 500 && status !== 501) faults.push(`${JSON.stringify(activity)} got ${status}`);
    }
    const told = replies.slice(before).map(textOf);
    if (told.some((text) => !text.startsWith('Sorry,'))) faults.push(`told ${told.join(' | ')}`);
    for (let index = 0; index < (isFull ? 200 : 20); index++) await send(LOOKUP, STRANGERS[0]);
    const times = replies.length - before;
    return times > 1 ? [...faults, `told ${times} times within an hour`] : faults;
  },
};

/** Attacks by the NAC itself. */
export const insideAttacks: Attacks = {
  async 'hostile answers from the NAC'({ send, nacAnswers, replies, isAlive }) {
    const session = (content: string) => `<sessionParameters>${content}</sessionParameters>`;
    const user_name = '`[x](https://evil.example.com) &lt;at&gt;all&lt;/at&gt; ![:Team](1)';
    const bodies: Array<[string, Buffer | string, headers?: Record<string, string>]> = [
      ['50 MB', Buffer.alloc(50_000_000, '<a>a_b:</a>')],
      ['200 MB packed', gzipSync(Buffer.alloc(200_000_000, 'x')), { 'content-encoding': 'gzip' }],
      ['packed four times', gzipSync(gzipSync(gzipSync('x'))), { 'content-encoding': 'gzip, gzip, gzip' }],
      ['entity bomb', entityBomb()],
      ['deep', session('<a>'.repeat(100_000))],
      ['a megabyte of underscores', session('_'.repeat(1_000_000))],
      ['a megabyte of tokens', session('a_b<'.repeat(250_000))],
      ['another type', '\u0000\u0001', { 'content-type': 'image/png' }],
      ['markup', sessionXml({ user_name })],
    ];
    const faults: string[] = [];
    for (const [index, [name, body, headers]] of bodies.entries()) {
      nacAnswers((_, response) => {
        response.writeHead(200, { 'content-type': 'application/xml', ...headers });
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
    return faults;
  },
};

function invoke(name: string, value: object): Activity {
  return { type: 'invoke', name, value };
}

function entityBomb(): string {
  const entities = Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`);
  return `<?xml version="1.0"?><!DOCTYPE b [<!ENTITY e0 "lol">${entities.join('')}]><sessionParameters><passed>true</passed><user_name>&e12;</user_name></sessionParameters>`;
}
