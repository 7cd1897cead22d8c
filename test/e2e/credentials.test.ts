import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { openStage, type Stage } from '../stage.ts';

let stage: Stage | undefined;
afterEach(() => stage?.close());

describe("the bot's own credentials, refused", () => {
  it('are reported and rest: no further call, for any number of questions', async () => {
    stage = await openStage({ NAC_PASSWORD: 'wrong' });
    const first = await stage.say('lookup AA:BB:CC:DD:EE:FF');
    expect(first.texts[0]).toMatch(
      /^credentials refused\. The NAC does not accept the bot's user name and password \(401\)\. I do not try them again for \d+ s\. Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD\. (?:[0-9A-F]{2}:?){6}\nReport number \d{6}\.$/,
    );
    const many = await Promise.all(Array.from({ length: 5 }, () => stage?.say('lookup 00:1B:54:00:00:01')));
    expect(many[0]?.texts[0]).toMatch(
      /^not asked\. The NAC refused the bot's credentials\. I leave them alone for \d+ s more, so that the account does not get locked\. Whoever runs the bot can check NAC_USERNAME and NAC_PASSWORD\. (?:[0-9A-F]{2}:?){6}\nReport number \d{6}\.$/,
    );
    expect(stage.sandbox.nacCalls).toHaveLength(1);
    expect((await stage.say('status')).texts[0]).toContain(
      'the NAC refused these credentials; they rest for',
    );
  });

  it('stop a message of twenty addresses after the calls in flight', async () => {
    stage = await openStage({ NAC_PASSWORD: 'wrong', NAC_CONCURRENCY: '2' });
    await stage.say(Array.from({ length: 20 }, (_, index) => `00:1B:54:00:77:${index + 10}`).join(' , '));
    expect(stage.sandbox.nacCalls.length).toBeLessThanOrEqual(2);
  });

  it('are used again at once when their file changes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'secrets-'));
    const file = join(directory, 'nac-password');
    await writeFile(file, 'wrong\n');
    stage = await openStage({ NAC_PASSWORD: '', NAC_PASSWORD_FILE: file });
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0]).toContain('credentials refused');
    await writeFile(file, 'sandbox\n');
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0]).toContain('connected.');
    await rm(directory, { recursive: true });
  });
});

describe('connecting', () => {
  it("runs a person's lookups under that person's account, until disconnected", async () => {
    stage = await openStage();
    expect((await connect(stage, 'alex', 'alex')).texts).toEqual([
      expect.stringMatching(
        /^Connected as `alex` until .+\n\nAPI key: issued, until .+ {2}\nticket: issued, until .+$/,
      ),
    ]);
    const lookup = 'lookup AA:BB:CC:DD:EE:FF';
    const [own] = (await stage.say(lookup)).texts;
    const [other] = (await stage.say(lookup, { from: { id: 'user-2', name: 'Patti' } })).texts;
    await stage.say('disconnect');
    const [after] = (await stage.say(lookup)).texts;
    expect([own, other, after].map((text) => text?.includes(' · own account'))).toEqual([true, false, false]);
    expect(JSON.stringify(stage.sandbox.room.posts())).not.toContain('own account');
    expect(stage.sandbox.nacCalls.map(({ username }) => username)).toEqual(['alex', 'sandbox', 'sandbox']);
  });

  it('keeps nothing when the systems refuse', async () => {
    stage = await openStage();
    const { texts } = await connect(stage, 'alex', 'wrong');
    expect(texts[0]).toBe(
      'Not connected, and nothing is kept. Type `connect` to try again.\n\nAPI key: refused by the authorization service: user name or password is wrong  \nticket: refused by the ticket service: user name or password is wrong',
    );
    expect((await stage.say('status')).texts[0]).toContain(
      'Your own account:  \nnot connected; `connect` changes that',
    );
  });

  it("forgets a person's account when the NAC refuses it, and invites to connect again", async () => {
    stage = await openStage({
      AUTHORIZE_URL: '',
      AUTHORIZE_SDK_PREFIX: '',
      AUTHORIZE_USERNAME: '',
      AUTHORIZE_PASSWORD: '',
      TICKET_URL: '',
      TICKET_USERNAME: '',
      TICKET_PASSWORD: '',
    });
    expect((await connect(stage, 'alex', 'wrong')).texts[0]).toMatch(/^Connected as `alex`/);
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0]).toMatch(
      /^credentials refused\. The NAC does not accept your user name and password \(401\), so I have forgotten them\. Type connect to give them again\. AA:BB:CC:DD:EE:FF\nReport number \d{6}\.$/,
    );
    expect((await stage.say('lookup AA:BB:CC:DD:EE:FF')).texts[0]).toContain('connected.');
  });
});

describe('status', () => {
  it('says which credentials are held and how each system is trusted, and never a credential', async () => {
    stage = await openStage({ NAC_TLS: 'insecure', WEBHOOK_TLS: `pin:${'ab'.repeat(32)}` });
    await connect(stage, 'alex', 'alex');
    const [text] = (await stage.say('status')).texts;
    for (const line of [
      "The bot's account:  \nBasic: held since ",
      'API key: held since ',
      'ticket: held since ',
      'Your own account:',
      'NAC: ⚠ insecure: its certificate is not checked',
      'webhook: pin (1 certificate)',
      'authorization service: verify',
      'ticket service: verify',
      'NAC: not asked yet',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).not.toMatch(/ST-|[0-9a-f]{8}-[0-9a-f]{4}/);
    expect(stage.log.join('\n')).toContain('TLS is insecure');
  });

  it('says which credential an exchange refused, and that it rests', async () => {
    stage = await openStage({ TICKET_PASSWORD: 'wrong', AUTHORIZE_URL: 'http://127.0.0.1:1' });
    const [first] = (await stage.say('status')).texts;
    expect(first).toContain('ticket: refused by the ticket service: user name or password is wrong');
    expect(first).toContain('API key: the authorization service could not be reached');
    expect((await stage.say('status')).texts[0]).toContain('ticket: refused; not asked again for ');
  });
});

/** Types `connect`, fills the card in and sends it. */
async function connect({ say, ready }: Stage, username: string, password: string) {
  await ready();
  const { replies } = await say('connect');
  const [card] = replies.map(
    ({ activity }) => activity.attachments as [{ content: { actions: [{ data: object }] } }],
  );
  const value = { ...card?.[0].content.actions[0].data, username, password };
  const answer = await say('', { text: undefined, value, replyToId: 'card-7' });
  return { ...answer, texts: answer.texts.slice(1) };
}

it("an answer says first that it ran under the bot's account, while people's own cannot be read", async () => {
  const stage = await openStage({ DATABASE_URL: 'postgres://bot@127.0.0.1:1/bot' });
  onTestFinished(stage.close);
  const { texts } = await stage.say('lookup AA:BB:CC:DD:EE:FF', { channelId: 'sms' });
  expect(texts[0]?.split('\n')[0]).toMatch(
    /connected · the bot's account, because own ones cannot be read now/,
  );
  const status = await stage.say('status', { channelId: 'sms' });
  expect(status.texts[0]).toContain('what people connected with cannot be read now');
});
