import { z } from 'zod';
import { type AskedDevice, isMacAddress } from '../../src/domain/device-address.ts';
import type { AlertDetails, AlertHead } from '../../src/domain/incident.ts';
import { isDevice } from '../../src/domain/outcome.ts';
import { stateOf } from '../../src/domain/session.ts';
import type { Answers, DeviceAnswer } from './device.ts';
import * as words from './words.ts';
import { askedText, capitalised, type Line, line, lines, paragraphs, toMarkdown, toPlain } from './words.ts';

/** A message from the bot. Untrusted text must go through `code` in `text`, and through `runs` in cards. */
export type Message = z.infer<typeof messageSchema>;
export const messageSchema = z.object({
  /** Markdown. Shown if there is no card or the chat service shows no cards. */
  text: z.string(),
  /** An Adaptive Card, shown instead of the text. */
  card: z.record(z.string(), z.unknown()).optional(),
  /** The notification for the card, as plain text. */
  summary: z.string().optional(),
  /** Mentions these people, where others read too: when nobody waits for the answer any more. The names are untrusted. */
  mentions: z.array(z.object({ id: z.string(), name: z.string() })).optional(),
});

/** The most of a text that one message takes; more goes in several. Teams takes about 100 KB in UTF-16, everything counted. */
export const MESSAGE_CHARACTERS = 28_000;

/** Where a message was sent, its asker (`reference.user`; older releases stored none), the asker's time zone. */
export type Place = z.infer<typeof placeSchema>;
export const placeSchema = z.object({
  reference: z.looseObject({ serviceUrl: z.string(), conversation: z.looseObject({ id: z.string() }) }),
  timeZone: z.string().optional(),
  /** The names of the team and the channel, or of the chat, as far as the chat service sends them. Untrusted. */
  title: z.string().optional(),
  /** Whether it is a channel with people of several tenants. */
  isShared: z.literal(true).optional(),
});

/** Whether only the sender sees messages at a place, although others read its conversation (Teams: "targeted"). */
export const isTargetedPlace = ({ reference }: Place) => Boolean(Object(reference.bot).isTargeted);

/** The place with everyone who reads its conversation. */
export function placeForAll(place: Place): Place {
  const { isTargeted: _, ...bot } = Object(place.reference.bot);
  return { ...place, reference: { ...place.reference, bot } };
}

/** The readers at a place: its conversation, or one person in it. */
export function readersOf(place: Place, conversation = conversationOf(place)): string {
  const user = Object(place.reference.user);
  return isTargetedPlace(place) ? JSON.stringify([conversation, user.id]) : conversation;
}

/** The person who asked at a place. Untrusted; empty if the chat service named nobody. */
export function askerOf({ reference }: Place) {
  const { id = '', name = '' } = Object(reference.user);
  return { id: String(id), name: String(name || id) };
}

/** The readers of one thread of a place's conversation, in which "again" means the thread's own last answer. */
export const threadOf = (place: Place) => readersOf(place, place.reference.conversation.id);

/** The conversation's id without the suffix of a channel's thread (`;messageid=...`). */
export const conversationOf = ({ reference }: Place) =>
  reference.conversation.id.replace(/;messageid=.*$/s, '');

/** A part of a message: lines of its text (one paragraph), those of its summary if they differ, and elements of its card. */
export type Part = { text?: readonly Line[]; summary?: readonly Line[]; elements?: readonly Element[] };

/** One of our sentences at the end of a message. Never pass untrusted text. */
export const notePart = (words: string): Part => ({ text: [[words]], elements: [note(words)] });

export const linesPart = (text: readonly Line[], style?: RunStyle) => ({
  text,
  elements: text.map((each) => richText(runs(each, style))),
});

/** Joins parts of a message: its text by paragraphs, its notification by lines, its card by elements. */
export function messageOf(parts: readonly Part[], buttons: readonly Element[] = []): Message {
  const [texts, summaries, body]: [string[], string[], Element[]] = [[], [], []];
  for (const { text = [], summary = text, elements = [] } of parts) {
    if (text.length > 0) texts.push(lines(...text.map(toMarkdown)));
    summaries.push(...summary.map(toPlain));
    body.push(...elements);
  }
  return { text: paragraphs(...texts), summary: summaries.join('\n'), card: adaptiveCard(body, buttons) };
}

