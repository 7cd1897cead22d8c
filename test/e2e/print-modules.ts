import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** Loaded into a process before its own code: prints each module that it reads, in order with its log. */
registerHooks({
  load(url, context, nextLoad) {
    writeSync(1, `module ${url}\n`);
    return nextLoad(url, context);
  },
});
