import { alerts } from './commands/alerts.ts';
import { autoreply } from './commands/autoreply.ts';
import type { Bot } from './commands/command.ts';
import { connect, disconnect } from './commands/connect.ts';
import { help } from './commands/help.ts';
import { fields, lookup } from './commands/lookup.ts';
import { recent } from './commands/recent.ts';
import { status } from './commands/status.ts';
import { unwatch, watch, watching } from './commands/watch.ts';

export const COMMANDS: Bot['commands'] = {
  lookup,
  fields,
  watch,
  watching,
  unwatch,
  recent,
  status,
  connect,
  disconnect,
  alerts,
  autoreply,
  help,
};
