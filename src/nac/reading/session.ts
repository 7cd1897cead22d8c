import { Parser } from 'htmlparser2';
import type { SessionOutcome } from '../../domain/outcome.ts';
import { type Attempt, endingOf, orderOf, type SessionRecord } from '../../domain/session.ts';
import type { HttpOutcome } from '../../http.ts';
import { isKnown, readRecord, type Texts } from './record.ts';

/**
 * Checks status and root element before it takes anything from the body. A "no session" holds tokens by the rule, and a
 * login page can come with 200. A gateway in front can give the 500 of a "no session" another status.
 */
export function readSessionOutcome(outcome: HttpOutcome, isIgnored?: TokenTest): SessionOutcome {
  if (outcome.kind !== 'answered') return outcome;
  const { status, headers, text } = outcome;
  if (status === 401) return { kind: 'refused' };
  if (status === 403) return { kind: 'forbidden' };
  if (status >= 300 && status < 400) {
    const to = URL.parse(String(headers.location ?? '')); // Its path names the device.
    return { kind: 'unusable', reason: 'redirect', status, to: to?.host ? to.origin : undefined };
  }
  const isSuccess = status >= 200 && status < 300;
  const { root, isWhole, items } = readXml(text, 'sessionParameters');
  if (root === 'mnt-rest-result' && (isSuccess || status === 500 || status === 404))
    return readResult(status, text);
  if (!isSuccess) return { kind: 'fault', status };
  if (text.trim() === '') return { kind: 'unusable', reason: 'empty', status };
  const [session] = items;
  if (root === 'sessionParameters' && session) {
    if (!isWhole) return { kind: 'unusable', reason: 'cut off' };
    const [tokens, record] = [extractTokens(text), readSession(session)];
    if (isIgnored === undefined) return { kind: 'found', tokens, record, text };
    const posted = tokens.filter((token) => !isIgnored(token));
    return { kind: 'found', tokens: posted, record: withoutIgnored(record, isIgnored), text };
  }
  const isPage = root?.toLowerCase() === 'html' || /^\s*<!doctype html/i.test(text);
  if (isPage || /^text\/html\b/i.test(String(headers['content-type'] ?? '')))
    return { kind: 'unusable', reason: 'login page' };
  const isCutOff = root === undefined && /^\s*</.test(text); // Before the root's start tag ended.
  return { kind: 'unusable', reason: isCutOff ? 'cut off' : 'unknown' };
}

/** Leaves the names of policies, profiles and rules out that are ignored as tokens. */
function withoutIgnored(record: SessionRecord, isIgnored: TokenTest): SessionRecord {
  const { quarantine, authorizationProfiles, policySet, rule } = record;
  const isNamed = (name: string) => !isIgnored(name.trim());
  const named = (names?: string) => names?.split(',').filter(isNamed).join() || undefined;
  return {
    ...record,
    quarantine: quarantine && { ...quarantine, by: named(quarantine.by) },
    authorizationProfiles: named(authorizationProfiles),
    policySet: named(policySet),
    rule: named(rule),
  };
}

/** Checks the words, since other things can be not available, and some codes mark both. */
function readResult(status: number, text: string): SessionOutcome {
  const info = text.slice(0, 65_536).replace(/\s{1,1000}/g, ' ');
  if (/session directory[^<]{0,100}(?:not available|unavailable)/i.test(info))
    return { kind: 'fault', status, part: 'session directory' };
  return NONE.test(info) ? { kind: 'no session' } : { kind: 'fault', status };
}

/** `Session data is not available for 00:1B:54:00:00:07`, or `not available for` an address alone. */
const NONE =
  /session data (?:is |are )?not available|not available for (?:(?:[\da-f]{2}[:-]){5}[\da-f]{2}|(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})(?![\w:-])/i;

/**
 * Reads the attempts of a device that passed or failed (Cisco ISE's AuthStatus/MACAddress). The newest come first, in whatever
 * order the NAC lists them; those without a time come last. Undefined if the text is no whole list: a page can come with
 * status 200.
 */
