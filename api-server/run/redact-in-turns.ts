import type { DialResult } from '../../adapters/egress/port.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { Redacted } from '../../core/redaction/redact-json.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AttemptCall } from './attempt.ts';
import { shareOf } from './plan.ts';

/** A smaller answer takes at most some ms: with several encodings in each text, 2 µs a byte. */
const SMALL_BYTES = 4096;
/** Longest time in which one tenant's answer is redacted at once, ms. */
const SLICE_MS = 1;

const nothing = (): Promise<void> => Promise.resolve();

/**
 * Redacts the outputs of an answer in slices. Between two slices, other tenants have their turn.
 * @returns undefined: there are no outputs, or the answer is small
 */
export async function redactInTurns(
  { turns, clock }: Runtime,
  { plan }: AttemptCall,
  result: DialResult,
  outputs: JsonObject | null,
): Promise<Redacted | undefined> {
  if (outputs === null || result.kind !== 'answered' || result.body.length <= SMALL_BYTES) return undefined;
  const share = shareOf(plan);
  const steps = plan.orbiset.redactor.jsonSteps(outputs);
  let began = clock.monotonic();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (clock.monotonic() - began < SLICE_MS) continue;
    await turns.run(share, nothing);
    began = clock.monotonic();
  }
}
