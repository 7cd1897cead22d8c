import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { openProcessStage } from '../stage.ts';

it('a bug that nobody caught ends the process with a line of the log, and without a secret', async () => {
  const bug = "void Promise.reject(new Error('failed with canary-secret'))";
  const hook = `data:text/javascript,process.once('SIGUSR2', () => { ${bug}; })`;
  const stage = await openProcessStage({
    NODE_OPTIONS: `--import="${hook.replaceAll('"', '\\"')}"`,
    NAC_PASSWORD: 'canary-secret',
  });
  onTestFinished(stage.close);
  const exited = once(stage.bot.child, 'close');
  stage.bot.child.kill('SIGUSR2');
  expect((await exited)[0]).toBe(1);
  const output = stage.log.join('\n');
  expect(output).toContain('"msg":"crashed"');
  expect(output).toContain('failed with [secret]');
  expect(output).not.toContain('canary');
});
