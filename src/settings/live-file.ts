import { readFileSync, type Stats, statSync } from 'node:fs';

/**
 * The text of a file as it stands now, one line end at its end dropped. The file is read again when it has changed; while
 * it cannot be read, or is empty (being rewritten, say), the last text holds.
 */
export function liveFile(path: string): () => string {
  let seen: Pick<Stats, 'mtimeMs' | 'size' | 'ino'> | undefined;
  let text = '';
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    const isSame = now?.mtimeMs === seen?.mtimeMs && now?.size === seen?.size && now?.ino === seen?.ino;
    if (now === undefined || isSame) return text;
    const read = tryRead(path);
    if (read !== undefined && read !== '') [text, seen] = [read, now];
    return text;
  };
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
