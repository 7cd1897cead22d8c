import { describe, expect, it } from 'vitest';
import { buttonsOf, press } from '../buttons.ts';
import { NOW, stageLookup } from '../commands/lookup-stage.ts';
import { answerTo, talk } from '../talk.ts';

const never = () => Promise.reject(new Error('not asked here'));
const dialogs = [stageLookup({ lookUp: never }).dialog];
const EXAMPLE = 'For example: `lookup AA:BB:CC:DD:EE:FF`';

describe('a lookup without an address', () => {
  it.each([
    ['lookup', 'Which device? Give me its MAC address, in any spelling.'],
    ['lookup the printer on floor two', 'Which device? Give me its MAC address, in any spelling.'],
    ['lookup AA:BB:CC:DD:EE:GG', 'That is no MAC address: `G` is not one of 0-9 and A-F.'],
    ['lookup AA:BB:CC:DD:EE:ЖЖ', 'That is no MAC address: `Ж` is not one of 0-9 and A-F.'],
    [
      'lookup AA:BB:CC:DD:EE',
      'That is no MAC address: it has 10 hexadecimal digits, and a MAC address has 12.',
    ],
    ['lookup 7', 'That is no MAC address: it has 1 hexadecimal digit, and a MAC address has 12.'],
    [
      'lookup AA:BB:CC:DD:EE:FF:00:11',
      'That is no MAC address: it has 16 hexadecimal digits, and a MAC address has 12.',
    ],
    [
      'lookup A:ABBCCD:DEEFF',
      'I cannot read that MAC address: I do not know this grouping of its 12 digits.',
    ],
  ])('says what is wrong with "%s"', async (text, fault) => {
    expect(await talk(dialogs, text)).toEqual([{ kind: 'said', text: `${fault}\n\n${EXAMPLE}` }]);
  });
});

describe('a mistyped address', () => {
  it('is corrected in a suggestion with a button, and not looked up', async () => {
    expect(await talk(dialogs, 'lookup AA:BB:CC:DD:EE:FO')).toEqual([
      {
        kind: 'said',
        text: 'Did you mean `AA:BB:CC:DD:EE:F0`?',
        buttons: ['Look up AA:BB:CC:DD:EE:F0'],
      },
    ]);
  });

  it('is looked up after a press of its button', async () => {
    const message = await answerTo(dialogs, 'lookup 00:1B:54:OO:OO:O7');
    const deeds = await press([stageLookup().dialog], message, 'Look up 00:1B:54:00:00:07', {
      arrivedAt: NOW,
    });
    expect(deeds).toMatchObject([
      { kind: 'said', text: expect.stringMatching(/^`00:1B:54:00:00:07`: no session\./) },
    ]);
  });

  it('is suggested with up to four others of its message', async () => {
    const text = Array.from({ length: 6 }, (_, index) => `OO:1B:54:00:00:0${index}`).join(' ');
    const message = await answerTo(dialogs, `lookup ${text}`);
    expect(message.text).toBe(
      'Did you mean `00:1B:54:00:00:00` or `00:1B:54:00:00:01` or `00:1B:54:00:00:02` or `00:1B:54:00:00:03` or `00:1B:54:00:00:04`?',
    );
    expect(message.summary).toBe(message.text.replaceAll('`', ''));
    expect(buttonsOf(message).map(({ data }) => data)).toEqual(
      [0, 1, 2, 3, 4].map((index) => ({ dialog: 'lookup', text: `00:1B:54:00:00:0${index}` })),
    );
  });
});
