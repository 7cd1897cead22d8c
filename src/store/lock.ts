import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';

/** The folder belongs to another running process. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

/**
 * Claims a folder for this process by listening on a socket file in it. The kernel lets go of it when the process ends,
 * however it ends, and it works across containers that share the folder, where process ids would not.
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string): Promise<{ release(): void }> {
  // Relative, since the path of a socket holds about a hundred characters.
  const path = relative(process.cwd(), join(folder, 'lock.sock'));
  const server = (await tryListen(path)) ?? (await takeOver(path));
  server.unref();
  return {
    release() {
      server.close();
    },
  };
}

/** The file of a process that has ended is taken over; that of a living one answers. */
async function takeOver(path: string): Promise<Server> {
  if (await isAnswered(path)) throw new FolderInUseError('another process uses this folder');
  rmSync(path, { force: true });
  const server = await tryListen(path);
  if (server === undefined) throw new FolderInUseError('another process has just taken this folder');
  return server;
}

async function tryListen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(path);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return undefined;
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ECONNREFUSED' && code !== 'ENOENT') throw error;
    return false;
  } finally {
    socket.destroy();
  }
}
