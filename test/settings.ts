import type { Environment } from '../src/settings/schema.ts';
import { describeProblems, readSettings, type Settings } from '../src/settings.ts';

/** The minimal settings with authentication off. */
export const GOOD = {
  ALLOW_UNAUTHENTICATED: '1',
  NAC_URL: 'https://nac.example.com',
  NAC_USERNAME: 'svc',
  NAC_PASSWORD: 'nac-password',
  WEBHOOK_URL: 'https://chat.example.com',
  WEBHOOK_TOKEN: 'room-token',
};

/** The minimal settings with authentication on. */
export const SIGNED_IN = {
  ...GOOD,
  ALLOW_UNAUTHENTICATED: undefined,
  MicrosoftAppId: 'app',
  MicrosoftAppPassword: 'app-password',
  MicrosoftAppType: 'SingleTenant',
  MicrosoftAppTenantId: 'tenant',
  ALLOWED_TENANTS: 'tenant',
};

export const TICKET = { TICKET_URL: 'https://t.example', TICKET_USERNAME: 'u', TICKET_PASSWORD: 'p' };
const NODES_ACCOUNT = { ENDPOINTS_USERNAME: 'u', ENDPOINTS_PASSWORD: 'p' };
export const ENDPOINTS = { ENDPOINTS_URL: 'https://e.example', ...NODES_ACCOUNT };
const KEYS_ACCOUNT = { AUTHORIZE_USERNAME: 'u', AUTHORIZE_PASSWORD: 'p' };
export const AUTHORIZE = { AUTHORIZE_URL: 'https://a.example', AUTHORIZE_SDK_PREFIX: 'sdk', ...KEYS_ACCOUNT };

/** Reads good settings with these changes; throws if they are refused. */
export function accept(changes: Environment, good: Environment = GOOD): Settings {
  const read = readSettings({ ...good, ...changes });
  if ('problems' in read) throw new Error(`refused: ${JSON.stringify(read.problems)}`);
  return read.settings;
}

/** Returns the names of the problems in good settings with these changes; empty if they are accepted. */
export function refuse(changes: Environment, good: Environment = GOOD): string[] {
  return problemsOf(changes, good).map(({ name }) => name);
}

/** Returns the operator's message about good settings with these changes. */
export function messageOf(changes: Environment): string {
  return describeProblems(problemsOf(changes, GOOD));
}

function problemsOf(changes: Environment, good: Environment) {
  const read = readSettings({ ...good, ...changes });
  return 'problems' in read ? read.problems : [];
}
