import type { MacAddress } from '../domain/mac-address.ts';
import { findDevices } from './devices.ts';
import { type Field, firstIn, type Part, toFields } from './fields.ts';
import { toHeadline, toLink, toScalar, toTime } from './forms.ts';
import { readIdentity } from './identity.ts';
import { readState, type State } from './state.ts';
import * as terms from './terms.ts';
import { readTitle } from './title.ts';

/**
 * What an alert says of itself; all texts are untrusted. `startsAt`: when the incident began, in milliseconds since 1970.
 * `incidentKey`: the same for all alerts of one incident of one sender, of any length. `link`: an https address.
 */
export type AlertDetails = {
  title?: string | undefined;
  source?: string | undefined;
  severity?: string | undefined;
  startsAt?: number | undefined;
  incidentKey?: string | undefined;
  state: State;
  link?: string | undefined;
};

/**
 * Reads any sender's body by the form and the place of its fields: what it says of itself, and the devices that it names.
 * @param body plain data, with JSON in its strings already unpacked
 */
export function readAlert(body: unknown): { details: AlertDetails; devices: MacAddress[] } {
  const inOrder = toFields(body);
  const present = inOrder.filter(({ words }) => !terms.PAST.test(words));
  const fields = present.toSorted((one, other) => one.part.depth - other.part.depth);
  const { key: incidentKey, part } = readIdentity(fields);
  const sign = readState(fields, part, incidentKey);
  const severity = readSeverity(fields);
  const title = readTitle(fields, sign?.word);
  const marksEnd = terms.CLEAR_TITLE.test(title ?? '') || terms.CLEAR_SEVERITY.test(severity ?? '');
  // An alert that does not say that it is over is firing, since it was sent.
  const state = sign?.state ?? (marksEnd ? 'resolved' : 'firing');
  const startsAt = readBeginning(fields, state);
  const link = readLink(fields, part);
  const source = readSource(fields);
  return {
    details: { title, source, severity, startsAt, incidentKey, state, link },
    devices: findDevices(inOrder),
  };
}

/** Returns how grave the alert is: a word, or a number where no field has a word. The alert's own counts first. */
function readSeverity(fields: readonly Field[]): string | undefined {
  const known = fields.filter(({ isSecret }) => !isSecret);
  const { own = [], things = [] } = Object.groupBy(known, ({ part }) => (part.isThing ? 'things' : 'own'));
  const toWord = ({ value }: Field) => toHeadline(toScalar(value));
  const toNumber = ({ value }: Field) => /^\d[\d.]*$/.exec(`${toScalar(value)}`)?.[0];
  const read = (to: typeof toWord) =>
    firstIn(own, terms.SEVERITIES, to) ?? firstIn(things, terms.SEVERITIES, to);
  return read(toWord) ?? read(toNumber);
}

/** Returns the beginning: of a group's alerts the earliest. */
function readBeginning(fields: readonly Field[], state: State): number | undefined {
  const names = state === 'firing' ? [...terms.BEGINNINGS, ...terms.SENT] : terms.BEGINNINGS;
  return firstIn(fields, names, ({ words, part, value }) => {
    if (toTime(value) === undefined) return undefined;
    const group = fields.filter((each) => each.words === words && each.part.depth === part.depth);
    return group.flatMap((each) => toTime(each.value) ?? []).reduce((one, other) => Math.min(one, other));
  });
}

/** Returns the alert's page: a link of its own object, never of a thing in it nor of the page that a monitor looks at. */
function readLink(fields: readonly Field[], own: Part | undefined): string | undefined {
  const beside = fields.filter(({ words }) => terms.MONITORED.test(words));
  const monitored = new Set(beside.map(({ part }) => part));
  return firstIn(fields, terms.LINKS, ({ words, part, value }) => {
    if ((!part.isOwn && part !== own) || part.isThing || part.isFinding) return undefined;
    const link = toLink(value);
    const isItsPage = part === own || terms.DEEP.test(link ?? '');
    return words === 'url' && (monitored.has(part) || !isItsPage) ? undefined : link;
  });
}

/** Returns the sender by a field that only its bodies have, or as it names itself; and what it calls its part. */
function readSource(fields: readonly Field[]): string | undefined {
  const own = fields.filter(({ part }) => !part.isThing);
  const names = new Set(own.map(({ words }) => words.replaceAll(' ', '')));
  const toName = ({ value, isSecret }: Field) => (isSecret ? undefined : toHeadline(toScalar(value)));
  const senders = terms.SENDERS.split(/,\s+/).map((each) => /^(\S+) (.*)$/.exec(each) ?? []);
  const [, , sender] = senders.find(([, name = '']) => names.has(name)) ?? [];
  const service = sender && firstIn(own, [/^service$/], toName);
  return service ? `${sender}, ${service}` : (sender ?? firstIn(own, terms.SOURCES, toName));
}
