import { card, type Element, heading, note, type RunStyle, richText, runs } from './card.ts';
import { type Line, toMarkdown, toPlain } from './line.ts';
import { lines, paragraphs } from './markdown.ts';
import type { Message } from './message.ts';

/** A part of a message: a paragraph of its text, lines of its summary, and elements of its card. */
export type Part = { text: string; summary: string; elements: readonly Element[] };

/** The message's first words. Never pass foreign text. */
export function headingPart(words: string): Part {
  return { text: words, summary: words, elements: [heading(words)] };
}

export function linePart(line: Line): Part {
  return { text: toMarkdown(line), summary: toPlain(line), elements: [richText(runs(line))] };
}

/** Lines that belong together. */
export function linesPart(each: readonly Line[], style?: RunStyle): Part {
  return {
    text: lines(...each.map(toMarkdown)),
    summary: each.map(toPlain).join('\n'),
    elements: each.map((line) => richText(runs(line, style))),
  };
}

/** One of our sentences at the end of what it closes. Never pass foreign text. */
export function notePart(words: string): Part {
  return { text: words, summary: words, elements: [note(words)] };
}

/** A message of these parts, in this order, and the card's buttons. */
export function messageOf(parts: readonly Part[], buttons: readonly Element[]): Message {
  return {
    text: paragraphs(...parts.map(({ text }) => text)),
    summary: parts.map(({ summary }) => summary).join('\n'),
    card: card(
      parts.flatMap(({ elements }) => elements),
      buttons,
    ),
  };
}
