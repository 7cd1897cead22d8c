import { liveFile } from './live-file.ts';

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
