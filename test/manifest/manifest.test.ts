import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, afterEach, expect, test } from 'vitest';
import { EXTENSION_TITLE } from '../../dialogs/message-extension.ts';
import { buildPackage, manifest as write } from '../../manifest/write.ts';
import { inThread } from '../replies.ts';
import { startBot } from '../start-bot.ts';

const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
const out = join(folder, 'app.zip');
const MicrosoftAppId = '12345678-abcd-4321-8888-0123456789ab';
const settings = { appId: MicrosoftAppId, host: 'bot.example.com' };
const part = (name: string) => readFileSync(new URL(`../../manifest/${name}`, import.meta.url));

afterEach(() => rmSync(out, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  [['bot.example.com'], 'not a host'],
  [[], ' Bot.Example.COM\n'],
  [[], 'https://bot.example.com/api/messages'],
  [[], 'HTTP://bot.example.com?x=1#y'],
  [['bot.example.com/'], undefined],
  [['bücher.xn--p1ai'], undefined, 'xn--bcher-kva.xn--p1ai'], // As DNS has it.
])('the host of the arguments %j and PUBLIC_HOST %j is that of the package', (...row) => {
  const [args, PUBLIC_HOST, host = settings.host] = row;
  const ending = write([...args, '--out', out], { MicrosoftAppId, PUBLIC_HOST });
  const text = expect.stringMatching(`^Wrote .*app\\.zip for ${host}\\. Next: .*manifest/README\\.md.*\n$`);
  expect(ending).toEqual({ code: 0, text });
  expect(readFileSync(out).equals(buildPackage({ ...settings, host }))).toBe(true);
});

const NO_HOSTS = ['localhost', '[::1]', `${'x'.repeat(64)}.example.com`, `${'x.'.repeat(127)}com`];
const BAD_LABELS = ['bot_1.example.com', '-bot.example.com', 'bot..example.com', 'bot.example.com.'];
const HOSTS = [...NO_HOSTS, ...BAD_LABELS, '{{PUBLIC_HOST}}.example.com', 'user:<PASSWORD>@bot.example.com'];
const IDS = ['app', '<APP_ID>', MicrosoftAppId.slice(1), `{${MicrosoftAppId}}`, `${MicrosoftAppId}","x":"`];
const HOST_FAULT =
  'PUBLIC_HOST must be a full DNS host name without port, user name or path, for example bot.example.com';
const ID_FAULT =
  'MicrosoftAppId must be the Microsoft App ID of the Azure Bot resource, a GUID: hexadecimal digits in groups of 8, 4, 4, 4 and 12';

type Refused = [args: string[], env: Record<string, string>, faults: string[]];

test.each<Refused>([
  [[], {}, [ID_FAULT, HOST_FAULT]],
  [['not a host'], { MicrosoftAppId }, [HOST_FAULT]],
  ...HOSTS.map((PUBLIC_HOST): Refused => [[], { MicrosoftAppId, PUBLIC_HOST }, [HOST_FAULT]]),
  ...IDS.map((id): Refused => [['bot.example.com'], { MicrosoftAppId: id }, [ID_FAULT]]),
])('%j and %j are refused by name, and nothing is written', (args, env, faults) => {
  const told = faults.map((each) => `  ${each}\n`).join('');
  expect(write(['--out', out, ...args], env)).toEqual({
    code: 2,
    text: `The app package was not written.\n${told}Set them in the environment; the host can be an argument too: nac-lookup-bot manifest bot.example.com\n`,
  });
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['more', '--zip', '--out', '--out='])('an argument %s too many is refused', (argument) =>
  expect(write(['bot.example.com', argument], { MicrosoftAppId })).toBeUndefined(),
);

test('a file that cannot be written is named, and the command exits with 1', () => {
  const file = join(folder, 'no such folder', 'app.zip');
  const written = write(['bot.example.com', '--out', file], { MicrosoftAppId });
  expect(written).toEqual({ code: 1, text: `${file} could not be written (ENOENT).\n` });
});

test('the package holds only the manifest and its icons, at its root', () => {
  const { icons } = manifest;
  expect(Object.keys(files).sort()).toEqual(['manifest.json', icons.color, icons.outline].sort());
  for (const name of [icons.color, icons.outline])
    expect(part(name).equals(files[name] ?? new Uint8Array())).toBe(true);
});

const require = createRequire(import.meta.url);
const files = unzipSync(buildPackage(settings));
const filled = strFromU8(files['manifest.json'] ?? new Uint8Array());
const manifest = JSON.parse(filled);
const lists: CommandList[] = manifest.bots[0].commandLists;
const bot = await startBot();

test('the filled-in manifest is valid by its schema', () => expect(faults(manifest)).toEqual([]));

test('the app has one version, one id, and the message command', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const id = settings.appId;
  const type = { type: 'action', context: ['message'], fetchTask: true };
  const commands = [{ id: 'lookUpDevices', title: EXTENSION_TITLE, ...type }];
  expect(filled).not.toMatch(/[{}]{2}/);
  expect(manifest).toMatchObject({ version, id, webApplicationInfo: { id } });
  expect(manifest.bots).toMatchObject([{ botId: id, supportsTargetedMessages: true }]);
  expect(manifest.composeExtensions).toMatchObject([{ botId: id, commands }]);
});

test("each list of commands keeps to the menu's limits", () => {
  expect(lists.flatMap(({ scopes }) => scopes).sort()).toEqual(['groupChat', 'personal', 'team']);
  expect(lists.map(({ triggers }) => triggers)).toEqual([undefined, ['mention', 'slash']]);
  for (const { commands } of lists) {
    const isLong = ({ title, description }: Command) => title.length > 32 || description.length > 128;
    expect(commands.filter(isLong)).toEqual([]);
    expect(new Set(commands.map(({ title }) => title)).size).toBe(commands.length);
  }
});

test('the app asks only for the permission to receive channel messages', () => {
  const { authorization, permissions, validDomains } = manifest;
  const resourceSpecific = [{ name: 'ChannelMessage.Read.Group', type: 'Application' }];
  expect(authorization.permissions).toEqual({ resourceSpecific });
  expect([permissions, validDomains]).toEqual([undefined, undefined]);
});

test.each([
  ['personal', {}],
  ['team', inThread('19:noc')],
  ['groupChat', inThread('19:noc')],
])('the menu of scope %s lists the commands that work there, as help does', async (scope, place) => {
  const help = await bot.ask('help', { channelId: 'sms', ...place });
  const commands = [...help.matchAll(/^`(\w+)[^`]*`: (.*?) *$/gm)];
  const list = lists.find(({ scopes }) => scopes.includes(scope));
  expect(list?.commands.filter(({ prompt }) => prompt === undefined)).toEqual(
    commands.map(([, title, description]) => ({ title, description })),
  );
});

test('each menu offers to begin with a lookup that the bot answers', async () => {
  const text = 'lookup AA:BB:CC:DD:EE:FF';
  const offered = lists.map(({ commands }) => commands.flatMap(({ prompt = [] }) => prompt));
  expect(offered).toEqual([[text], [text]]);
  expect(await bot.ask(text)).toMatch(/^connected\./);
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
