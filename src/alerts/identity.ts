import { BEHIND, type Field, type Part } from './fields.ts';
import { IDS, INCIDENT, JOINED, NO_ID, SLUG, toWords } from './terms.ts';

/**
 * Returns what is the same in all alerts of an incident, and the object that holds it. The id's name is a part of it, because
 * two senders can count from 1.
 */
export function readIdentity(fields: readonly Field[]): { key?: string; part?: Part } {
  const incidents = new Set(fields.filter(isKindOfIncident).map(({ part }) => part));
  const hosts = fields.filter(({ words, texts }) => texts.length > 0 && JOINED.test(words));
  const joined = Map.groupBy(hosts, ({ part }) => part);
  for (const { name, form = /./, needs, isBare } of IDS)
    for (const { words, texts, part } of fields) {
      const [id] = texts;
      if (!name.test(words) || part.depth >= BEHIND) continue;
      if (id === undefined || !form.test(id) || NO_ID.test(id)) continue;
      if ((needs && !part.names.has(needs)) || (isBare && !incidents.has(part) && !isOwnId(part))) continue;
      const others = /^al(?:ert|arm)/.test(words)
        ? (joined.get(part) ?? []).flatMap((each) => each.texts)
        : [];
      if (others.length > 0 || !SLUG.test(id))
        return { key: [words.replaceAll(' ', ''), id, ...others].join(' '), part };
    }
  return {};
}

/** Whether a field names its object an incident: `{ id, type: 'incident' }`. */
function isKindOfIncident({ words, texts: [text = ''], part }: Field): boolean {
  return KIND.test(words) && !isEnvelope(part) && INCIDENT.test(toWords(text));
}

const KIND = /^(?:type|kind|model|(?:object|class|resource|entity)(?: type| id)?)$/;

/** Whether an object's `id` is the alert's: that of the whole body, or of what an envelope holds. */
function isOwnId(part: Part): boolean {
  if (part.parent && isEnvelope(part.parent)) return /^(?:data|payload|detail|object)$/.test(part.words);
  return (part.depth === 0 || INCIDENT.test(part.words)) && !isEnvelope(part);
}

/** Whether an object is one delivery, whose `id` changes from an alert to its clear. */
function isEnvelope({ names }: Part): boolean {
  const hasOne = (...all: string[]) => all.some((name) => names.has(name));
  if (hasOne('eventtype', 'eventid', 'detailtype', 'specversion', 'check')) return true;
  return hasOne('type', 'event', 'topic', 'action') && hasOne('data', 'payload', 'object');
}
