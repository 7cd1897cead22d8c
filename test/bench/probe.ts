/** Loaded into a contender before its own code: tells on SIGUSR2, as a line on stderr, what it has used so far. */
process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(
    `${JSON.stringify({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 })}\n`,
  );
});
