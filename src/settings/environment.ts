import { readFileSync, statSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting that is wrong. `message` follows the name in a sentence and never quotes a secret. */
export type Problem = { name: string; message: string };

const FILE_SECRETS = [
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

export type ResolvedEnvironment = ReturnType<typeof resolveFileSecrets>;

/** What became of the file of a setting; `unusable`: it is empty, cannot be read, or holds no valid value. */
type FileNews = (name: string, news: 'read' | 'unusable') => void;

/**
 * Resolves each `X_FILE`: reads the secret X from that file. `files` return the present texts, `watch` has a listener told of
 * files that change while the bot runs. Drops empty values: Compose and similar tools pass unset variables as empty.
 */
export function resolveFileSecrets(environment: Environment) {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== '') env[name] = value;

  const listeners: FileNews[] = [];
  /** Tells later, because a log that is told reads its secrets again. */
  const tell: FileNews = (...news) =>
    queueMicrotask(() => {
      for (const listener of listeners) listener(...news);
    });
  const files: Partial<Record<(typeof FILE_SECRETS)[number], () => string>> = {};
  const problems: Problem[] = [];
  for (const name of FILE_SECRETS) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    if (env[name] !== undefined) {
      problems.push({ name, message: `and ${name}_FILE are both set: keep one` });
      continue;
    }
    const read = liveFile(path, () => tell(name, 'unusable'));
    env[name] = read();
    files[name] = read;
    if (env[name] === '')
      problems.push({ name: `${name}_FILE`, message: 'names a file that is empty or cannot be read' });
  }
  return { env, files, problems, tell, watch: (listener: FileNews) => void listeners.push(listener) };
}

/**
 * Returns the present text of a file without one final line end. Reads the file again when it has changed. While the file
 * is empty or cannot be read (for example during a rewrite), returns the last text, and tells so once.
 */
function liveFile(path: string, tellUnusable: () => void): () => string {
  let seen: string | undefined;
  let text = '';
  let isUsable = true;
  return () => {
    let [read, version] = ['', ''];
    try {
      const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
      version = `${mtimeNs} ${ctimeNs} ${size} ${ino}`; // Differs after the file was written or replaced.
      if (version === seen) return text;
      read = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
    if (read !== '') [text, seen] = [read, version];
    else if (isUsable && seen !== undefined) tellUnusable();
    isUsable = read !== '';
    return text;
  };
}
