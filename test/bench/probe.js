/** Loaded into a contender before its own code. On SIGUSR2, writes the usage so far as a line on stderr. */
process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  const usage = { cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 };
  process.stderr.write(`${JSON.stringify(usage)}\n`);
});
