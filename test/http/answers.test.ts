import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { answer, callTo, unanswered } from '../serve.ts';

const MEGABYTE = 1024 * 1024;

const PACKERS = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
] as const;

const callForPacked = (encoding: string, packed: Buffer | string, status = 200) =>
  callTo((_, response) => answer(response, status, { 'content-encoding': encoding }, packed));

const tooLarge = unanswered({ kind: 'too large' });

const text = 'Session data is not available — ✓';

it.each(PACKERS)('an answer in %s is unpacked, cut off or too large', async (encoding, pack) => {
  for (const status of [200, 401, 500])
    expect(await callForPacked(encoding, pack(text), status)).toMatchObject({ status, text });
  const packed = pack('<user_name>'.repeat(1000));
  const half = await callForPacked(encoding, packed.subarray(0, packed.length / 2));
  expect(half).toEqual(unanswered({ kind: 'cut off' }));
  const large = pack(Buffer.alloc(MEGABYTE + 1));
  expect(large.length).toBeLessThan(MEGABYTE / 100);
  expect(await callForPacked(encoding, large, 500)).toEqual(tooLarge);
});

it('an answer in an unknown encoding is read as it stands', async () => {
  expect(await callForPacked('gzip, gzip', 'x')).toMatchObject({ kind: 'answered', text: 'x' });
  expect(await callForPacked('gzip', '', 202)).toMatchObject({ kind: 'answered', status: 202, text: '' });
});

const XML = '<?xml version="1.0" encoding="ISO-8859-1"?><a>gr\xfcn</a>';

it.each([
  ['text/plain; charset="latin1"', Buffer.from('gr\xfcn', 'latin1')],
  ['text/plain; charset=klingon', '\ufeffgrün'],
  ['text/plain', 'grün'],
  ['application/xml', Buffer.from(XML, 'latin1'), XML], // As its declaration says.
  ['application/xml;charset=UTF-8', XML, XML],
])('an answer in %s is read in its charset, or else in UTF-8', async (type, body, text = 'grün') => {
  const outcome = await callTo((_, response) => answer(response, 200, { 'content-type': type }, body));
  expect(outcome).toMatchObject({ text });
});

it('an answer of 1 MB is taken, and not a byte more', async () => {
  const callFor = (length: number) =>
    callTo((_, response) => answer(response, 200, { 'content-length': length }, 'x'.repeat(length)));
  expect(await callFor(MEGABYTE + 1)).toEqual(tooLarge);
  expect(await callFor(MEGABYTE)).toMatchObject({ text: 'x'.repeat(MEGABYTE) });
});

it('an answer in chunks without end is too large, and is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const outcome = await callTo((_, response) => {
    response.on('close', closed.resolve);
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', pour);
    pour();
  });
  expect(outcome).toEqual(tooLarge);
  await closed.promise;
});

it('an answer that is packed 1000 to 1 does not fill the memory', async () => {
  const gzip = createGzip({ level: 9 });
  const all = buffer(gzip);
  const zeros = Buffer.alloc(MEGABYTE);
  for (let count = 0; count < 300; count++) if (!gzip.write(zeros)) await once(gzip, 'drain');
  gzip.end();
  const packed = await all;
  const before = process.resourceUsage().maxRSS;
  expect(await callForPacked('gzip', packed)).toEqual(tooLarge);
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024); // kilobytes
});
