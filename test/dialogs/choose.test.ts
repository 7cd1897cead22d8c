import { describe, expect, it } from 'vitest';
import { chooseDialog } from '../../dialogs/choose.ts';
import type { Dialog } from '../../dialogs/dialog.ts';
import { createHelp } from '../../dialogs/help.ts';
import { createLookup } from '../../dialogs/lookup.ts';

const never = () => Promise.reject(new Error('not asked here'));
const dialogs: Dialog[] = [createLookup({ lookUp: never, post: never }), createHelp(() => dialogs)];

describe('chooseDialog', () => {
  it.each([
    ['lookup AA:BB:CC:DD:EE:FF', 'lookup', 'AA:BB:CC:DD:EE:FF'],
    ['Lookup: AA:BB:CC:DD:EE:FF', 'lookup', 'AA:BB:CC:DD:EE:FF'],
    ['  LOOKUP\nAA:BB:CC:DD:EE:FF', 'lookup', 'AA:BB:CC:DD:EE:FF'],
    ['/lookup aabb.ccdd.eeff', 'lookup', 'aabb.ccdd.eeff'],
    ['lookup', 'lookup', ''],
    ['AA:BB:CC:DD:EE:FF', 'lookup', 'AA:BB:CC:DD:EE:FF'],
    ['aabbccddeeff is slow', 'lookup', 'aabbccddeeff is slow'],
    ['lokup AA:BB:CC:DD:EE:FF', 'lookup', 'lokup AA:BB:CC:DD:EE:FF'],
    ['help', 'help', ''],
    ['Help lookup', 'help', 'lookup'],
    ['helpful people', '', 'helpful people'],
    ['', '', ''],
  ])('"%s" goes to "%s"', (message, name, text) => {
    const chosen = chooseDialog(dialogs, {
      text: message,
      person: 'alex',
      isPersonal: true,
      submission: undefined,
    });
    expect({ name: chosen.dialog.name, text: chosen.text }).toEqual({ name, text });
  });
});
