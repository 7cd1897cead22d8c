import { describe, expect, it } from 'vitest';
import type { Dialog } from '../../dialogs/dialog.ts';
import { createHelp } from '../../dialogs/help.ts';
import { idleLookup } from './idle-lookup.ts';
import { talk } from './talk.ts';

const dialogs: Dialog[] = [idleLookup().dialog, createHelp(() => dialogs)];

const HELP =
  'I ask the network access control system (NAC) about devices. Commands:\n\n`lookup`: asks the NAC for the session of a device  \n`help`: says what I can do\n\nA MAC address alone is a lookup too. More about a command: `help lookup`';
const TRY = 'Try `lookup AA:BB:CC:DD:EE:FF`, or `help` for all I can do.';

describe('what is said and what is answered', () => {
  it.each([
    ['help', HELP],
    ['help nonsense', HELP],
    [
      'help lookup',
      '`lookup`: asks the NAC for the session of a device.\n\nTakes up to 20 MAC addresses in any spelling, anywhere in the message.  \nTells you what the NAC knows, and posts the tokens it finds to the room.\n\nFor example:  \n`lookup AA:BB:CC:DD:EE:FF`  \n`lookup aabb.ccdd.eeff, 00-11-22-33-44-55`  \n`AABBCCDDEEFF`',
    ],
    [
      'help help',
      '`help`: says what I can do.\n\nLists the commands, or tells about one of them.\n\nFor example:  \n`help`  \n`help lookup`',
    ],
    [
      'Hello!',
      'Hello! Send me a MAC address and I ask the NAC about it: `lookup AA:BB:CC:DD:EE:FF`. For everything else I can do: `help`.',
    ],
    [
      '',
      'Hello! Send me a MAC address and I ask the NAC about it: `lookup AA:BB:CC:DD:EE:FF`. For everything else I can do: `help`.',
    ],
    ['lokup', `I don't know that command. Did you mean \`lookup\`?\n\n${TRY}`],
    ['hlep', `I don't know that command. Did you mean \`help\`?\n\n${TRY}`],
    ['what is this', `I don't know that command, and I see no MAC address in it.\n\n${TRY}`],
    [
      '[click](https://example.com) `x`',
      `I don't know that command, and I see no MAC address in it.\n\n${TRY}`,
    ],
  ])('"%s"', async (message, answer) => {
    expect(await talk(dialogs, message)).toEqual([{ kind: 'said', text: answer }]);
  });
});
