import { expect, it } from 'vitest';
import { z } from 'zod';
import { readJob } from '../../src/store/job-text.ts';

it.each([
  ['{"version":1,"key":"k","data":{"firstAt":7}}', { arrivedAt: 7 }],
  ['{"version":1,"key":"k","data":{"firstAt":8,"arrivedAt":7}}', { arrivedAt: 7 }],
  ['{"version":1,"key":"k","data":{}}', undefined],
  ['{"version":2,"key":"k","data":{"firstAt":7}}', undefined],
  ['{"version":3,"key":"k","data":{"arrivedAt":7}}', undefined, true],
  ['{"key":"k","data":{"firstAt":7}}', undefined],
])('a row of release 0.2.0 is read by its old name: %s', (text, data, isNewer = false) => {
  expect(readJob(text, z.object({ arrivedAt: z.number() }))).toMatchObject({ key: 'k', data, isNewer });
});
