import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';

const CHECK = readFileSync(new URL('../src/check-node.cjs', import.meta.url), 'utf8');

it.each([
  ['20.20.2', 2],
  ['24.14.0', 2],
  ['24.15.0', undefined],
  ['26.0.0', undefined],
])('Node %s ends with %j', (node, exitCode) => {
  const said: string[] = [];
  const codes: number[] = [];
  const process = {
    versions: { node },
    stderr: { write: (text: string) => said.push(text) },
    exit: (code: number) => codes.push(code),
  };
  runInNewContext(CHECK, { process });
  const sentence = `This bot needs Node 24.15 or newer, and this is Node ${node}. Please install a newer Node.\n`;
  expect(said).toEqual(exitCode === undefined ? [] : [sentence]);
  expect(codes).toEqual(exitCode === undefined ? [] : [exitCode]);
});

it('docs/service.md installs the pinned Node', () => {
  const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
  const { devDependencies } = JSON.parse(read('package.json'));
  expect(read('docs/service.md')).toContain(` node@${devDependencies.node}\n`);
});
