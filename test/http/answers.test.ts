import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { answer, callTo, unanswered } from '../serve.ts';

const MEGABYTE = 1024 * 1024;

const callForPacked = (encoding: string, packed: Buffer | string, status = 200) =>
  callTo((_, response) => answer(response, status, { 'content-encoding': encoding }, packed));

const tooLarge = unanswered({ kind: 'too large' });

const text = 'Session data is not available — ✓';

it.each(['gzip', 'x-gzip', 'GZIP'])('an answer in %s is unpacked, cut off or too large', async (encoding) => {
  for (const status of [200, 401, 500])
    expect(await callForPacked(encoding, gzipSync(text), status)).toMatchObject({ status, text });
  const packed = gzipSync('<user_name>'.repeat(1000));
  const half = await callForPacked(encoding, packed.subarray(0, packed.length / 2));
  expect(half).toEqual(unanswered({ kind: 'cut off' }));
  const large = gzipSync(Buffer.alloc(MEGABYTE + 1));
  expect(large.length).toBeLessThan(MEGABYTE / 100);
  expect(await callForPacked(encoding, large, 500)).toEqual(tooLarge);
});

it('an answer in an unknown encoding is read as it stands', async () => {
  expect(await callForPacked('gzip, gzip', 'x')).toMatchObject({ kind: 'answered', text: 'x' });
  expect(await callForPacked('gzip', '', 202)).toMatchObject({ kind: 'answered', status: 202, text: '' });
});

it.each([
  ['text/plain; charset="latin1"', Buffer.from('gr\xfcn', 'latin1')],
  ['text/plain; charset=klingon', '\ufeffgrün'],
  ['text/plain', 'grün'],
])('an answer in %s is read in its charset, or else in UTF-8', async (type, body) => {
  const outcome = await callTo((_, response) => answer(response, 200, { 'content-type': type }, body));
  expect(outcome).toMatchObject({ text: 'grün' });
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
