import { code, codeBlock, lines, paragraphs, shorten } from '../format/markdown.ts';
import { ANY_SENDER, findSender, SENDERS, type Sender } from './alert-senders.ts';

const WORDS = {
  proofs: 'How each sender proves itself, with the ALERTS_TOKEN of the bot:',
  senders: `${code('alerts help SENDER')} shows a configuration for:`,
  unknown: (name: string) => `I know no configuration for ${code(name)}.`,
  nearest: (name: string) => `Did you mean ${code(`alerts help ${name}`)}?`,
  token: `Put the bot's token in the place of ${code('<ALERTS_TOKEN>')}. I never show it.`,
  name: `${code('NAME')} is the name that ${code('alerts here as NAME')} gave a place.`,
  host: `The setting PUBLIC_HOST is missing, so put the bot's host in the place of ${code('<PUBLIC_HOST>')}.`,
};

/** Where senders reach the bot; undefined: nobody has said. */
type PublicUrl = URL | undefined;

/** The address for alerts to a named place, and how the common senders prove themselves. Markdown. */
export function sayAddress(name: string, publicUrl: PublicUrl): string {
  const address = code(addressOf(name, publicUrl));
  return paragraphs(
    ...(publicUrl ? [address] : [address, WORDS.host]),
    lines(WORDS.proofs, ...SENDERS.map((sender) => `${sender.name}: ${sender.proof}`)),
  );
}

/**
 * How a sender is configured. Without a name, or with an unknown one: which senders there are, and the form for any. Markdown
 * without the token itself. @param typed foreign
 */
export function sayConfiguration(typed: string, publicUrl: PublicUrl): string {
  const found = typed === '' ? undefined : findSender(typed);
  if (found && 'sender' in found) return say(found.sender, publicUrl);
  const names = lines(WORDS.senders, SENDERS.map(({ name }) => name).join(', '));
  const hint = found?.nearest ? WORDS.nearest(found.nearest.name.toLowerCase()) : names;
  return paragraphs(
    ...(found ? [lines(WORDS.unknown(shorten(typed)), hint)] : [hint]),
    say(ANY_SENDER, publicUrl),
  );
}

function say(
  { where, configuration }: Pick<Sender, 'where' | 'configuration'>,
  publicUrl: PublicUrl,
): string {
  return paragraphs(
    where,
    codeBlock(configuration(addressOf('NAME', publicUrl))),
    lines(WORDS.token, WORDS.name, ...(publicUrl ? [] : [WORDS.host])),
  );
}

function addressOf(name: string, publicUrl: PublicUrl): string {
  return `${publicUrl?.origin ?? 'https://<PUBLIC_HOST>'}/api/alerts/${encodeURIComponent(name)}`;
}