export function readAttempts(xml: string): readonly Attempt[] | undefined {
  const { root = '', isWhole, items } = readXml(xml, 'authStatusElements');
  if (!/^(?:rest)?authstatus/i.test(root) || !isWhole) return undefined; // Builds name it differently.
  return items
    .slice(0, 20)
    .map(readSession)
    .toSorted((one, other) => (orderOf(other.since) ?? 0) - (orderOf(one.since) ?? 0))
    .filter((each): each is Attempt => endingOf(each) !== undefined);
}

/** Reads `<sessionCount><count>12</count></sessionCount>`; undefined for any other text: a page can come with status 200. */
export function readActiveCount(text: string): number | undefined {
  const { root, items } = readXml(text, 'sessionCount');
  const count = new Map(items[0]).get('count') ?? '';
  return root === 'sessionCount' && /^\d{1,12}$/.test(count) ? Number(count) : undefined;
}

type Pair = readonly [name: string, value: string];

/** Reads the record of a session's elements, or of an attempt's, and of the attributes in them. */
export function readSession(elements: readonly Pair[]): SessionRecord {
  const texts = textsOf([...elements, ...attributesIn(elements)]);
  const response = (texts.get('response') ?? '').replaceAll('&amp;', '&'); // Some are escaped twice.
  const attributes = response.replace(/^\s*\{|\}\s*$/g, '').split(';');
  return readRecord(texts, textsOf(attributes.map(toPair)));
}

const ATTRIBUTES = /^other_attr(?:_string|ibutes)$/;

/** Newer versions of the NAC join a session's attributes by `:!:`, older ones by commas. */
function attributesIn(elements: readonly Pair[]): Pair[] {
  const [, text = ''] = elements.find(([name]) => ATTRIBUTES.test(name)) ?? [];
  return text.split(text.includes(':!:') ? ':!:' : /,(?=[^,=]+=)/).map(toPair);
}

function toPair(text: string): Pair {
  const equals = text.indexOf('='); // Without one, the name is empty.
  return [text.slice(0, Math.max(0, equals)).trim(), text.slice(equals + 1).trim()];
}

/** The first text of each name that means anything. A tunnel's number, as in `(tag=1) 30`, is no part of it. */
function textsOf(pairs: readonly Pair[]): Texts {
  const texts = new Map<string, string>();
  for (const pair of pairs)
    for (const [name, written] of withInner(pair)) {
      // Without a prefix (`cts:sgt-name`). `wlan-ssid` keeps its hyphen, or `class-id` would end like it.
      const local = name.slice(name.lastIndexOf(':') + 1).toLowerCase();
      const key = local.replace(/[\W_](?!e?ssid(?![a-z]))/g, '');
      const value = written.startsWith('(') ? written.replace(/^\(tag=\d{1,3}\)\s*/i, '') : written;
      // A group of network devices, which anybody names: `WLAN=WLAN#All WLAN`.
      const isGroup = value.charAt(name.length) === '#' && value.startsWith(name);
      if (key !== '' && !isGroup && isKnown(value) && !texts.has(key)) texts.set(key, value);
    }
  return texts;
}

/** Pairs within a pair stand under their own names: `CiscoAVPair=method=mab,vlan-id=290`. */
const withInner = (pair: Pair): Pair[] =>
  /pair$/i.test(pair[0]) ? [pair, ...pair[1].split(/,(?=[^,=:]{1,60}=)/).map(toPair)] : [pair];

/** Returns a session's elements, then its attributes, as the NAC names them. */
export function readFields(xml: string): Pair[] {
  const [session = []] = readXml(xml, 'sessionParameters').items;
  const fields = [...session, ...attributesIn(session)];
  return fields.filter(([name, value]) => name && value && !ATTRIBUTES.test(name));
}

/** Real answers nest four levels. The work at each end tag grows with the depth. */
const MAX_DEPTH = 100;

/** `at`: where it stands among its item's children. */
type Element = { name: string; text: string; at: number };

/**
 * Reads an XML text once. `root`: the first element's name without its prefix; undefined if there is none. `isWhole`: that
 * element ends. `items`: the elements named `name`, each as its children's local names and texts, in order. Texts that nest
 * in a child are joined by a space. Linear on any text; reads no entity that the
 * document defines. If the XML is not well-formed, returns its readable part: a child without an end tag lasts until the next
 * tag, and an element without one until the next of its name.
 */
