import type { Environment, Problem } from '../../settings/environment.ts';
import { readSettings, type Settings } from '../../settings.ts';

/** The groups of settings; each belongs to one row, `proxy` to all that are reached over HTTP. */
const GROUPS = {
  NAC: /^NAC_/,
  webhook: /^WEBHOOK_/,
  'authorization service': /^AUTHORIZE_/,
  'ticket service': /^TICKET_/,
  identity: /^(?:MicrosoftApp|BotOpenIdMetadata|ToChannelFromBotLoginUrl)/,
  database: /^DATABASE_URL/,
  proxy: /_PROXY$/i,
} as const;

export type Group = keyof typeof GROUPS;

/** Settings with which the rest can be read; what they name is never asked. */
const STAND_INS: Partial<Record<Group, Environment>> = {
  NAC: { NAC_URL: 'https://nac.invalid', NAC_USERNAME: 'nobody', NAC_PASSWORD: 'none' },
  webhook: { WEBHOOK_URL: 'https://webhook.invalid', WEBHOOK_TOKEN: 'none' },
};

/** `unusable`: the groups in which something is wrong; their values in `settings` mean nothing. */
export type UsableSettings = {
  settings: Settings;
  problems: readonly Problem[];
  unusable: ReadonlySet<Group>;
};

/** Reads the settings as the start does. If some are wrong, leaves their groups out and reads the others. */
export function readUsableSettings(environment: Environment): UsableSettings {
  const read = readSettings(environment);
  if ('settings' in read) return { settings: read.settings, problems: [], unusable: new Set() };

  const names = read.problems.map(({ name }) => name);
  const all = Object.keys(GROUPS) as Group[];
  const unusable = new Set(all.filter((group) => names.some((name) => GROUPS[group].test(name))));
  const isLeftOut = (name: string) =>
    names.some(
      (wrong) => name === wrong || name === wrong.replace(/_FILE$/, '') || name === `${wrong}_FILE`,
    ) || [...unusable].some((group) => GROUPS[group].test(name));
  const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !isLeftOut(name)));
  const again = readSettings({
    ...kept,
    // Who may use the bot, and where it listens, concerns no other system.
    PERSONAL_SIGN_IN: undefined,
    ...(kept.MicrosoftAppId ? { ALLOWED_TENANTS: '*' } : { ALLOW_UNAUTHENTICATED: '1', HOST: undefined }),
    ...Object.assign({}, ...[...unusable].map((group) => STAND_INS[group])),
  });
  if ('problems' in again)
    throw new TypeError(`no part of the settings can be read: ${again.problems.map(({ name }) => name)}`);
  return { settings: again.settings, problems: read.problems, unusable };
}
