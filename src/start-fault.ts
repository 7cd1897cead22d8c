import { FolderInUseError } from './store/lock.ts';

/** What keeps a well-set bot from starting, in words; undefined for a bug. */
export function startFault(error: unknown): string | undefined {
  if (error instanceof FolderInUseError) return 'another one uses the folder that DATA_DIR names';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'another program listens on PORT already';
  if (code === 'EACCES') return 'this user may not listen on PORT, or not write into DATA_DIR';
  return undefined;
}