export function readXml(xml: string, name: string) {
  const items: Element[][] = [];
  const open: Element[] = [];
  let item: Element[] | undefined;
  let root: string | undefined;
  let hasEnded = false;
  const parser = new Parser(
    {
      onopentagname(tag) {
        const element = { name: tag.slice(tag.lastIndexOf(':') + 1), text: '', at: item?.length ?? 0 };
        root ??= element.name;
        if (element.name === name) {
          item = [];
          items.push(item);
        } else item?.push(element);
        open.push(element);
        if (open.length > MAX_DEPTH) parser.pause();
      },
      ontext(text) {
        const element = open.at(-1);
        if (element) element.text += text;
      },
      onclosetag(_, isImplied) {
        const element = open.pop();
        hasEnded ||= open.length === 0;
        if (element?.name === name) item = undefined;
        // Without an end tag of its own, its children are its neighbours.
        else if (element && item?.[element.at] === element && !isImplied)
          for (const { text } of item.splice(element.at + 1)) element.text += ` ${text}`;
      },
    },
    { xmlMode: true, decodeEntities: xml.includes('&') }, // Without entities, it skips whole texts.
  );
  parser.write(xml);
  const isWhole = hasEnded || xml.trimEnd().endsWith(`</${root}>`); // The parser can miss the tag of one that is ill-formed.
  parser.end(); // Closes the elements that are still open.
  return {
    root,
    isWhole,
    items: items.map((item) => item.map(({ name, text }): Pair => [name, text.trim()])),
  };
}

/**
 * Read backwards from a `:` or `<`, which are few: a run with an underscore, unless it names an element. The mark comes first:
 * behind the run, V8 may read backwards from every character (80 KB took 0.4 s, as random inputs showed).
 */
const TOKEN = /[:<](?<=(?<![\p{L}\p{M}\p{Nd}_.-]|<\/?)([\p{L}\p{M}\p{Nd}.-]*_[\p{L}\p{M}\p{Nd}_.-]*).)/gu;

/**
 * Returns each token of a NAC's answer once, in order of first appearance. A token is a whole run of token characters
 * (Unicode letters, combining marks and digits, `_`, `-`, `.`, also as numeric references). It holds an underscore and at
 * least one letter or digit, and stands directly before `:` or `<`. A run directly behind `<` or `</` is an element's name,
 * not a token. The text need not be well-formed. Takes linear time, 80 ms for the NAC's longest answer of 1 MB.
 * @example extractTokens('<rule>Wired_802.1X</rule><a>:!:Set=Basic_Access:!:</a>') // ['Wired_802.1X', 'Basic_Access']
 */
export function extractTokens(text: string): string[] {
  const plain = text.includes('&#') ? text.replace(REFERENCE, toTokenCharacter) : text;
  const tokens = new Set<string>();
  for (const [, run = ''] of plain.matchAll(TOKEN)) if (/[\p{L}\p{Nd}]/u.test(run)) tokens.add(run);
  return [...tokens];
}

/** A numeric character reference (XML 1.0, section 4.1). */
const REFERENCE = /&#(?:x0*([\da-f]{1,6})|0*(\d{1,7}));/gi;

function toTokenCharacter(reference: string, hexadecimal?: string, decimal = ''): string {
  const point = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  const character = point > 0x10ffff ? '' : String.fromCodePoint(point);
  return /^[\p{L}\p{M}\p{Nd}_.-]$/u.test(character) ? character : reference;
}

type TokenTest = (token: string) => boolean;

/** Tests for the tokens that a list names; `*` stands for any part (`Gigabit*`). Takes linear time for each name. */
export function tokensLike(names: readonly string[]): TokenTest {
  const patterns = names.map((name) => `\n${name}\n`.split('*'));
  return (token) => patterns.some((parts) => isLike(token, parts));
}

/** Line ends, which no token holds, mark the places of the first and the last part. */
function isLike(token: string, parts: readonly string[]): boolean {
  const whole = `\n${token}\n`;
  let end = 0;
  return parts.every((part) => {
    const at = whole.indexOf(part, end);
    end = at + part.length;
    return at !== -1;
  });
}
