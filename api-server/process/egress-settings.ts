import { parseAllowRules } from '../../adapters/egress/allow-rules.ts';
import type { AllowRule } from '../../adapters/egress/port.ts';
import { selfTest } from '../../adapters/egress/self-test.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { EX_CONFIG, StartError, UsageError } from '../../adapters/process/start-error.ts';

/** Flags for connections to providers. */
export interface EgressFlags {
  readonly egressAllow: readonly string[];
  readonly egressStub: readonly string[];
  /** Files with a CA (PEM) each. */
  readonly egressCa: readonly string[];
}

/** Proves first that the dialer refuses forbidden addresses (security.md §3.6). @throws StartError it does not */
export async function checkEgress(env: Readonly<Record<string, string | undefined>>, clock: Clock): Promise<void> {
  const result = await selfTest({ env, clock });
  if (result.ok) return;
  throw new StartError(`egress-guard-ineffective: ${result.failures.join('; ')}`, EX_CONFIG);
}

/** @throws UsageError a flag is malformed */
export function allowRulesOf({ egressAllow, egressStub }: EgressFlags): readonly AllowRule[] {
  const parsed = parseAllowRules(egressAllow, egressStub);
  if (!parsed.ok) throw new UsageError(parsed.errors.join('\n'));
  return parsed.exceptions;
}
