// Runs on any Node, and before any TypeScript: an old Node would stop at the first file with ERR_UNKNOWN_FILE_EXTENSION.
const [major, minor] = process.versions.node.split('.').map(Number);

/** Node runs TypeScript without a flag since 22.18; undici needs 22.19. */
const WANTED = [22, 19];

if (major < WANTED[0] || (major === WANTED[0] && minor < WANTED[1])) {
  process.stderr.write(
    `This bot needs Node ${WANTED.join('.')} or newer, and this is Node ${process.versions.node}. Please install a newer Node.\n`,
  );
  process.exitCode = 2;
}
