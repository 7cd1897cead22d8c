// Runs on Node 18 and newer, before anything is installed, and without a shell.
const { spawn } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const PINNED = read(__dirname, '../package.json').devDependencies.node;
const IS_WINDOWS = process.platform === 'win32';
/** The package `node` fetches it by its install script. */
const BINARY = IS_WINDOWS ? 'bin/node.exe' : 'bin/node';
const NPM = process.env.npm_execpath;

/**
 * `node src/install.cjs [FOLDER...]`, from an npm script: installs the locked packages of each folder, unless all of them
 * are there. Exits with npm's code, or with 1 if npm leaves out a package that is not optional.
 */
(async () => {
  for (const folder of process.argv.length > 2 ? process.argv.slice(2) : ['.'])
    await install(resolve(folder));
})();

async function install(folder) {
  const { length } = missingIn(folder);
  if (length === 0) return;
  if (NPM === undefined) throw new Error('packages are missing: run npm ci');
  const into = join(folder, 'node_modules');
  say(`Installing packages into ${into} (missing: ${length}). This takes a minute or two.`);
  const ci = ['--no-deprecation', NPM, 'ci', '--include=dev', '--include=optional', '--loglevel=error'];
  const npm = spawn(process.execPath, [...withPinnedNode(), ...ci], { cwd: folder, stdio: 'inherit' });
  const timer = setInterval(() => {
    say(`npm fetches and unpacks packages (${Math.round(process.uptime())} s)`);
  }, 10_000);
  const status = await new Promise((resolved) => npm.on('exit', resolved));
  clearInterval(timer);
  if (status !== 0) process.exit(status ?? 1);
  const left = missingIn(folder);
  if (left.length > 0) say(`npm has left out ${left.map(({ at }) => at).join(', ')}.`);
  if (left.some(({ optional }) => !optional)) process.exit(1);
}

/**
 * Arguments of npm that run a command by the pinned Node; none where this Node is as new. npm leaves out optional packages
 * whose `engines` refuse its own Node, and the native parts of the linter and of the tests refuse Node 18. The platform's own
 * package of Node is used because npm 12 runs no install script under `npm exec`.
 */
function withPinnedNode() {
  if (Number.parseInt(process.versions.node, 10) >= Number.parseInt(PINNED, 10)) return [];
  const { platform, arch } = process;
  const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
  const name = [prefix, IS_WINDOWS ? 'win' : platform, arch].join('-');
  return [NPM, 'exec', '--yes', `--package=${name}@${PINNED}`, '--', 'node'];
}

/** Returns the locked packages that this platform needs and lacks: all of them without the list that npm writes last. */
function missingIn(folder) {
  const isWhole = existsSync(join(folder, 'node_modules/.package-lock.json'));
  const isThere = ({ at, version, link }) =>
    existsSync(join(folder, at, at === 'node_modules/node' ? BINARY : 'package.json')) &&
    (link || read(folder, at, 'package.json').version === version);
  return Object.entries(read(folder, 'package-lock.json').packages)
    .map(([at, entry]) => ({ at, ...entry }))
    .filter((entry) => entry.at !== '' && isNeeded(entry) && !(isWhole && isThere(entry)));
}

/** Optional packages for any platform belong to optional packages of another platform. The pinned Node's binary needs glibc. */
function isNeeded({ optional, os, cpu, libc }) {
  if (optional && !os && !cpu) return false;
  const fits = (list, value) => !list || list.includes(value);
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, 'glibc');
}

function read(...path) {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}

function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}
