import { describe, expect, it } from 'vitest';
import type { Unseen } from '../../../dialogs/lookup/no-address.ts';
import { allDialogs, idleLookup } from '../all-dialogs.ts';
import { buttonsOf } from '../cards.ts';
import { answerTo } from '../talk.ts';

const dialogs = allDialogs(idleLookup());
const macs = (count: number) => Array.from({ length: count }, (_, index) => `00:1B:54:00:01:${10 + index}`);

describe('words above a quote', () => {
  it('get the quoted address offered', async () => {
    const message = await answerTo(dialogs, 'thanks, fixed', { quoted: '001b.5400.0007 is down' });
    expect(message.text).toBe(
      'I look up quoted addresses only after `lookup`. Here is one: `00:1B:54:00:00:07`.',
    );
    expect(buttonsOf(message)).toEqual([
      { title: 'Look up 00:1B:54:00:00:07', data: { dialog: 'lookup', text: '00:1B:54:00:00:07' } },
    ]);
  });

  it('get several quoted addresses offered, with one button', async () => {
    const message = await answerTo(dialogs, 'which of these is fixed?', { quoted: macs(3).join(' and ') });
    expect(message.text).toBe('I look up quoted addresses only after `lookup`. Here are 3.');
    expect(buttonsOf(message)).toEqual([
      { title: 'Look up the 3 quoted addresses', data: { dialog: 'lookup', text: macs(3).join(' ') } },
    ]);
  });

  it('get the first 20 of more addresses offered', async () => {
    const message = await answerTo(dialogs, 'thanks', { quoted: macs(21).join(' ') });
    expect(buttonsOf(message)).toEqual([
      {
        title: 'Look up the first 20 of 21 quoted addresses',
        data: { dialog: 'lookup', text: macs(20).join(' ') },
      },
    ]);
  });

  it('are answered if they name an IP address', async () => {
    const message = await answerTo(dialogs, '198.51.100.23', { quoted: '00:1B:54:00:00:07' });
    expect(message.text).toContain('`lookup 198.51.100.23`');
  });
});

describe('a message with nothing that can be read', () => {
  it.each<[string, string, Unseen[], string]>([
    ['a picture', '', ['picture', 'picture'], 'what is in a picture'],
    ['a picture and a file', '?', ['picture', 'file'], 'what is in a picture or what is in a file'],
    ['a quote', 'lookup', ['quote'], 'the text of that quote'],
    ['a code snippet', 'who is this?', ['code'], 'the code of that snippet'],
    ['a component', '', ['component'], 'what is in a Loop component'],
  ])('is told so: %s', async (_, text, unseen, things) => {
    expect((await answerTo(dialogs, text, { unseen })).text).toBe(
      `I cannot see ${things}. Please send me the MAC address as text.`,
    );
  });

  it.each<[string, RegExp]>([
    ['thanks', /^I don't know that command/],
    ['help', /Commands:|^I ask/],
    ['lookup 300.1.2.3', /^`300\.1\.2\.3` is no IP address/],
  ])('is another than one with words: "%s"', async (text, answer) => {
    expect((await answerTo(dialogs, text, { unseen: ['picture'] })).text).toMatch(answer);
  });
});