/** A message about an alert's devices, below the alert's head; any other message without an alert. */
export function messageUnder(
  alert: AlertHead | undefined,
  formatter: words.Formatter,
  parts: readonly Part[],
  buttons: readonly Element[] = [],
): Message {
  if (!alert) return messageOf(parts, buttons);
  const { details, times = 1 } = alert;
  const { title, startsAt, link = '' } = details;
  const repeats = times > 1 ? `, reported ${times} times` : '';
  const history = startsAt === undefined ? '' : ` (${formatter.age(startsAt)})${repeats}`;
  const { opening, facts, lines: said } = alertHead(details, formatter, history);
  const url = URL.parse(link);
  const opened = url?.protocol === 'https:' ? [url] : [];
  // The host says where the button leads, because the link is untrusted. A narrow button would cut off the host's end.
  const hosts = opened.map(({ host }): [string, Line] => ['Link', line`${host}`]);
  const items = [
    heading(opening),
    ...(title === undefined ? [] : [richText(runs(words.text(title), { weight: 'Bolder' }))]),
    ...[...facts, ...hosts].map(([label, value]) => row([label], value)),
  ];
  const summary = [[...(said[0] ?? []), repeats]];
  const head = { text: said, summary, elements: [{ type: 'Container', items }] };
  const open = opened.map(({ href: url }) => ({ type: 'Action.OpenUrl', title: 'Open the alert', url }));
  return messageOf([head, ...parts], [...open, ...buttons]);
}

/** The head's opening and facts, and its lines. @param history follows the alert's beginning */
export function alertHead(details: AlertDetails, formatter: words.Formatter, history = '') {
  const { state, incidentKey, title, source, severity, startsAt } = details;
  // Without an id, nothing joins a resolved alert to the one that it ends.
  const opening = state === 'resolved' && incidentKey === undefined ? 'Resolved' : `Alert ${state}`;
  const since = startsAt === undefined ? [] : [`${formatter.time(startsAt)}${history}`];
  const all: Array<[label: string, value: Line]> = [
    ['Source', words.text(source)],
    ['Severity', words.text(severity)],
    ['Since', since],
  ];
  const facts = all.filter(([, value]) => value.length > 0);
  const named = facts.map(([label, value]) => [`${label}: `, ...value]);
  const first = title === undefined ? [`${opening}.`] : words.joinLines([[opening], words.text(title)], ': ');
  return { opening, facts, lines: [first, words.joinLines(named, ', ')].filter(({ length }) => length > 0) };
}

/** A short message in paragraphs of lines, with a card only if there are buttons. */
export function withButtons(paragraphs: readonly (readonly Line[])[], buttons: readonly Element[]): Message {
  const parts = paragraphs.map((each) => linesPart(each));
  const message = messageOf(parts, buttons);
  return buttons.length > 0 ? message : { text: message.text };
}

/** Elements of Adaptive Cards 1.5 that Teams shows on desktops and phones alike. */
export type Element = Readonly<Record<string, unknown>>;
export type Tone = 'Default' | 'Good' | 'Warning' | 'Attention';

export function adaptiveCard(body: readonly Element[], actions: readonly Element[] = []): Element {
  return { type: 'AdaptiveCard', version: '1.5', body, ...(actions.length > 0 && { actions }) };
}

/** Elements on the tone's colour. The text keeps its own: Teams' green has a contrast of 2.1:1 on white, its red 3.2:1 on dark. */
export function toned(tone: Tone, items: readonly Element[]): Element {
  const background = tone === 'Default' ? {} : { style: tone.toLowerCase(), bleed: true };
  return { type: 'Container', items, spacing: 'Small', ...background };
}

/** A heading, for screen readers too. Never pass untrusted text: a TextBlock reads markdown. */
export function heading(words: string): Element {
  return { type: 'TextBlock', style: 'heading', text: words, size: 'Large', weight: 'Bolder', wrap: true };
}

