// Runs on any Node, and before any TypeScript: an old Node would stop at the first file with ERR_UNKNOWN_FILE_EXTENSION.
const [major, minor] = process.versions.node.split('.').map(Number);

/** `node:sqlite` works without a warning since 24.15. */
const WANTED = [24, 15];

if (major < WANTED[0] || (major === WANTED[0] && minor < WANTED[1])) {
  process.stderr.write(
    `This bot needs Node ${WANTED.join('.')} or newer, and this is Node ${process.versions.node}. Please install a newer Node.\n`,
  );
  process.exit(2);
}
