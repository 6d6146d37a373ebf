#!/usr/bin/env node
// The same program as kubectl finds it: `kubectl orb …`.
process.env.ORB_CALLED_AS = 'kubectl';
await import('./orb.js');
