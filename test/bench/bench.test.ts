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
    const names: Contender[] = [
      'floor',
      'botbuilder',
      'Agents SDK',
      'nac-lookup-bot',
      'nac-lookup-bot, 64 places',
    ];
    const figures = (cpuMs: number) => ({
      cpuMs,
      lookupsPerSecond: 100 / cpuMs,
      p50Ms: 1,
      p99Ms: 2,
      rssMb: 3,
    });
    const round = (...costs: number[]) => new Map(names.map((name, at) => [name, figures(costs[at] ?? 0)]));
    const rounds = [round(1, 9, 4, 2, 2), round(3, 27, 12, 6, 6), round(100, 900, 400, 200, 200)];
    const rows = summarize(rounds);
    expect(rows.map(({ name }) => name)).toEqual(names);
    expect(rows.map(({ cpuMs }) => cpuMs)).toEqual([3, 27, 12, 6, 6]);
    expect(rows.at(-1)).toMatchObject({ ofFloor: 2, ofBestPeer: 0.5 });
    const targets = checkTargets(rounds).map((line) => line.slice(0, 6));
    expect(targets).toEqual([...Array(5).fill('met   '), 'MISSED']);
    expect(toMarkdown(rows)).toContain('| nac-lookup-bot | 6.00 | 2.00 | 0.50 | 17 | 1 | 2 | 3 |');
  });

  it('counts functions, files, frames and lines', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['test/bench/main.ts', 'path', 'lines']);
    expect(stdout).toMatch(/^one lookup: \d+ to \d+ functions in \d+ to \d+ files\nframes .*: \d+\n/m);
    expect(stdout).toMatch(/^one alert: \d+ to \d+ functions in \d+ to \d+ files\n/m);
    expect(stdout).toMatch(/^test: \d+ lines .*\nharnesses .*: \d+\nfunctions over 40 lines/m);
  });
});
