import { readFileSync, statSync } from 'node:fs';

/** Variables by name, as the process has them. */
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
  'SECRET_KEY',
  'ALERTS_TOKEN',
  'DATABASE_URL',
] as const;

export type FileSecret = (typeof FILE_SECRETS)[number];

export type ResolvedEnvironment = {
  /** Without empty values, which is how composing tools pass unset ones. */
  env: Environment;
  /** For each secret that stands in a file: its present text. */
  files: Partial<Record<FileSecret, () => string>>;
  problems: Problem[];
};

/** The environment with each secret that is named by `X_FILE` read from that file. */
export function resolveFileSecrets(environment: Environment): ResolvedEnvironment {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== '') env[name] = value;

  const files: ResolvedEnvironment['files'] = {};
  const problems: Problem[] = [];
  for (const name of FILE_SECRETS) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    if (env[name] !== undefined) {
      problems.push({ name, message: `is set, and ${name}_FILE too: keep one of them` });
      continue;
    }
    const read = liveFile(path);
    const text = read();
    if (text === '')
      problems.push({
        name: `${name}_FILE`,
        message: 'names a file that is empty or cannot be read',
      });
    env[name] = text;
    files[name] = read;
  }
  return { env, files, problems };
}

/**
 * The text of a file as it stands now, one line end at its end dropped. The file is read again when it has changed; while
 * it cannot be read, or is empty (being rewritten, say), the last text holds.
 */
function liveFile(path: string): () => string {
  let seen: string | undefined;
  let text = '';
  return () => {
    const version = fileVersion(path);
    if (version === undefined || version === seen) return text;
    const read = tryRead(() => readFileSync(path, 'utf8').replace(/\r?\n$/, ''));
    if (read) [text, seen] = [read, version];
    return text;
  };
}

/** Differs when the file was written, or another one put in its place. */
function fileVersion(path: string): string | undefined {
  return tryRead(() => {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`;
  });
}

function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
