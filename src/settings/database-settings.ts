import type { Secret } from '../domain/secret.ts';
import type { Environment, Problem } from './environment.ts';
import { resolveFileSecrets } from './environment.ts';
import { fields } from './schema.ts';

const OWN = ['DATABASE_URL', 'DATABASE_URL_FILE', 'DATA_DIR'];

/** Reads the settings of the database only, for a script that needs no others. Ignores problems in the rest. */
export function readDatabaseSettings(
  environment: Environment,
): { settings: { url: Secret } | { directory: string } } | { problems: Problem[] } {
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => OWN.includes(name)));
  const { env, problems } = resolveFileSecrets(own);
  const parsed = fields.safeParse(env);
  const faults = (parsed.error?.issues ?? []).map(({ path, message }) => ({
    name: String(path[0]),
    message,
  }));
  if (!parsed.success || problems.length > 0) return { problems: [...problems, ...faults] };
  const { DATABASE_URL: url, DATA_DIR: directory } = parsed.data;
  return { settings: url ? { url } : { directory } };
}
