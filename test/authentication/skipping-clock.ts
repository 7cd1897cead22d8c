/** Loaded into a bot before its own code: each of these signals advances the bot's clock by so much (milliseconds). */
const SKIPS = { SIGUSR2: 31_000, SIGHUP: 3_600_000 } as const;

const now = Date.now;
let ahead = 0;
Date.now = () => now() + ahead;
for (const [signal, ms] of Object.entries(SKIPS)) {
  process.on(signal, () => {
    ahead += ms;
    process.stdout.write('the clock went ahead\n');
  });
}
