import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/**
 * Node's compile cache (types stripped, code compiled): the next start takes two thirds of the time. Anyone who can write
 * here can change the code. If the bot's own user cannot write here, nothing is cached. `NODE_COMPILE_CACHE` names another
 * folder; `NODE_DISABLE_COMPILE_CACHE=1` turns the cache off.
 */
const CACHE = new URL('../node_modules/.cache/nac-lookup-bot/', import.meta.url);

/**
 * V8 looks for young garbage in 16 MB instead of 32: 40 MB less after 100,000 lookups, and no CPU more that was measurable.
 * With 8, a lookup takes a fifth more CPU.
 */
const YOUNG_GENERATION = '--max-semi-space-size=16';

/**
 * glibc asks the system for each block of 32 KB and more, and gives the block back when it is freed. V8's compilers work in
 * blocks of 32 KB. With 128 KB, 70 MB of freed memory stayed in the threads' heaps after 50,000 lookups.
 */
const GIVE_BACK = { MALLOC_MMAP_THRESHOLD_: '32768' };

/**
 * How much the heap may grow before V8 collects garbage, in percent of the memory in use. V8's default, up to 300, suits a
 * program that has the machine to itself. After 100,000 lookups the heap's old part takes 95 MB with 20, and 75 MB with 10.
 * No gain from more was measurable.
 */
const HEAP_GROWTH = 10;

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(CACHE);
if (process.platform === 'linux' && !('MALLOC_MMAP_THRESHOLD_' in process.env)) beginAgain();
// V8 reads these at each collection and compilation. Code that was cached under other flags is compiled anew.
setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
enableCompileCache(); // Returns an error as its result; never throws.
await import('./start.ts'); // A static import would load before the cache is on.

/**
 * Replaces this process, under the same id: glibc and V8 read some settings only when a program begins. Takes 40 ms. The
 * variable that is set tells the new process to go on; an operator can set it too.
 */
function beginAgain(): void {
  const { execPath, execArgv, argv, env } = process;
  process.execve?.(execPath, [execPath, YOUNG_GENERATION, ...execArgv, ...argv.slice(1)], {
    ...env,
    ...GIVE_BACK,
  });
}