/** A verdict's heading, which begins with words of ours. Text runs hold the rest, because it can be untrusted. */
export function verdictHeading(text: Line): Element[] {
  const end = text.findIndex((each) => typeof each !== 'string');
  const own = heading(toPlain(capitalised(end < 0 ? text : text.slice(0, end))).trim());
  if (end < 0) return [own];
  return [own, richText(runs(text.slice(end), { weight: 'Bolder', size: 'Large' }), 'None')];
}

export const note = (words: string, weight?: 'Bolder'): Element =>
  richText(runs([words], weight && { weight }), 'Medium');

type RunStyle = {
  weight?: 'Bolder';
  size?: 'Large' | 'Small';
  isSubtle?: true;
  fontType?: 'Monospace';
};
type Spacing = 'Medium' | 'Small' | 'None';

/** A line of text runs, which read no markdown: the only way for untrusted text into a card. */
export function richText(runs: readonly Element[], spacing: Spacing = 'Small'): Element {
  return { type: 'RichTextBlock', inlines: runs, spacing };
}

/** A device's own address, in a form that is easy to copy, then the one that it was asked for by. */
export function addressRuns(device: AskedDevice, after: Line = []): Element[] {
  const own = runs(line`${device.address}`, { fontType: 'Monospace', weight: 'Bolder' });
  const more = [...askedText(device), ...after];
  return more.length > 0 ? [...own, ...runs(more, { isSubtle: true })] : own;
}

/** A row's title: the verdict, then the device's address. */
export const titleRuns = (words: Line, device: AskedDevice, after?: Line): Element[] => [
  ...runs(capitalised([...words, ' ']), { weight: 'Bolder' }),
  ...addressRuns(device, after),
];

/** Texts to copy, each on a line of its own. */
export const codeLines = (texts: readonly string[]): Element[] =>
  texts.map((text) => richText(runs(line`${text}`, { fontType: 'Monospace' }), 'None'));

export function row(label: Line, value: Line, spacing: Spacing = 'None'): Element {
  return richText([...runs([...label, ': '], { isSubtle: true }), ...runs(value)], spacing);
}

/** A line as text runs, usually one. A run evaluates formulas (`{{DATE(...)}}`), so `{{` is split over two: then it is text. */
export function runs(text: Line, style?: RunStyle): Element[] {
  const whole = toPlain(text) || ' ';
  if (!whole.includes('{{')) return [{ ...style, type: 'TextRun', text: whole }];
  return whole.split(/(?<=\{)(?=\{)/).map((text) => ({ ...style, type: 'TextRun', text }));
}

/** A button that sends a text like a typed one. @param was the message's state, if a press edits it */
export function button(title: string, dialog: string, text: string, state?: object): Element {
  return { type: 'Action.Submit', title, data: { dialog, text, ...(state && { was: state }) } };
}

/** The one button of a card for everything that a phone has no room for; empty if there is nothing. */
export function moreButton(body: readonly Element[], actions: readonly Element[]): Element[] {
  const isEmpty = body.length + actions.length === 0;
  return isEmpty ? [] : [{ type: 'Action.ShowCard', title: 'More', card: adaptiveCard(body, actions) }];
}

const WATCHABLE = ['no session', 'ended', 'redirected', 'rejected', 'did not finish', 'suppressed'];

/** Offers to watch devices without a session, and those that the NAC keeps out or waiting. */
export function watchButton(answers: Answers, canWatch: boolean): Element[] {
  if (!canWatch) return [];
  const watchable = answers.filter(({ address, outcome }) => {
    const state = outcome.kind === 'found' ? stateOf(outcome.record) : outcome.kind;
    return isMacAddress(address) && WATCHABLE.includes(state);
  });
  const addresses = watchable.map(({ address }) => address);
  const text = `tell me when ${addresses.join(' ')} connects`;
  return addresses.length > 0 ? [button('Tell me when it connects', 'watch', text)] : [];
}

/** Opens the NAC's own page of a device. A link's path, query and fragment may hold colons (RFC 3986, section 3.3). */
export function nacButton(answer: DeviceAnswer, nacLink: string | undefined): Element[] {
  if (nacLink === undefined || !isDevice(answer) || !isMacAddress(answer.address)) return [];
  const url = new URL(nacLink.replaceAll('{mac}', answer.address)).href;
  return [{ type: 'Action.OpenUrl', title: 'Open in the NAC', url }];
}
