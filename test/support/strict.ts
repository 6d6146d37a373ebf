// mocha drops unhandled rejections; a test that leaves one behind must fail.
process.on('unhandledRejection', (reason) => {
  throw reason;
});
