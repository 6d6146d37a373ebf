import { openSync } from 'node:fs';
import { createDialer } from '../../adapters/egress/dialer.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { someLimits } from './egress.ts';

// A program: dials while this process can open no further file, and prints the failure as one line of JSON.
const origins = ['http://127.0.0.1:9', 'https://localhost:9', 'https://orbs-do-not-exist.example:9'];
const dialer = createDialer({
  exceptions: origins.map((origin) => ({ kind: 'allow', origin })),
  ca: [],
  clock: systemClock,
});

/** Opens files until there is no room for another one. */
function useUp(): void {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch {
    // EMFILE
  }
}

async function failureAt(origin: string): Promise<string> {
  const request = { method: 'GET', url: `${origin}/`, headers: [], body: null };
  const result = await dialer.dial(request, someLimits(), () => null, AbortSignal.timeout(10_000));
  return result.kind === 'failed' ? `${result.failure.kind} ${result.failure.code} sent=${result.sent}` : 'answered';
}

// The first dial loads what later ones need.
await failureAt('http://127.0.0.1:9');
useUp();
const failures: string[] = [];
for (const origin of origins) failures.push(await failureAt(origin));
process.stdout.write(`${JSON.stringify(failures)}\n`, () => process.exit(0));
