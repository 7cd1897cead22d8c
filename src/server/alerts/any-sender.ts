import type { AlertDetails } from '../../../dialogs/answers/alert-details.ts';
import { toDetails, toWords } from './details.ts';

/** The fields whose words are shown, the best title first. Others can hold secrets, such as Meraki's `sharedSecret`. */
const TITLES = ['title', 'subject', 'summary', 'message', 'text', 'description', 'details', '_raw', 'name'];

/** What systems call the end of an incident, and its beginning. */
const RESOLVED = /^(?:resolved|recovered|recovery|cleared|closed|ok|normal|up)$/i;
const FIRING = /^(?:firing|problem|triggered|alerting|active|open|new|down)$/i;

/** Reads the body of any sender. The fields can stand at any depth; the outer ones count first. */
export function readAnySender(body: unknown): AlertDetails {
  const found = typeof body === 'string' ? new Map([['text', body]]) : namedTexts(body);
  const title = TITLES.map((name) => found.get(name)).find((words) => words !== undefined);
  const status = found.get('status');
  return toDetails({
    title: title ?? status,
    source: undefined,
    severity: undefined,
    startsAt: undefined,
    incidentKey: undefined,
    state: stateOf(status),
    link: undefined,
  });
}

/** The first text under each name, level by level. */
function namedTexts(body: unknown): Map<string, string> {
  const found = new Map<string, string>();
  for (let level = [body]; level.length > 0; ) {
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const [name, value] of Object.entries(each)) {
        const key = name.toLowerCase();
        if (typeof value === 'object') next.push(value);
        else if (isShown(key) && !found.has(key) && typeof value === 'string' && toWords(value))
          found.set(key, value);
      }
    }
    level = next;
  }
  return found;
}

function isShown(name: string): boolean {
  return name === 'status' || TITLES.includes(name);
}

function stateOf(status = ''): AlertDetails['state'] {
  if (RESOLVED.test(status.trim())) return 'resolved';
  return FIRING.test(status.trim()) ? 'firing' : 'unknown';
}
