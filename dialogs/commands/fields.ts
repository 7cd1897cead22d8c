import type { Command } from './command.ts';
import { lookUpDevices } from './lookup.ts';

export const fields: Command = {
  summary: 'shows all that the NAC says of a device',
  example: 'fields AA:BB:CC:DD:EE:FF',
  answer: (turn, bot) =>
    lookUpDevices({ ...turn, addresses: turn.addresses.slice(0, 1) }, { by: 'fields' }, bot),
};
