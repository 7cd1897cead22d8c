import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Session } from 'node:inspector/promises';

const ROOT = new URL('../../', import.meta.url);
/** The bot's own code, without the sandbox, whose parts may run in this process. */
const IS_BOT = /^(?:src\/(?!sandbox\/)|dialogs\/)/;

export type CalledFunction = { file: string; offset: number; name: string };

/** Starts V8's precise coverage of this process. */
export async function startCoverage() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    /** Returns the bot's functions that were called since the last take, without the modules' own code. */
    async take(): Promise<CalledFunction[]> {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result.flatMap(({ url, functions }) => {
        const file = url.replace(ROOT.href, '');
        const called = functions.map(({ functionName: name, ranges: [range] }) => ({ name, ...range }));
        return called.flatMap(({ name, startOffset: offset = 0, count = 0 }) => {
          const isModule = name === '' && offset === 0;
          return IS_BOT.test(file) && count > 0 && !isModule ? [{ file, offset, name }] : [];
        });
      });
    },
    end: () => session.disconnect(),
  };
}

/** Both HTTP clients publish here while the caller is still on the stack, also if they reuse a connection. */
const CHANNELS = ['undici:request:create', 'http.client.request.created'];

/** Records the stack at each request whose path has this part. Resumed callers count: V8 lists them as `async`. */
export function recordStacks(pathPart: string) {
  const stacks: string[] = [];
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 500;
  const onRequest = (message: unknown) => {
    const { request } = message as { request: { path: string } };
    if (request.path.includes(pathPart)) stacks.push(new Error().stack ?? '');
  };
  for (const channel of CHANNELS) subscribe(channel, onRequest);
  return {
    /** Returns the bot's frames of the last stack, from the socket to the outermost one of `file`; all if it has none. */
    framesFrom(file: string): { frames: string[]; isWhole: boolean } {
      const lines = stacks.at(-1)?.split('\n') ?? [];
      const own = lines.map((line) => line.replace(ROOT.href, '').replace(/^ +at /, ''));
      const frames = own.filter((line) => /(?:^|[ (])(?:src|dialogs)\//.test(line));
      const last = frames.findLastIndex((frame) => frame.includes(file));
      return { frames: last < 0 ? frames : frames.slice(0, last + 1), isWhole: last >= 0 };
    },
    end() {
      Error.stackTraceLimit = limit;
      for (const channel of CHANNELS) unsubscribe(channel, onRequest);
    },
  };
}
