import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const MAX_LENGTH = 70;

const DIALECT =
  `told meant untold unheard news goesOn goOn endsWithin createOnce twin createReport VERDICT JudgedBefore WayOut
  shakeHands Reader readerOf wordsFor Table isPassing isOverheard isTold after present Join hear tell teller`.split(
    /\s+/,
  );
const DIALECT_FORMS = [/^MOST_/, /^kept[A-Z]/, /^say(?!Once$)[A-Z]/];
const DIALECT_WORDS =
  /\b(?:foreign|anew|beside|aside|dear(?:er|est)?|fare|deed|heed(?:s|ed)?|ailing|unheard|untold|told|twins?|whoever)\b/i;

const isPackage = (path: string) => path.includes('node_modules');
const FILES = globSync('{src,dialogs,manifest,test}/**/*.ts', { cwd: ROOT, exclude: isPackage });
const EXPORT = /^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
const TEST = /^\s*(?:(?:describe|it)(?:\.\w+)*(?:\(.*\)|<.*>)*|\]\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/gm;

/** Everything in these files that a pattern's last group names, as `file: name`. */
const namesIn = (files: readonly string[], pattern: RegExp) =>
  files.flatMap((file) => {
    const found = readFileSync(join(ROOT, file), 'utf8').matchAll(pattern);
    return [...found].map((each) => ({ file, name: `${each.at(-1)}` }));
  });
const isDialect = (name: string) => DIALECT.includes(name) || DIALECT_FORMS.some((form) => form.test(name));
const testNames = namesIn(FILES, TEST);

it('file names have no dialect', () => {
  const names = FILES.map((file) => basename(file).split('.', 1)[0] ?? '');
  expect(names.filter(isDialect)).toEqual([]);
});

it('exported names have no dialect', () => {
  const exported = namesIn(FILES, EXPORT);
  expect(exported.filter(({ name }) => isDialect(name))).toEqual([]);
});

it('test names have no dialect, and 70 characters at most', () => {
  expect(testNames.length).toBeGreaterThan(300);
  const isLong = (name: string) => name.length > MAX_LENGTH;
  expect(testNames.filter(({ name }) => DIALECT_WORDS.test(name) || isLong(name))).toEqual([]);
});

it("the bot's code has no dialect", () => {
  const bot = FILES.filter((file) => !file.startsWith('test'));
  const lines = namesIn(bot, /^.*$/gm).filter(({ name }) => DIALECT_WORDS.test(name));
  expect(lines).toEqual([]);
});

it.each(['CONTRIBUTING.md', 'SECURITY.md'])('paths in %s exist', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const found = text.matchAll(/`((?:src|dialogs|test|manifest|docs)\/[\w./-]+)`/g);
  const paths = [...found].map(([, path = '']) => path);
  const examples = /NAME|\/more\/$/;
  expect(paths.filter((path) => !examples.test(path) && !existsSync(join(ROOT, path)))).toEqual([]);
});
