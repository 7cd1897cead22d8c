import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Environment, FILE_SECRETS } from '../settings/schema.ts';

/**
 * A line of an EnvironmentFile that systemd and Node (`--env-file`) read in the same way: blank, a comment, or NAME=VALUE. They
 * differ about `\` and `#` in a bare value, a value of blanks alone, escapes between double quotes, and a comment that ends in
 * `\`. Sources: parse_env_file_internal() of systemd (src/basic/env-file.c), and src/node_dotenv.cc of Node.
 */
const LINE =
  /^[ \t]*(?:[#;](?:[^\r]*[^\\\r])?|[A-Za-z_]\w*[ \t]*=(?:[ \t]*(?:'[^'\r]*'|"(?:[^"\\\r]|\\[^n"\\$`\r])*"|[^\s'"`\\#][^\\#\r]*)[ \t]*)?)?$/;

/** Reads the service's settings as its unit does. `fault`: why nothing was read; `warning`: other users can read the file. */
export function readSettingsFile(
  path: string,
): { values: Environment; warning?: string } | { fault: string } {
  try {
    const bytes = readFileSync(path);
    if (!isUtf8(bytes) || bytes.includes(0))
      return { fault: `The settings in ${path} are no text in UTF-8.` };
    const lines = bytes.toString().split(/\r?\n/);
    const faults = lines.flatMap((line, index) =>
      LINE.test(line) ? [] : `line ${index + 1}: ${faultIn(line)}`,
    );
    if (faults.length > 0) return { fault: `${path} is not used:\n  ${faults.join('\n  ')}` };
    const isOpen = (statSync(path).mode & 0o004) !== 0;
    const warning = `Every user of this machine can read ${path}: chmod o-rwx ${path}`;
    const settings = lines.filter((line) => !/^[ \t]*[#;]/.test(line)); // Node takes some for settings.
    return { values: parseEnv(settings.join('\n')), ...(isOpen && { warning }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return {
      fault: `The settings in ${path} cannot be read (${code}): is the path right, and may this user read it?`,
    };
  }
}

/** @param line quoted in no message: it can hold a secret */
function faultIn(line: string): string {
  const [, name] = /^[ \t]*([A-Za-z_]\w*)[ \t]*=/.exec(line) ?? [];
  if (name === undefined) return 'this is neither NAME=VALUE nor a comment';
  const cure = FILE_SECRETS.some((each) => each === name)
    ? `use ${name}_FILE`
    : 'put it between single quotes';
  return `systemd and Node read the value of ${name} in different ways: ${cure}`;
}
