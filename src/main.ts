import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/**
 * Node keeps here what it makes of the source files (their types stripped, their code compiled), so that the next start takes
 * two thirds of the time. Who can write here could change the code as well; where the bot's own user cannot, nothing is
 * kept. `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` does without.
 */
const CACHE = new URL('../node_modules/.cache/nac-lookup-bot/', import.meta.url);

/**
 * How much garbage may gather on the heap before it is looked for, in percent of what is in use. V8's own measure, up to 300, suits
 * programs that have a machine for themselves: after 100,000 lookups the bot takes 450 MB with it and still grows, instead of
 * 370, for no work saved that could be measured.
 */
const HEAP_GROWTH = 20;

setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`); // Read anew at each collection.
enableCompileCache(fileURLToPath(CACHE)); // Tells a fault as its result, and never throws.
await import('./start.ts'); // A static import would be read before the cache is there.
