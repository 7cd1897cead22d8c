import type { RunningBot } from '../../src/sandbox/sandbox.ts';
import { openProcessStage, type Stage as StageOf } from '../stage.ts';

export type Stage = StageOf<RunningBot>;
export { openProcessStage as openStage, untilOpen } from '../stage.ts';

/** A stage with a process of its own and an open database, so that the first message can become a job. */
export async function openReadyStage(...options: Parameters<typeof openProcessStage>): Promise<Stage> {
  const stage = await openProcessStage(...options);
  await stage.ready();
  return stage;
}
