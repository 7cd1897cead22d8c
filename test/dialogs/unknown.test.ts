import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allDialogs, idleLookup } from './all-dialogs.ts';
import { buttonsOf, press } from './buttons.ts';
import { answerTo, talk } from './talk.ts';

const dialogs = allDialogs(idleLookup());

/** `status` says the present time. */
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-15T10:00:00Z') }));
afterAll(() => void vi.useRealTimers());

const GREETING =
  'Hello! Send me a MAC address, and I ask the NAC about it: `lookup AA:BB:CC:DD:EE:FF`. Type `help` for all I can do.';
const TRY = 'Try `lookup AA:BB:CC:DD:EE:FF`, or `help` for all I can do.';
const UNKNOWN = `I don't know that command, and I see no MAC address in your message.\n\n${TRY}`;

describe('a greeting', () => {
  it.each(['', ' ', 'hi', 'Hello!', 'hey', 'Hallo', 'good morning :-)', '???'])(
    'is returned: "%s"',
    async (text) => {
      expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: GREETING, buttons: ['help'] }]);
    },
  );

  it('leads on to help', async () => {
    expect(await press(dialogs, await answerTo(dialogs, 'hello'), 'help')).toEqual(
      await talk(dialogs, 'help'),
    );
  });
});

describe('a misspelt command', () => {
  it.each([
    ['lokup', 'lookup', 'lookup', ''],
    ['Lookpu printer 7', 'lookup', 'lookup printer 7', 'printer 7'],
    ['hepl', 'help', 'help', ''],
    ['hlep lookup', 'help', 'help lookup', 'lookup'],
    ['stauts', 'status', 'status', ''],
    ['conect', 'connect', 'connect', ''],
    ['disconect', 'disconnect', 'disconnect', ''],
    ['post retry', 'posts', 'posts retry', 'retry'],
    ['/recnt', 'recent', 'recent', ''],
  ])(
    '"%s" is answered with the nearest command, "%s", and a button "%s"',
    async (text, name, title, rest) => {
      const message = await answerTo(dialogs, text);
      expect(message.text).toBe(`I don't know that command. Did you mean \`${name}\`?\n\n${TRY}`);
      expect(message.summary).toBe(message.text.replaceAll('`', '').replace('\n\n', '\n'));
      expect(buttonsOf(message)).toEqual([{ title, data: { dialog: name, text: rest } }]);
    },
  );

  it.each([
    ['hlep lookup', 'help lookup'],
    ['stauts', 'status'],
    ['post', 'posts'],
    ['recnt', 'recent'],
  ])('"%s" has a button that does what "%s" does', async (text, right) => {
    const message = await answerTo(dialogs, text);
    expect(await press(dialogs, message, right)).toEqual(await talk(dialogs, right));
  });

  it.each([
    ['lokup [click](https://example.com)', 'lookup'],
    ['lokup <b>printer</b>', 'lookup'],
    ['lokup {{DATE(2026-01-01T00:00:00Z,SHORT)}}', 'lookup'],
    [`lokup ${'printer '.repeat(9)}`, 'lookup'],
  ])('has a button without text that cannot stand there: "%s"', async (text, title) => {
    expect(buttonsOf(await answerTo(dialogs, text))).toEqual([
      { title, data: { dialog: 'lookup', text: '' } },
    ]);
  });
});

describe('a message that resembles no command', () => {
  it.each([
    'what is this',
    'xyzzy',
    'helpful people',
    '[click](https://example.com) `x`',
    '<at>someone</at>',
    'ping'.repeat(500),
  ])('is answered with an example and help: %j', async (text) => {
    expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: UNKNOWN, buttons: ['help'] }]);
  });
});

describe('a misspelt "connect"', () => {
  it('repeats nothing of the text after it', async () => {
    const [deed] = await talk(dialogs, 'conect alex hunter2');
    expect(deed).toMatchObject({ buttons: ['connect'] });
    expect(JSON.stringify(deed)).not.toContain('hunter2');
  });
});
