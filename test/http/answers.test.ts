import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answer, callTo, unanswered } from '../serve.ts';

const MEGABYTE = 1024 * 1024;

describe('a packed answer', () => {
  const pack = {
    gzip: gzipSync,
    'x-gzip': gzipSync,
    GZIP: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
  };
  const cases = [200, 401, 500].flatMap((status) =>
    Object.keys(pack).map((encoding) => [encoding, status] as const),
  );

  it.each(cases)('in %s is unpacked with status %i', async (encoding, status) => {
    const packed = pack[encoding as keyof typeof pack]('Session data is not available — ✓');
    const outcome = await callTo((_, response) =>
      answer(response, status, { 'content-encoding': encoding }, packed),
    );
    expect(outcome).toMatchObject({ kind: 'answered', status, text: 'Session data is not available — ✓' });
  });

  it('without a body is an empty answer', async () => {
    const outcome = await callTo((_, response) => answer(response, 202, { 'content-encoding': 'gzip' }, ''));
    expect(outcome).toMatchObject({ kind: 'answered', status: 202, text: '' });
  });

  it.each(Object.keys(pack))('in %s that ends early is cut off', async (encoding) => {
    const packed = pack[encoding as keyof typeof pack]('<user_name>'.repeat(1000));
    const outcome = await callTo((_, response) =>
      answer(response, 200, { 'content-encoding': encoding }, packed.subarray(0, packed.length / 2)),
    );
    expect(outcome).toEqual(unanswered({ kind: 'cut off' }));
  });
});

describe('an answer over maxBytes', () => {
  const tooLarge = unanswered({ kind: 'too large', maxBytes: MEGABYTE });

  it('is taken when it is exactly as large', async () => {
    const outcome = await callTo((_, response) => answer(response, 200, {}, 'x'.repeat(MEGABYTE)));
    expect(outcome.kind === 'answered' && outcome.text.length).toBe(MEGABYTE);
  });

  it('by its declared length is too large', async () => {
    const body = 'x'.repeat(MEGABYTE + 1);
    expect(
      await callTo((_, response) => answer(response, 200, { 'content-length': body.length }, body)),
    ).toEqual(tooLarge);
  });

  it('in chunks without end is too large, and the connection is closed', async () => {
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

  it.each(['gzip', 'deflate', 'br'] as const)('after unpacking %s is too large', async (encoding) => {
    const pack = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding];
    const packed = pack(Buffer.alloc(MEGABYTE + 1));
    expect(packed.length).toBeLessThan(MEGABYTE / 100);
    expect(
      await callTo((_, response) => answer(response, 500, { 'content-encoding': encoding }, packed)),
    ).toEqual(tooLarge);
  });

  it('packed 1000 to 1 does not fill the memory', async () => {
    const gzip = createGzip({ level: 9 });
    const all = buffer(gzip);
    const zeros = Buffer.alloc(MEGABYTE);
    for (let count = 0; count < 300; count++) if (!gzip.write(zeros)) await once(gzip, 'drain');
    gzip.end();
    const packed = await all;
    const before = process.resourceUsage().maxRSS;
    expect(
      await callTo((_, response) => answer(response, 200, { 'content-encoding': 'gzip' }, packed)),
    ).toEqual(tooLarge);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024); // kilobytes
  });
});
