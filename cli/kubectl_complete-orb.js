#!/usr/bin/env node
// What kubectl calls to complete `kubectl orb …`: a candidate a line, then `:` and what else to offer.
process.env.ORB_CALLED_AS = 'kubectl';
process.argv.splice(2, 0, '__complete');
await import('./orb.js');
