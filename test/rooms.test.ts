import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { drawRooms, findCircle, isAllowed, readImports } from './rooms.ts';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const imports = readImports();

describe('the imports of the project', () => {
  it('stay in their room or point down', () => {
    const up = imports.filter((each) => !isAllowed(each)).map(({ file, target }) => `${file} -> ${target}`);
    expect(up).toEqual([]);
  });

  it('form no circle', () => {
    expect(findCircle(imports)?.join(' -> ')).toBeUndefined();
  });

  it('match the picture in CONTRIBUTING.md', () => {
    const text = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8');
    expect(/```mermaid\n(.*?)\n```/s.exec(text)?.[1]).toBe(drawRooms(imports));
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
  it('finds an arrow up, an arrow across, and a circle', () => {
    expect(isAllowed({ file: 'src/nac/lookup.ts', target: 'dialogs/dialog.ts' })).toBe(false);
    expect(isAllowed({ file: 'src/nac/lookup.ts', target: 'src/store/store.ts' })).toBe(false);
    expect(isAllowed({ file: 'dialogs/commands/status.ts', target: 'src/settings.ts' })).toBe(false);
    expect(isAllowed({ file: 'src/nac/lookup.ts', target: 'src/http.ts' })).toBe(true);
    const circle = [
      { file: 'src/http.ts', target: 'src/http/body.ts' },
      { file: 'src/http/body.ts', target: 'src/http.ts' },
    ];
    expect(findCircle(circle)).toEqual(['src/http.ts', 'src/http/body.ts', 'src/http.ts']);
  });

  it('reads dynamic imports and type imports', () => {
    expect(imports).toContainEqual({ file: 'src/main.ts', target: 'src/app.ts' });
    expect(imports).toContainEqual({ file: 'src/teams/on-message.ts', target: 'dialogs/dialog.ts' });
  });
});
