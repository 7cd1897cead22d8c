import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createContent, repeat } from '../../src/store/workers.ts';

function start(everyMs: number, task: () => Promise<void>) {
  const reported: unknown[] = [];
  const stopping = new AbortController();
  const onError = (error: unknown) => reported.push(error);
  const ended = repeat(everyMs, task, { onError, signal: stopping.signal });
  return { reported, ended, stop: () => stopping.abort() };
}

it('a repeated task runs at once and after each pause, despite failures', async () => {
  const task = vi.fn(async () => {}).mockRejectedValueOnce(new Error('away'));
  const rare = vi.fn(async () => {});
  const all = [start(1, task), start(3_600_000, rare)];
  await vi.waitFor(() => expect(task.mock.calls.length).toBeGreaterThan(3));
  for (const { stop } of all) stop();
  await Promise.all(all.map(({ ended }) => ended));
  expect(all.map(({ reported }) => reported)).toEqual([[new Error('away')], []]);
  expect(rare).toHaveBeenCalledTimes(1);
});

it('a stopped task finishes its run, reports no failure, and ends', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  const task = vi.fn(() => promise);
  const { reported, stop, ended } = start(1, task);
  stop();
  expect(await Promise.race([ended.then(() => 'ended'), delay(50, 'runs')])).toBe('runs');
  reject(new Error('closed'));
  await ended;
  expect([reported, task.mock.calls.length]).toEqual([[], 1]);
});

it.each([
  ['{"version":1,"key":"k","data":{"firstAt":7}}', 'readable', { arrivedAt: 7 }],
  ['{"version":1,"key":"k","data":{"firstAt":8,"arrivedAt":7}}', 'readable', { arrivedAt: 7 }],
  ['{"version":1,"key":"k","data":{}}', 'damaged', {}],
  ['{"version":2,"key":"k","data":{"firstAt":7}}', 'damaged', { firstAt: 7 }],
  ['{"version":3,"key":"k","data":{"arrivedAt":7}}', 'newer', { arrivedAt: 7 }],
  ['{"key":"k","data":{"firstAt":7}}', 'damaged', { firstAt: 7 }],
])('a row of release 0.2.0 is read by its old name: %s', (text, row, data) => {
  const { read } = createContent(z.object({ arrivedAt: z.number() }));
  expect(read(text)).toMatchObject({ row, key: 'k', data });
});
