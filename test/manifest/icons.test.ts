import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Picture, readPng } from './png.ts';

test('the colour icon has 192 x 192 opaque pixels, with the accent colour in its corners', async () => {
  const icon = await read('color.png');
  const { accentColor } = JSON.parse(await readFile(part('manifest.json'), 'utf8'));

  expect([icon.width, icon.height]).toEqual([192, 192]);
  expect(pixels(icon).every(({ alpha }) => alpha === 255)).toBe(true);
  const corners = [0, 191, 191 * 192, 192 * 192 - 1].map((at) => pixels(icon)[at]?.colour);
  expect(new Set(corners)).toEqual(new Set([accentColor.toLowerCase()]));
});

test('the drawing of the colour icon stays within the 120 x 120 pixels that no mask cuts off', async () => {
  const icon = await read('color.png');
  const background = pixels(icon)[0]?.colour;
  const drawn = pixels(icon).flatMap(({ colour }, at) =>
    colour === background ? [] : [at % 192, Math.floor(at / 192)],
  );
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(36);
  expect(Math.max(...drawn)).toBeLessThan(156);
});

test('the outline icon has 32 x 32 pixels, only white and transparent ones, and some of each', async () => {
  const icon = await read('outline.png');
  const seen = pixels(icon).filter(({ alpha }) => alpha > 0);

  expect([icon.width, icon.height]).toEqual([32, 32]);
  expect(new Set(seen.map(({ colour }) => colour))).toEqual(new Set(['#ffffff']));
  expect(seen.filter(({ alpha }) => alpha === 255).length).toBeGreaterThan(100);
  expect(pixels(icon).length - seen.length).toBeGreaterThan(400);
});

test('the outline icon fills its square, as the guidelines ask', async () => {
  const drawn = pixels(await read('outline.png')).flatMap(({ alpha }, at) => (alpha > 0 ? [at] : []));
  const [columns, rows] = [drawn.map((at) => at % 32), drawn.map((at) => Math.floor(at / 32))];
  expect([Math.min(...columns), Math.max(...columns)]).toEqual([0, 31]);
  expect([Math.min(...rows), Math.max(...rows)]).toEqual([0, 31]);
});

function part(name: string): URL {
  return new URL(`../../manifest/${name}`, import.meta.url);
}

async function read(name: string): Promise<Picture> {
  return readPng(await readFile(part(name)));
}

function pixels({ rgba }: Picture): { colour: string; alpha: number }[] {
  return Array.from({ length: rgba.length / 4 }, (_, at) => ({
    colour: `#${Buffer.from(rgba.subarray(at * 4, at * 4 + 3)).toString('hex')}`,
    alpha: rgba[at * 4 + 3] ?? 0,
  }));
}
