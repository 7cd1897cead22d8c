import type { Command } from './command.ts';
import { lookUpDevices } from './lookup.ts';

export const fields: Command = {
  name: 'fields',
  summary: 'shows all that the NAC says of a device',
  examples: ['fields AA:BB:CC:DD:EE:FF', 'fields 198.51.100.23'],
  details: ['Takes one MAC address or IP address. Asks the NAC again, and posts nothing to the room.'],
  answer: (turn, bot) =>
    lookUpDevices({ ...turn, addresses: turn.addresses.slice(0, 1) }, { by: 'fields' }, bot),
};
