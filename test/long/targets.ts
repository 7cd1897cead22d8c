import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Activity } from 'botbuilder';
import fc from 'fast-check';
import { nearestCommand } from '../../dialogs/read-message.ts';
import { line, toMarkdown, toPlain } from '../../dialogs/render/words.ts';
import { notesOn, route } from '../../dialogs/route.ts';
import { readExchangeOutcome } from '../../src/credentials/exchanges.ts';
import { readAddresses } from '../../src/domain/device-address.ts';
import { findMacAddresses } from '../../src/domain/mac-address.ts';
import { Secret } from '../../src/domain/secret.ts';
import { firstPart, readHtml, splitText } from '../../src/domain/text.ts';
import { createServiceGate, type HttpOutcome } from '../../src/http.ts';
import * as session from '../../src/nac/reading/session.ts';
import { answerAlert, createPacer } from '../../src/server/alert-request.ts';
import { createBodyReader } from '../../src/server/requests.ts';
import { readActivityRequest } from '../../src/server.ts';
import { fields } from '../../src/settings/schema.ts';
import { readSettings } from '../../src/settings.ts';
import * as teams from '../../src/teams/activity.ts';
import { personOf } from '../../src/teams/admission.ts';
import { readVerdict } from '../../src/webhook/verdict.ts';
import { NOBODY_KNOWN, SENT } from '../dialogs/outcomes.ts';
import { recordOf } from '../nac/reading/session.ts';
import { anyJson, anyText } from './pieces.ts';

/** The most CPU time that one input may take (milliseconds). */
const MAX_MS = 100;

/** What the bot searches of a message. */
const typed = anyText.map((text) => firstPart(text).text);

/** The parsers with their inputs. */
export const targets = [
  target('MAC addresses', typed, (text) => findMacAddresses(text)),
  target('addresses that others hear', typed, (text) => readAddresses(text, 'overheard')),
  target('addresses behind a command', typed, (text) => notesOn(readAddresses(text, 'asked'))),
  target('misspelt commands', typed, (text) => nearestCommand(text)),
  target('commands', typed, (text) => choose(`lookup ${text}`)),
  target('tokens', anyText, (text) => session.extractTokens(text).filter(session.tokensLike(['a*_*b', '*']))),
  target('the session record', anyText, (text) => {
    const xml = `<sessionParameters>${text}</sessionParameters>`;
    return [recordOf(xml), session.readFields(xml)];
  }),
  target('the attempts of a device', anyText, (text) =>
    session.readAttempts(text.replaceAll('sessionParameters', 'authStatusElements')),
  ),
  target('the session answer', answers(), session.readSessionOutcome),
  target('credential answers', answers(anyJson(['APIKey', 'response', 'serviceTicket'])), (outcome) =>
    readExchangeOutcome(outcome, 0),
  ),
  target('webhook verdicts', answers(anyJson(['status', 'error', 'message'])), (outcome) =>
    outcome.kind === 'answered' ? readVerdict(outcome.status, outcome.text) : outcome,
  ),
  target('activities', bodies(activities()), readActivity),
  target('alerts', bodies(anyJson(['text', 'thread'])), (body) =>
    answerAlert(Object.assign(requestWith(body), { params: {} }), {
      token: TOKEN,
      accept: async () => 'accepted',
      onError() {},
      readBody,
      pacer: createPacer(Date.now),
    }),
  ),
  target('message texts', anyText, (text) => [
    readHtml(text),
    teams.readMessageContent({ text }),
    choose(firstPart(text).text),
  ]),
  target('lines', anyText, (text) => [toMarkdown(line`${text}`), toPlain(line`${text}`), splitText(text, 9)]),
  target('settings', settings(), readSettings),
  target('service addresses', anyText, createServiceGate({ names: ['*.example.com'], loopback: true })),
];

const TOKEN = new Secret('fuzz');
const readBody = createBodyReader();
const choose = (text: string) => route({ ...SENT, text, quoted: text }, NOBODY_KNOWN, { allowsUsers: true });

/** A parser may refuse an input, but may not throw or take long. */
function target<T>(name: string, inputs: fc.Arbitrary<T>, run: (input: T) => unknown) {
  const property = fc.asyncProperty(inputs, async (input) => {
    let ms = await cpuMs(() => run(input));
    // The quickest of five runs counts: others meet the garbage collector, or share a core with other programs.
    for (let tries = 1; ms > MAX_MS && tries < 5; tries++) ms = Math.min(ms, await cpuMs(() => run(input)));
    if (ms > MAX_MS) throw new Error(`${Math.round(ms)} ms of CPU`);
  });
  return { name, property: property as fc.IAsyncProperty<unknown> };
}

/** CPU time, because wall time includes other programs. */
async function cpuMs(run: () => unknown): Promise<number> {
  const begun = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}

function answers(bodies: fc.Arbitrary<unknown> = fc.constant(undefined)): fc.Arbitrary<HttpOutcome> {
  return fc.record({
    kind: fc.constant('answered' as const),
    status: fc.constantFrom(200, 202, 302, 400, 401, 403, 404, 429, 500, 503),
    headers: fc.record({ 'content-type': anyText, 'retry-after': anyText }),
    text: fc.oneof(anyText, jsonOf(bodies)),
  });
}

function settings(): fc.Arbitrary<Record<string, string>> {
  const names = Object.keys(fields.shape).flatMap((name) => [name, `${name}_FILE`]);
  const odd = fc.constantFrom('1', '-1', ',', '*', 'v2', 'ca:', 'pin:', 'https://a/%', 'a:b/webhook/t', '/');
  return fc.dictionary(fc.constantFrom(...names), fc.oneof(odd, anyText), { maxKeys: 6 });
}

function activities(): fc.Arbitrary<unknown> {
  const anything = anyJson(
    `type id channelId serviceUrl conversation from recipient text value entities attachments content contentType
    mentioned quotedReply preview`.split(/\s+/),
  );
  return fc.oneof(
    anything,
    fc.record({
      type: fc.constantFrom('message', 'messageUpdate', 'invoke', 'conversationUpdate', 'typing'),
      channelId: fc.constantFrom('msteams', 'sms', ' '),
      serviceUrl: fc.constantFrom('https://a.example.com/', 'https://b.example.org/', 'x'),
      conversation: fc.oneof(fc.record({ id: anyText, conversationType: anyText }), anything),
      text: fc.oneof(anyText, anything),
      ...{ id: anyText, localTimezone: anyText, locale: anyText },
      ...{ from: anything, recipient: anything, value: anything, entities: anything },
      ...{ attachments: anything, channelData: anything, membersAdded: anything },
    }),
  );
}

function bodies(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 4, arbitrary: jsonOf(values) }, { weight: 1, arbitrary: anyText });
}

function jsonOf(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return values.map((value) => JSON.stringify(value) ?? '');
}

function requestWith(body: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN.reveal()}` };
  request.push(Buffer.from(body));
  request.push(null);
  return request;
}

async function readActivity(body: string): Promise<unknown> {
  const serviceGate = createServiceGate({ names: ['*.example.com'], loopback: false });
  const read = await readActivityRequest(requestWith(body), { checkToken: undefined, serviceGate, readBody });
  if (read.kind !== 'activity') return read.kind;
  const activity: Activity = read.activity;
  return JSON.stringify([
    teams.keyOf(activity),
    personOf(teams.placeOf(activity)),
    teams.placeOf(activity),
    teams.submissionOf(activity),
    teams.isUnaddressed(activity),
    findMacAddresses(teams.readMessageContent(activity).text),
  ]);
}
