import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const CHECK = fileURLToPath(new URL('../src/check-node.cjs', import.meta.url));

it.each([
  ['20.20.2', 2],
  ['24.14.0', 2],
  ['24.15.0', 0],
  ['26.0.0', 0],
])('Node %s ends with %i', (version, status) => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const { stderr, status: code } = spawnSync(
    process.execPath,
    ['-e', `${pretend}; require(${JSON.stringify(CHECK)})`],
    { encoding: 'utf8' },
  );
  const sentence = `This bot needs Node 24.15 or newer, and this is Node ${version}. Please install a newer Node.\n`;
  expect([code, stderr]).toEqual([status, status === 0 ? '' : sentence]);
});
