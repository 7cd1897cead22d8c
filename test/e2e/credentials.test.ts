import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Stage, stageForTest } from '../stage.ts';
import { buttonsOf, cardOf, only, pressing } from './cards.ts';

const LOOKUP = 'lookup AA:BB:CC:DD:EE:FF';

it("the bot's own credentials rest after a refusal, for any number of questions, until their file changes", async () => {
  const directory = await mkdtemp(join(tmpdir(), 'secrets-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const NAC_PASSWORD_FILE = join(directory, 'nac-password');
  await writeFile(NAC_PASSWORD_FILE, 'wrong\n');
  const stage = await stageForTest({ NAC_PASSWORD: '', NAC_PASSWORD_FILE });
  expect((await stage.say(LOOKUP)).texts[0]).toMatch(
    /^credentials refused\. .* I do not try them again for \d+ s\./,
  );
  const many = await Promise.all(Array.from({ length: 5 }, () => stage.say('lookup 00:1B:54:00:00:01')));
  expect(many[0]?.texts[0]).toMatch(/^not asked\. .* I leave them alone for \d+ s more, /);
  expect(stage.sandbox.nacCalls).toHaveLength(1);
  expect((await stage.say('status')).texts[0]).toContain('the NAC refused these credentials; they rest for');
  await writeFile(NAC_PASSWORD_FILE, 'sandbox\n');
  expect((await stage.say(LOOKUP)).texts[0]).toContain('connected.');
});

describe('connecting', () => {
  it("runs a person's lookups under that person's account, until disconnected", async () => {
    const stage = await stageForTest();
    expect(await connect(stage, 'alex')).toMatch(
      /^Connected as `alex` until .+\n\nAPI key: issued, until .+ {2}\nticket: issued, until .+$/,
    );
    const [own] = (await stage.say(LOOKUP)).texts;
    const [other] = (await stage.say(LOOKUP, { from: { id: 'user-2', name: 'Patti' } })).texts;
    await stage.say('disconnect');
    const [after] = (await stage.say(LOOKUP)).texts;
    expect([own, other, after].map((text) => text?.includes(' · own account'))).toEqual([true, false, false]);
    expect(JSON.stringify(stage.sandbox.room.posts())).not.toContain('own account');
    expect(stage.sandbox.nacCalls.map(({ username }) => username)).toEqual(['alex', 'sandbox', 'sandbox']);
  });

  it('tries the NAC itself if there is no exchange, and keeps nothing that it refuses', async () => {
    const none = { AUTHORIZE_USERNAME: '', AUTHORIZE_PASSWORD: '', TICKET_USERNAME: '', TICKET_PASSWORD: '' };
    const addresses = { AUTHORIZE_URL: '', AUTHORIZE_SDK_PREFIX: '', TICKET_URL: '' };
    const stage = await stageForTest({ ...none, ...addresses });
    expect(await connect(stage, 'wrong')).toMatch(
      /^Not connected, and nothing is kept\. Wait .*\n\nThe NAC refused the user name or the password\.$/,
    );
    expect(stage.sandbox.nacCalls).toHaveLength(1);
    expect((await stage.say('connect')).texts[0]).toMatch(/^Your last try was refused\. Please wait /);
    expect((await stage.say(LOOKUP)).texts[0]).toContain('connected.');
  });
});

it('status says how each system is trusted and which credential an exchange refused, never a credential', async () => {
  const stage = await stageForTest({
    NAC_TLS: 'insecure',
    WEBHOOK_TLS: `pin:${'ab'.repeat(32)}`,
    TICKET_PASSWORD: 'wrong',
  });
  const [text] = (await stage.say('status')).texts;
  for (const line of [
    'Basic: held since ',
    'API key: held since ',
    'ticket: refused by the ticket service: user name or password is wrong',
    'Your own account:  \nnot connected; `connect` changes that',
    'NAC: ⚠ insecure: its certificate is not checked',
    'webhook: pin (1 certificate)',
    'authorization service: verify',
    'NAC: not asked yet',
  ])
    expect(text).toContain(line);
  expect(text).not.toMatch(/ST-|[0-9a-f]{8}-[0-9a-f]{4}/);
  expect((await stage.say('status')).texts[0]).toContain('ticket: refused; not asked again for ');
  expect(stage.log.join('\n')).toContain('TLS is insecure');
});

/** Types `connect`, fills the card in and sends it. Returns the result. */
async function connect({ say }: Stage, password: string): Promise<string | undefined> {
  const card = only((await say('connect')).replies);
  const { value, ...press } = pressing(buttonsOf(cardOf(card))[0], card.id);
  return (await say('', { ...press, value: { ...Object(value), username: 'alex', password } })).texts[1];
}
