import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
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

/** Only the first certificate is read: enough to recognise a file of CA certificates. */
function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

async function readCa(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch(() => undefined);
  if (pem !== undefined && isAuthority(pem)) return pem;
  throw new UsageError(`--egress-ca ${path}: no PEM certificate of an authority is there`);
}

/** PEM texts of `--egress-ca`. @throws UsageError a file holds no CA certificate */
export const readAuthorities = ({ egressCa }: EgressFlags): Promise<readonly string[]> =>
  Promise.all(egressCa.map(readCa));
