import { expect, it, vi } from 'vitest';
import { createDigest } from '../../../dialogs/alerts/storms.ts';
import type { Message } from '../../../dialogs/render/message.ts';
import { TIMING } from '../../../src/domain/timing.ts';
import { PLACE } from '../outcomes.ts';

/** A thread that had ten messages just now, with a chat service that the test holds up. */
function startStorm() {
  let now = 1000;
  const sent: string[] = [];
  let wire = Promise.resolve();
  const reply = async (_: unknown, { text }: Message, replacedId?: string) => {
    const id = replacedId ?? `digest ${sent.length}`;
    sent.push(`${id}: ${text.split('\n', 1)[0]}`);
    await wire;
    return { id };
  };
  const clock = { now: () => now, steady: () => now };
  const chat = { reply, edit: async () => false };
  const show = createDigest({ chat, clock, timing: { ...TIMING, alertFirstMs: 10 } });
  const fire = (...keys: string[]) =>
    Promise.all(keys.map((key) => show(PLACE, key, `Alert firing: ${key}`)));
  void fire(...Array.from({ length: 10 }, (_, index) => `calm ${index}`));
  const holdUp = () => {
    const held = Promise.withResolvers<void>();
    wire = held.promise;
    return held.resolve;
  };
  const skip = (ms: number) => {
    now += ms;
  };
  return { sent, fire, holdUp, skip };
}

it('a digest is one message, however slowly it is sent', async () => {
  const { sent, fire, holdUp } = startStorm();
  const goOn = holdUp();
  const first = fire('a', 'b');
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  const second = fire('c');
  goOn();
  await Promise.all([first, second]);
  expect(sent).toEqual(['digest 0: 2 more alerts', 'digest 0: 3 more alerts']);
});

it('a storm of ten minutes later has a digest of its own', async () => {
  const { sent, fire, skip } = startStorm();
  await fire('a', 'b');
  skip(20_000);
  await fire('c');
  skip(590_000);
  void fire(...Array.from({ length: 10 }, (_, index) => `later ${index}`));
  await fire('d');
  expect(sent.at(-1)).toMatch(/^digest 2: 1 more alert$/);
});
