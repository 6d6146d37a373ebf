import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseExceptions } from '../../adapters/egress/exceptions.ts';
import type { EgressException } from '../../adapters/egress/port.ts';
import { selfTest } from '../../adapters/egress/self-test.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { EX_CONFIG, EX_USAGE, StartError } from './start-error.ts';

/** What the person who runs the platform says of the way out to providers. */
export interface EgressFlags {
  readonly egressAllow: readonly string[];
  readonly egressStub: readonly string[];
  /** Files with a CA (PEM) each. */
  readonly egressCa: readonly string[];
}

/** Proves before anything else that the dialer refuses what it must (security.md §3.6). @throws StartError it does not */
export async function checkEgress(env: Readonly<Record<string, string | undefined>>, clock: Clock): Promise<void> {
  const result = await selfTest({ env, clock });
  if (result.ok) return;
  throw new StartError(`egress-guard-ineffective: ${result.failures.join('; ')}`, EX_CONFIG);
}

/** @throws StartError a flag is malformed */
export function exceptionsOf({ egressAllow, egressStub }: EgressFlags): readonly EgressException[] {
  const parsed = parseExceptions(egressAllow, egressStub);
  if (!parsed.ok) throw new StartError(parsed.errors.join('\n'), EX_USAGE);
  return parsed.exceptions;
}

/** Only the first certificate is looked at: enough to tell a file of certificates from another. */
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
  throw new StartError(`--egress-ca ${path}: no PEM certificate of an authority is there`, EX_USAGE);
}

/** PEM texts of `--egress-ca`. @throws StartError a file holds none */
export const readAuthorities = ({ egressCa }: EgressFlags): Promise<readonly string[]> =>
  Promise.all(egressCa.map(readCa));
