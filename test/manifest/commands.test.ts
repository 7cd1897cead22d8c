import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createDialogs, type DialogsOptions } from '../../dialogs/commands.ts';
import type { Dialog } from '../../dialogs/dialog.ts';
import { idleLookup } from '../dialogs/idle-lookup.ts';

type CommandList = { scopes: string[]; commands: Array<{ title: string; description: string }> };

/** Stubs: these tests read only the dialogs' names and summaries. */
const nothing = {} as DialogsOptions;
const dialogs = createDialogs({
  ...nothing,
  lookup: idleLookup(),
  fields: {} as DialogsOptions['fields'],
  status: {} as DialogsOptions['status'],
  connect: {} as DialogsOptions['connect'],
  alerts: {} as DialogsOptions['alerts'],
});
const manifest: { bots: [{ commandLists: CommandList[] }] } = JSON.parse(
  readFileSync(new URL('../../manifest/manifest.json', import.meta.url), 'utf8'),
);

describe("the app's menu", () => {
  it.each<[string, NonNullable<Dialog['only']>]>([
    ['personal', 'personal'],
    ['team', 'shared'],
    ['groupChat', 'shared'],
  ])('lists the commands that work in scope %s, as help does', (scope, place) => {
    const list = manifest.bots[0].commandLists.find(({ scopes }) => scopes.includes(scope));
    const useful = dialogs.filter(({ only = place }) => only === place);
    expect(list?.commands).toEqual(
      useful.map(({ name, summary }) => ({ title: name, description: summary })),
    );
  });
});
