import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

describe('a bug that nobody caught', () => {
  it.each([
    ['thrown', "setImmediate(() => { throw new Error('failed with canary-secret') })"],
    ['rejected', "Promise.reject(new Error('failed with canary-secret'))"],
  ])('ends the process with a line of the log, and without a secret: %s', async (_, bug) => {
    const script = `
      import { endWithTheLog } from '${SOURCE}ops/log.ts';
      import { createLog } from '${SOURCE}ops/log.ts';
      import { Secret } from '${SOURCE}text/secret.ts';
      endWithTheLog(createLog({ level: 'info', secrets: [new Secret('canary-secret')] }));
      ${bug};`;
    const { code, output } = await run(['--input-type=module-typescript', '--eval', script]);
    expect(code).toBe(1);
    expect(output).toContain('"msg":"crashed"');
    expect(output).toContain('failed with [secret]');
    expect(output).not.toContain('canary');
  });
});

function run(args: readonly string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error?.code, output: stdout + stderr });
    });
  });
}
