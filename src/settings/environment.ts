import { readFileSync } from 'node:fs';
import { Secret } from '../domain/secret.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong setting. `message` follows the name in a sentence and never quotes a secret. */
export type Problem = { name: string; message: string };

export const FILE_SECRETS = [
  'MicrosoftAppPassword',
  'NAC_PASSWORD',
  'WEBHOOK_TOKEN',
  'WEBHOOK_URL',
  'AUTHORIZE_PASSWORD',
  'TICKET_PASSWORD',
  'ENDPOINTS_PASSWORD',
  'SECRET_KEY',
  'ALERTS_TOKEN',
  'DATABASE_URL',
] as const;

type FileSecret = (typeof FILE_SECRETS)[number];

/** `unusable`: the changed file is empty, cannot be read, or holds no valid value. */
type OnChange = (name: FileSecret, state: 'read' | 'unusable') => void;

const CHECK_EVERY_MS = 1000;

/**
 * Resolves each `X_FILE`: reads the secret X from that file. Drops empty values: Compose and similar tools pass unset variables
 * as empty. `watch` adds a listener for files that change while the bot runs.
 */
export function resolveFileSecrets(environment: Environment) {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== '') env[name] = value;
  const problems = FILE_SECRETS.flatMap((name): Problem[] => {
    const path = env[`${name}_FILE`];
    if (path === undefined) return [];
    if (env[name] !== undefined) return [{ name, message: `and ${name}_FILE are both set: keep one` }];
    env[name] = readSecret(path);
    const message = `names a file that is empty or cannot be read: ${path}`;
    return env[name] === '' ? [{ name: `${name}_FILE`, message }] : [];
  });
  const listeners: OnChange[] = [];
  const checked = new Set<FileSecret>();

  /**
   * Returns a secret with a setting's present value. Each use checks its file, if there is one, at most once a second. While the
   * file is empty, cannot be read or holds no valid value, the last value stays.
   */
  function follow<T>(name: FileSecret, first: T, parse: (text: string) => T | undefined): Secret<T> {
    const path = env[`${name}_FILE`];
    if (path === undefined) return new Secret(first);
    let [text, value] = [env[name], first];
    return new Secret(() => {
      if (checked.has(name)) return value;
      checked.add(name);
      setTimeout(() => checked.delete(name), CHECK_EVERY_MS).unref();
      const present = readSecret(path);
      if (present === text) return value;
      text = present;
      const next = text === '' ? undefined : parse(text);
      value = next ?? value;
      for (const listener of listeners) listener(name, next === undefined ? 'unusable' : 'read');
      return value;
    });
  }
  return { env, problems, follow, watch: (listener: OnChange) => void listeners.push(listener) };
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff|\r?\n$/g, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return '';
  }
}
