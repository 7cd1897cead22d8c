import type { Autoreplies } from '../src/store/tables.ts';
import { type AlertsOptions, createAlerts } from './commands/alerts.ts';
import { createAutoreply } from './commands/autoreply.ts';
import { type ConnectOptions, createConnect } from './commands/connect.ts';
import { createDisconnect } from './commands/disconnect.ts';
import { createFields, type FieldsOptions } from './commands/fields.ts';
import { createHelp } from './commands/help.ts';
import { createPosts } from './commands/posts.ts';
import type { RecentLookups } from './commands/recent.ts';
import { createRecent } from './commands/recent.ts';
import { createStatus, type StatusOptions } from './commands/status.ts';
import type { Dialog } from './dialog.ts';
import type { AllKeptJobs } from './lookup/kept-jobs.ts';

export type DialogsOptions = {
  lookup: Dialog;
  fields: FieldsOptions;
  recent: RecentLookups;
  status: StatusOptions;
  connect: ConnectOptions;
  kept: AllKeptJobs;
  alerts: AlertsOptions;
  autoreplies: Autoreplies;
};

/** All commands, in the order of `help` and of the app's menu. */
export function createDialogs(options: DialogsOptions): readonly Dialog[] {
  const dialogs: readonly Dialog[] = [
    options.lookup,
    createFields(options.fields),
    createRecent(options),
    createStatus(options.status),
    createConnect(options.connect),
    createDisconnect(options.connect),
    createPosts(options),
    createAlerts(options.alerts),
    createAutoreply(options),
    createHelp(() => dialogs),
  ];
  return dialogs;
}
