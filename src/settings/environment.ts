import { readFileSync, statSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting that is wrong. `message` follows the name in a sentence and never quotes a secret. */
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

/** What became of the file of a setting; `unusable`: it is empty, cannot be read, or holds no valid value. */
type FileNews = (name: string, news: 'read' | 'unusable') => void;

/**
 * Resolves each `X_FILE`: reads the secret X from that file. `watch` has a listener told of files that change while the bot
 * runs. Drops empty values: Compose and similar tools pass unset variables as empty.
 */
export function resolveFileSecrets(environment: Environment) {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== '') env[name] = value;
  const listeners: FileNews[] = [];
  const files: Partial<Record<(typeof FILE_SECRETS)[number], string>> = {};
  const problems: Problem[] = [];
  for (const name of FILE_SECRETS) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    if (env[name] !== undefined) {
      problems.push({ name, message: `and ${name}_FILE are both set: keep one` });
      continue;
    }
    env[name] = readPresent(path).text;
    files[name] = path;
    if (env[name] === '')
      problems.push({
        name: `${name}_FILE`,
        message: `names a file that is empty or cannot be read: ${path}`,
      });
  }

  /**
   * Returns what the present text of a setting's file says. While the file is empty, cannot be read or says nothing valid,
   * returns what it said last. Undefined without a file.
   */
  function follow<T>(name: keyof typeof files, first: T, says: (text: string) => T | undefined) {
    const path = files[name];
    if (path === undefined) return undefined;
    let [seen, text, last] = ['', env[name], first];
    return () => {
      const now = readPresent(path, seen);
      seen = now.version;
      if (now.text === undefined || now.text === text) return last;
      text = now.text;
      const said = text === '' ? undefined : says(text);
      last = said ?? last;
      // Told later, because a log that is told reads its secrets again.
      queueMicrotask(() => {
        for (const listener of listeners) listener(name, said === undefined ? 'unusable' : 'read');
      });
      return last;
    };
  }
  return { env, problems, follow, watch: (listener: FileNews) => void listeners.push(listener) };
}

/**
 * A file's text without a byte order mark and without one final line end: empty if it cannot be read, undefined if its version
 * is the one that was seen.
 */
function readPresent(path: string, seen?: string): { version: string; text?: string } {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
    const version = `${mtimeNs} ${ctimeNs} ${size} ${ino}`; // Differs after the file was written or replaced.
    if (version === seen) return { version };
    return { version, text: readFileSync(path, 'utf8').replace(/^\ufeff|\r?\n$/g, '') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return { version: '', text: '' };
  }
}
