// Ends by `exit`, so that processes that a test has started are killed with it. Not for unit tests: they send signals
// to themselves.
process.once('SIGTERM', () => process.exit(143));
