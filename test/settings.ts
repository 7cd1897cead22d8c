import type { Environment } from '../src/settings/environment.ts';
import { readSettings, type Settings } from '../src/settings.ts';

/** The least that the bot starts with, authentication off. */
export const GOOD = {
  ALLOW_UNAUTHENTICATED: '1',
  NAC_URL: 'https://nac.example.com',
  NAC_USERNAME: 'svc',
  NAC_PASSWORD: 'nac-password',
  WEBHOOK_URL: 'https://chat.example.com',
  WEBHOOK_TOKEN: 'room-token',
};

/** The least that the bot starts with, authentication on. */
export const SIGNED_IN = {
  ...GOOD,
  ALLOW_UNAUTHENTICATED: undefined,
  MicrosoftAppId: 'app',
  MicrosoftAppPassword: 'app-password',
  MicrosoftAppType: 'SingleTenant',
  MicrosoftAppTenantId: 'tenant',
  ALLOWED_TENANTS: 'tenant',
};

/** The settings that come of good ones with these changes; fails where they are refused. */
export function accept(changes: Environment, good: Environment = GOOD): Settings {
  const read = readSettings({ ...good, ...changes });
  if ('problems' in read) throw new Error(`refused: ${JSON.stringify(read.problems)}`);
  return read.settings;
}

/** The names of the problems that come of good settings with these changes; none where they are taken. */
export function refuse(changes: Environment, good: Environment = GOOD): string[] {
  const read = readSettings({ ...good, ...changes });
  return 'problems' in read ? read.problems.map(({ name }) => name) : [];
}
