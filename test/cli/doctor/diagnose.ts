import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type ExamineOptions, examine } from '../../../src/cli/doctor/examine.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { renderFinding, renderSummary } from '../../../src/cli/doctor/table.ts';
import type { Environment } from '../../../src/settings/environment.ts';

/** What the doctor found, by system; and the table, in which no test's secret stands. */
export type Diagnosed = { rows: Readonly<Record<string, Finding>>; table: string };

/** Runs the doctor in this process. */
export async function diagnose(
  environment: Environment,
  options: Partial<ExamineOptions> = {},
): Promise<Diagnosed> {
  const findings: Finding[] = [];
  for await (const finding of examine(environment, { again: false, post: false, ...options }))
    findings.push(finding);
  const table = findings.map((each) => renderFinding(each, 1000)).join('') + renderSummary(findings);
  expect(table).not.toMatch(/canary/);
  return { rows: Object.fromEntries(findings.map((each) => [each.system, each])), table };
}

/** An empty folder for one test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
