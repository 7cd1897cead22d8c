import type { Turn } from '../../dialogs/dialog.ts';
import type { KnownDevices } from '../../dialogs/lookup/recent.ts';
import type { Sent } from '../../dialogs/route.ts';

export const NOBODY_KNOWN: KnownDevices = { recent: [], elsewhere: [], pending: undefined };

export const SENT: Sent & Pick<Turn, 'person' | 'name' | 'showsCards'> = {
  text: '',
  quoted: '',
  unseen: [],
  isAddressed: true,
  person: 'alex',
  name: 'Alex',
  isAdmin: true,
  isPersonal: true,
  showsCards: true,
  submission: undefined,
};

export const PLACE: Turn['place'] = {
  reference: { serviceUrl: 'http://127.0.0.1:1', conversation: { id: 'chat' } },
};
