import { expect, it } from 'vitest';
import { Slots } from '../../src/nac/calls.ts';

it('slots bound the calls in flight, and start all of them in the end', async () => {
  const slots = new Slots(3);
  let [running, most] = [0, 0];
  const call = async (index: number) => {
    await slots.request([`${index % 2}`])?.promise;
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    slots.release();
  };
  await Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));
  expect([most, running, slots.counts()]).toEqual([3, 0, { running: 0, waiting: 0 }]);
});

it.each([
  // People start in turn, and each in the order asked.
  ['alex 0, alex 1, alex 2, patti 0, megan 0', 'alex 0, patti 0, megan 0, alex 1, alex 2'],
  // Questions start before optional calls.
  ['patti optional, alex 0, alex 1, patti 0', 'alex 0, patti 0, alex 1, patti optional'],
  // A shared call starts in the best turn of its people, and costs the others no turn.
  ['alex 0, alex 1, alex shared, patti 1, megan 0', 'alex 0, alex shared, megan 0, alex 1, patti 1'],
])('of the calls %s these start in turn: %s', async (asked, started) => {
  const slots = new Slots(0);
  const order: string[] = [];
  const calls = asked.split(', ').map((name) => {
    const [person = '', kind = ''] = name.split(' ');
    const people = { optional: [], shared: [person, 'patti'] }[kind] ?? [person];
    const requested = slots.request(people);
    return requested?.promise.then(() => order.push(name)).then(() => slots.release());
  });
  slots.release();
  await Promise.all(calls);
  expect(order.join(', ')).toBe(started);
});

it('slots take no more than 5000 calls that wait', () => {
  const slots = new Slots(0);
  const requested = Array.from({ length: 5001 }, () => slots.request(['alex']));
  expect(requested.map((each) => each !== undefined)).toEqual([...Array(5000).fill(true), false]);
});
