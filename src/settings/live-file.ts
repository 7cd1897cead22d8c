import { readFileSync, statSync } from 'node:fs';

/**
 * The text of a file as it stands now, one line end at its end dropped. The file is read again when it has changed; while
 * it cannot be read, or is empty (being rewritten, say), the last text holds.
 */
export function liveFile(path: string): () => string {
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
