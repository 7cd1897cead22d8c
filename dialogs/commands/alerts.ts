import type { MacAddress } from '../../src/domain/mac-address.ts';
import { acceptAlert } from '../alerts/incident-jobs.ts';
import type { Turn } from '../dialog.ts';
import { askerOf, type Place, placeForAll } from '../render/message.ts';
import { code, lines, paragraphs, shorten } from '../render/words.ts';
import type { Bot, Command } from './command.ts';

const OFF = 'Alerts are off: the bot has no ALERTS_TOKEN, so monitoring systems cannot send any.';
const WAYS = lines(
  `${code('alerts here as NAME')} names this place, so that monitoring systems can send alerts to it.`,
  `${code('alerts list')} lists the names; ${code('alerts stop NAME')} removes a name.`,
  `${code('alerts help')} says what senders need; ${code('alerts test NAME')} sends a test alert.`,
  'A name has up to 64 letters, digits, dots, hyphens and underscores, and no spaces.',
);
const HOST = `The setting PUBLIC_HOST is missing, so put the bot's host in the place of ${code('<PUBLIC_HOST>')}.`;
const TOKEN = lines(
  `They send the bot's token as ${code('Authorization: Bearer <ALERTS_TOKEN>')}, or as the password of Basic.`,
  `Only a sender that can send no header has it in the address: ${code('?token=<ALERTS_TOKEN>')}.`,
  `${code('docs/alerts.md')} shows what to paste for each sender.`,
);
const unknownName = (name: string) =>
  `No place has the name ${code(name)}. ${code('alerts list')} lists the names.`;

export const alerts: Command = {
  summary: 'names this place for monitoring systems, for administrators',
  isUseful: ({ isAdmin }) => isAdmin,
  example: 'alerts here as core-network',
  answer: async (turn, bot) => turn.say(await act(turn, bot)),
};

async function act(turn: Turn, bot: Bot): Promise<string> {
  const [, typed = '', rest = ''] = /^(here\s+as|\w+)(?:\s+(.*))?$/is.exec(turn.text.trim()) ?? [];
  const verb = typed.toLowerCase().replace(/\s+/, ' ');
  const { areAlertsOn, publicUrl } = bot.settings;
  if (!areAlertsOn) return OFF;
  if (verb === 'list') return listNames(bot);
  if (verb === 'help') return addressText('NAME', publicUrl);
  if (!/^(?!\.{1,2}$)[\p{L}\p{N}._-]{1,64}$/u.test(rest)) return WAYS;
  if (verb === 'test') return sendTestAlert(rest, turn, bot);
  if (verb === 'here as') return nameHere(rest, turn, bot);
  if (verb !== 'stop') return WAYS;
  const isRemoved = await bot.threads.remove(rest);
  return isRemoved ? `Alerts for ${code(rest)} are no longer answered.` : unknownName(rest);
}

async function nameHere(name: string, turn: Turn, { threads, chat, settings }: Bot): Promise<string> {
  const place = placeForAll(turn.place);
  const before = (await threads.find(name))?.place;
  await threads.save(name, place);
  if (before && before.reference.conversation.id !== place.reference.conversation.id) {
    const moved = `Alerts for ${code(name)} no longer come here: ${code(askerOf(turn.place).name)} has taken the name for another place.`;
    await chat.reply(before, { text: moved });
  }
  return paragraphs(
    `Alerts for ${code(name)} are answered here from now on. Senders use this address:`,
    addressText(name, settings.publicUrl),
    `${code(`alerts test ${name}`)} sends a test alert.`,
  );
}

function addressText(name: string, publicUrl: URL | undefined): string {
  const origin = publicUrl?.origin ?? 'https://<PUBLIC_HOST>';
  const address = code(`${origin}/api/alerts/${encodeURIComponent(name)}`);
  return paragraphs(address, ...(publicUrl ? [] : [HOST]), TOKEN);
}

/** Each name with its place, and how many of its alerts held no address: a sender's field may be one that nobody can read. */
async function listNames({ threads, alertsWithoutAddress }: Bot): Promise<string> {
  const names = await threads.names();
  if (names.length === 0) return paragraphs('No place has a name yet.', WAYS);
  const texts = names.map(async (name) => {
    const place = (await threads.find(name))?.place;
    const count = alertsWithoutAddress.get(name);
    const alerts = count === 1 ? '1 alert' : `${count} alerts`;
    const silent = count ? `; ${alerts} without an address since the start` : '';
    return `${code(name)}: ${place ? placeText(place) : 'a place that cannot be read any more'}${silent}`;
  });
  return lines('Names that have a place:', ...(await Promise.all(texts)));
}

const placeText = ({ reference: { conversation }, title }: Place) =>
  code(shorten(title ?? String(conversation.conversationType ?? 'chat')));

/** An address for documentation (RFC 7042, section 2.1.1), which no device has. */
const NO_DEVICE = '00:00:5E:00:53:01' as MacAddress;

async function sendTestAlert(name: string, turn: Turn, bot: Bot): Promise<string> {
  const source = `alerts test, typed by ${askerOf(turn.place).name}`;
  const alert = {
    request: `test alert ${turn.key}`,
    addresses: [NO_DEVICE],
    leftOut: 0,
    thread: name,
    details: { title: 'Test alert', source, startsAt: bot.clock.now(), state: 'firing' as const },
  };
  const accepted = await acceptAlert(alert, bot);
  if (accepted === 'unknown thread') return unknownName(name);
  if (accepted === 'full' || accepted === 'too many')
    return 'Too many alerts are waiting already, so no test alert was sent. Please try again in a minute.';
  return `A test alert with ${code(NO_DEVICE)} is on its way to ${code(name)}. No device has this address, so the answer says that there is no session.`;
}
