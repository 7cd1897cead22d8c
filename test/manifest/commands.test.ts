import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createChooser } from '../../dialogs/choose.ts';
import type { Dialog } from '../../dialogs/dialog.ts';
import { allDialogs } from '../dialogs/all-dialogs.ts';

type Command = { title: string; description: string; prompt?: string };
type CommandList = { scopes: string[]; triggers?: string[]; commands: Command[] };

const dialogs = allDialogs();
const manifest: { bots: [{ commandLists: CommandList[] }] } = JSON.parse(
  readFileSync(new URL('../../manifest/manifest.json', import.meta.url), 'utf8'),
);

describe("the app's menu", () => {
  it.each<[string, NonNullable<Dialog['only']>]>([
    ['personal', 'personal'],
    ['team', 'shared'],
    ['groupChat', 'shared'],
  ])('lists the commands that work in scope %s, as help does', (scope, place) => {
    const useful = dialogs.filter(({ only = place }) => only === place);
    expect(listOf(scope)?.commands.filter(({ prompt }) => prompt === undefined)).toEqual(
      useful.map(({ name, summary }) => ({ title: name, description: summary })),
    );
  });

  it('offers its commands of channels and group chats behind a slash', () => {
    expect(manifest.bots[0]).toMatchObject({ supportsTargetedMessages: true });
    expect(listOf('team')?.triggers).toEqual(['mention', 'slash']);
    expect(listOf('groupChat')?.triggers).toEqual(['mention', 'slash']);
  });

  it('begins a conversation with what a dialog understands', () => {
    const prompts = manifest.bots[0].commandLists.map(({ commands }) =>
      commands.flatMap(({ prompt }) => prompt ?? []),
    );
    expect(prompts).toEqual([['lookup AA:BB:CC:DD:EE:FF'], ['lookup AA:BB:CC:DD:EE:FF']]);
    const choose = createChooser(dialogs);
    const from = { person: 'alex', name: 'Alex', isAdmin: false, isPersonal: true, showsCards: true };
    const chosen = prompts[0]?.map(
      (text) => choose({ ...from, text, quoted: '', unseen: [], submission: undefined }).dialog.name,
    );
    expect(chosen).toEqual(['lookup']);
  });
});

function listOf(scope: string): CommandList | undefined {
  return manifest.bots[0].commandLists.find(({ scopes }) => scopes.includes(scope));
}
