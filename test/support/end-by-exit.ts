// Ends by `exit`, so that what a test has started is killed with its process. Not for unit tests: they send themselves
// signals.
process.once('SIGTERM', () => process.exit(143));
