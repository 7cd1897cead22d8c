import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findCircle, isAllowed, readImports } from './rooms.ts';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const imports = readImports();

describe('the imports of the project', () => {
  it('are those that the plan of the house allows', () => {
    const others = imports
      .filter((each) => !isAllowed(each))
      .map(({ file, target }) => `${file} -> ${target}`);
    expect(others).toEqual([]);
  });

  it('form no circle', () => {
    expect(findCircle(imports)?.join(' -> ')).toBeUndefined();
  });
});

it('only one file asks for the time; the sandbox is another world', () => {
  const asking = globSync('{src,dialogs,manifest}/**/*.ts', { cwd: TOP })
    .filter((file) => !file.startsWith('src/sandbox/'))
    .filter((file) =>
      /Date\.now|performance\.now|hrtime|new Date\(\)/.test(readFileSync(`${TOP}/${file}`, 'utf8')),
    );
  expect(asking).toEqual(['src/app/clock.ts']);
});

describe('the check of imports', () => {
  it.each([
    ['src/nac/lookup.ts', 'src/http.ts', false, true],
    ['src/nac/lookup.ts', 'src/store/store.ts', true, false],
    ['src/nac/lookup.ts', 'dialogs/dialog.ts', true, false],
    ['dialogs/commands/status.ts', 'src/credentials/vault.ts', true, true],
    ['dialogs/commands/status.ts', 'src/credentials/vault.ts', false, false],
    ['dialogs/lookup/report.ts', 'dialogs/commands/status.ts', true, false],
    ['src/domain/tokens.ts', 'node:fs', false, false],
  ])('%s -> %s (type: %s): %s', (file, target, isType, allowed) => {
    expect(isAllowed({ file, target, isType })).toBe(allowed);
  });

  it('finds a circle', () => {
    const circle = [
      { file: 'src/http.ts', target: 'src/http/body.ts' },
      { file: 'src/http/body.ts', target: 'src/http.ts' },
    ];
    expect(findCircle(circle)).toEqual(['src/http.ts', 'src/http/body.ts', 'src/http.ts']);
  });

  it('reads dynamic imports and imports of types', () => {
    expect(imports).toContainEqual({ file: 'src/main.ts', target: 'src/app.ts', isType: false });
    expect(imports).toContainEqual({
      file: 'dialogs/dialog.ts',
      target: 'dialogs/format/message.ts',
      isType: true,
    });
  });
});
