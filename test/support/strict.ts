// mocha drops unhandled rejections; a test with an unhandled rejection must fail.
process.on('unhandledRejection', (reason) => {
  throw reason;
});

/** Longer than the last hooks take, which stop shared servers of tests. */
const LEFT_MS = 120_000;

/**
 * mocha never ends while something that a test started still runs, and prints no summary: this reports it as a failure.
 */
export const mochaHooks = {
  afterAll(): void {
    setTimeout(() => {
      const left = [...new Set(process.getActiveResourcesInfo())].join(', ');
      process.stderr.write(`A test has left something running that keeps mocha from its end: ${left}\n`);
      // After mocha's own handler, which counts only failed tests.
      process.once('exit', () => {
        process.exitCode = Math.max(1, Number(process.exitCode ?? 0));
      });
      process.exit();
    }, LEFT_MS).unref();
  },
};
