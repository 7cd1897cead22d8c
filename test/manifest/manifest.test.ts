import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { createChooser } from '../../dialogs/choose.ts';
import { EXTENSION_TITLE } from '../../dialogs/message-extension.ts';
import { fillManifest } from '../../manifest/write.ts';
import { allDialogs } from '../dialogs/all-dialogs.ts';

const require = createRequire(import.meta.url);
const settings = { appId: '12345678-abcd-4321-8888-0123456789ab', host: 'bot.example.com' };
const template = readFileSync(new URL('../../manifest/manifest.json', import.meta.url), 'utf8');
const filled = fillManifest(template, settings);
const manifest = JSON.parse(filled);
const lists: CommandList[] = manifest.bots[0].commandLists;
const dialogs = allDialogs();

test('the filled-in manifest is valid against the official schema of its version', () => {
  expect(faults(manifest)).toEqual([]);
});

test.each([
  ['no icons', { icons: undefined }],
  ['a property that the schema does not know', { packageNames: 'x' }],
  ['an id that is no GUID', { id: '{{MicrosoftAppId}}' }],
  ['an address that is no URL', { $schema: 'no address' }],
  ['a name that is too long', { name: { short: 'x'.repeat(31) } }],
])('the schema refuses a manifest with %s', (_, change) => {
  expect(faults({ ...manifest, ...change })).not.toEqual([]);
});

test('the template is JSON with two placeholders, and filling it in leaves none', () => {
  expect(() => JSON.parse(template)).not.toThrow();
  expect(new Set(template.match(/{{.*?}}/g))).toEqual(new Set(['{{MicrosoftAppId}}', '{{PUBLIC_HOST}}']));
  expect(filled).not.toMatch(/[{}]{2}/);
});

test('the app has the version of the bot', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(manifest.version).toBe(version);
});

test('the app, its bot, its message command and its permission all belong to the one id', () => {
  const { id, bots, composeExtensions, webApplicationInfo } = manifest;
  const ids = [id, bots[0].botId, composeExtensions[0].botId, webApplicationInfo.id];
  expect(ids).toEqual(ids.map(() => settings.appId));
});

test("each list of commands keeps to the menu's limits: ten, short titles, short descriptions", () => {
  expect(lists.flatMap(({ scopes }) => scopes).sort()).toEqual(['groupChat', 'personal', 'team']);
  for (const { commands } of lists) {
    expect(commands.length).toBeLessThanOrEqual(10);
    expect(new Set(commands.map(({ title }) => title)).size).toBe(commands.length);
    for (const { title, description } of commands) {
      expect(title.length).toBeLessThanOrEqual(32);
      expect(description.length).toBeLessThanOrEqual(128);
    }
  }
});

test("a message's menu names its command as the bot does", () => {
  expect(manifest.composeExtensions[0].commands).toMatchObject([
    { id: 'lookUpDevices', type: 'action', context: ['message'], title: EXTENSION_TITLE, fetchTask: true },
  ]);
});

test('the app asks only for the permission to receive channel messages', () => {
  const { authorization, permissions, validDomains } = manifest;
  expect(authorization.permissions.resourceSpecific).toEqual([
    { name: 'ChannelMessage.Read.Group', type: 'Application' },
  ]);
  expect([permissions, validDomains]).toEqual([undefined, undefined]);
});

test.each([
  ['personal', 'personal'],
  ['team', 'shared'],
  ['groupChat', 'shared'],
])('the menu of scope %s lists the commands that work there, as help does', (scope, place) => {
  const useful = dialogs.filter(({ only = place }) => only === place);
  const list = lists.find(({ scopes }) => scopes.includes(scope));
  expect(list?.commands.filter(({ prompt }) => prompt === undefined)).toEqual(
    useful.map(({ name, summary }) => ({ title: name, description: summary })),
  );
});

test('commands of channels and group chats stand behind a slash, too', () => {
  expect(manifest.bots[0].supportsTargetedMessages).toBe(true);
  expect(lists.map(({ triggers }) => triggers)).toEqual([undefined, ['mention', 'slash']]);
});

test('each menu offers to begin with what a dialog understands', () => {
  const text = 'lookup AA:BB:CC:DD:EE:FF';
  const prompts = lists.map(({ commands }) => commands.flatMap(({ prompt = [] }) => prompt));
  expect(prompts).toEqual([[text], [text]]);
  const from = { person: 'alex', name: 'Alex', isAdmin: false, isPersonal: true, showsCards: true };
  const chosen = createChooser(dialogs)({ ...from, text, quoted: '', unseen: [], submission: undefined });
  expect(chosen.dialog.name).toBe('lookup');
});

type Command = { title: string; description: string; prompt?: string };
type CommandList = { scopes: string[]; triggers?: string[]; commands: Command[] };

/** Returns the errors that the schema of the manifest's own version finds. */
function faults(manifest: { manifestVersion: string }): string[] {
  const file = `json-schemas/teams/v${manifest.manifestVersion}/MicrosoftTeams.schema.json`;
  const schema = JSON.parse(readFileSync(require.resolve(`@microsoft/app-manifest/build/${file}`), 'utf8'));
  // ajv lacks the meta-schema of draft 04, which the schema declares. The schema uses nothing that later drafts changed.
  const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  return validate(manifest)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
