import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Contender } from './contenders.ts';
import { openBenchStage } from './stage.ts';
import { checkTargets, summarize, toMarkdown } from './table.ts';

describe('the bench', () => {
  it('reports a wrong, missing or extra answer', async () => {
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

  it('compares medians with the floor and with the best peer', () => {
    const costs = {
      floor: 1,
      botbuilder: 9,
      'Agents SDK': 4,
      'nac-lookup-bot': 2,
      'nac-lookup-bot, 64 places': 2,
    };
    const round = (factor: number) =>
      new Map(
        Object.entries(costs).map(([name, cost]) => {
          const cpuMs = cost * factor;
          const figures = { cpuMs, lookupsPerSecond: 100 / cpuMs, p50Ms: 1, p99Ms: 2, rssMb: 3 };
          return [name as Contender, figures];
        }),
      );
    const rounds = [round(1), round(3), round(100)];
    const rows = summarize(rounds);
    const medians = {
      floor: 3,
      botbuilder: 27,
      'Agents SDK': 12,
      'nac-lookup-bot': 6,
      'nac-lookup-bot, 64 places': 6,
    };
    expect(rows.map(({ name, cpuMs }) => [name, cpuMs])).toEqual(Object.entries(medians));
    expect(rows.at(-1)).toMatchObject({ ofFloor: 2, ofBestPeer: 0.5 });
    expect(checkTargets(rounds).map((line) => line.slice(0, 6))).toEqual([
      ...Array(5).fill('met   '),
      'MISSED',
    ]);
    expect(toMarkdown(rows)).toContain('| nac-lookup-bot | 6.00 | 2.00 | 0.50 | 17 | 1 | 2 | 3 |');
  });

  it('counts functions, files, frames and lines', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['test/bench/main.ts', 'path', 'lines']);
    expect(stdout).toMatch(/^one lookup: \d+ to \d+ functions in \d+ to \d+ files\nframes .*: \d+\n/m);
    expect(stdout).toMatch(/^one alert: \d+ to \d+ functions in \d+ to \d+ files\n/m);
    expect(stdout).toMatch(/^test: \d+ lines .*\nharnesses .*: \d+\nfunctions over 40 lines/m);
  });
});
