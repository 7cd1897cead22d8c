import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openBenchStage } from './stage.ts';

it('the bench reports a wrong, missing or extra answer', async () => {
  const stage = await openBenchStage();
  onTestFinished(stage.close);
  const { serviceUrl, id }: { serviceUrl: string; id: string } = JSON.parse(stage.nextActivity());
  expect(stage.faults()).toEqual([]);
  const reply = (text: string) => {
    const body = JSON.stringify({ type: 'message', text });
    return fetch(`${serviceUrl}/v3/conversations/c/activities/${id}`, { method: 'POST', body });
  };
  await reply('Corp_000000, Basic_Authenticated_Access: posted');
  expect(stage.faults()).toEqual(['message 0: 0 calls, 0 posts, 1 answers']);
  await reply('Corp_000000: not posted');
  expect(stage.faults()).toHaveLength(2);
});

it('the bench counts functions, files, frames and lines', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/bench/main.ts', 'path', 'lines']);
  expect(stdout).toMatch(/^one lookup: \d+ to \d+ functions in \d+ to \d+ files\nframes .*: \d+\n/m);
  expect(stdout).toMatch(/^one alert: \d+ to \d+ functions in \d+ to \d+ files\n/m);
  expect(stdout).toMatch(/^test: \d+ lines .*\nharnesses .*: \d+\n/m);
});
