import { readFileSync } from 'node:fs';
import type { Environment, Problem } from '../settings.ts';

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

/**
 * The environment with each secret that is named by `X_FILE` read from that file, one line end at its end dropped, and
 * with empty values left out, as composing tools pass unset ones.
 */
export function resolveFileSecrets(env: Environment): { env: Environment; problems: Problem[] } {
  const resolved: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(env)) if (value !== '') resolved[name] = value;

  const problems: Problem[] = [];
  for (const name of FILE_SECRETS) {
    const file = resolved[`${name}_FILE`];
    if (file === undefined) continue;
    if (resolved[name] !== undefined) {
      problems.push({ name, message: `is set, and ${name}_FILE too: keep one of them` });
      continue;
    }
    try {
      resolved[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (resolved[name] === '') problems.push({ name: `${name}_FILE`, message: 'names an empty file' });
    } catch {
      problems.push({ name: `${name}_FILE`, message: `names a file that cannot be read: ${file}` });
    }
  }
  return { env: resolved, problems };
}
