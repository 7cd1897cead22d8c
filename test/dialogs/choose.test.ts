import { describe, expect, it } from 'vitest';
import { createChooser } from '../../dialogs/choose.ts';
import type { Dialog } from '../../dialogs/dialog.ts';
import { createHelp } from '../../dialogs/help.ts';
import { idleLookup } from './idle-lookup.ts';

const dialogs: Dialog[] = [idleLookup().dialog, createHelp(() => dialogs)];

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
    const chosen = createChooser(dialogs)({
      text: message,
      quoted: '',
      person: 'alex',
      isAdmin: true,
      isPersonal: true,
      submission: undefined,
    });
    expect({ name: chosen.dialog.name, text: chosen.text }).toEqual({ name, text });
  });
});
