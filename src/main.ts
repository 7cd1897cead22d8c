import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Node keeps here what it makes of the source files (their types stripped, their code compiled), so that the next start takes
 * two thirds of the time. Who can write here could change the code as well; where the bot's own user cannot, nothing is
 * kept. `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` does without.
 */
const CACHE = new URL('../node_modules/.cache/nac-lookup-bot/', import.meta.url);

enableCompileCache(fileURLToPath(CACHE)); // Tells a fault as its result, and never throws.
await import('./start.ts'); // A static import would be read before the cache is there.
