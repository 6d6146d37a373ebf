// mocha drops unhandled rejections; a test that leaves one behind must fail.
process.on('unhandledRejection', (reason) => {
  throw reason;
});

/** More than the last hooks take, which stop what tests share. */
const LEFT_MS = 120_000;

/** mocha waits for ever for what a test has left running, and its summary with it: that is a failure, which says so. */
export const mochaHooks = {
  afterAll(): void {
    setTimeout(() => {
      const left = [...new Set(process.getActiveResourcesInfo())].join(', ');
      process.stderr.write(`A test has left something running that keeps mocha from its end: ${left}\n`);
      // After mocha's own, which counts failed tests alone.
      process.once('exit', () => {
        process.exitCode = Math.max(1, Number(process.exitCode ?? 0));
      });
      process.exit();
    }, LEFT_MS).unref();
  },
};
