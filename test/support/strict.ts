// mocha drops unhandled rejections; a test that leaves one behind must fail.
process.on('unhandledRejection', (reason) => {
  throw reason;
});

// Ends by `exit`, so that what a test has started is killed with its process.
process.once('SIGTERM', () => process.exit(143));
