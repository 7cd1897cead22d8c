import { button } from './format/card.ts';
import { line } from './format/line.ts';
import { type Message, withButtons } from './format/message.ts';
import { EXAMPLE, exampleButton } from './lookup/no-address.ts';

const WORDS = {
  hello: line`Hello! I ask the network access control system (NAC) about devices. Three things to try:`,
  address: line`Send me a MAC address, in any spelling: ${`lookup ${EXAMPLE}`}`,
  log: line`Paste some lines of a log: I find every address in them, up to 20.`,
  help: line`Type ${'help'} for all I can do.`,
  mention: line`In a channel, mention me first.`,
  helpButton: 'Help',
  statusButton: 'Status',
};

/** What the bot says about itself after its installation. */
export function welcomeMessage(isPersonal: boolean): Message {
  return withButtons(
    [WORDS.hello, WORDS.address, WORDS.log, WORDS.help, ...(isPersonal ? [] : [WORDS.mention])],
    [exampleButton(), button(WORDS.helpButton, 'help', ''), button(WORDS.statusButton, 'status', '')],
  );
}
