import { errorCode } from '../../core/errors/error-code.ts';
import type { Root } from '../../core/verify/keys.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { rememberSequence } from '../trust/trust-store.ts';
import type { TrustAnchors, TrustedKeys } from './trusted-keys.ts';

/** A keys document that the trust store should know. */
export interface NewerKeys {
  readonly issuer: string;
  readonly root: Root;
  readonly sequence: number;
}

/** @returns undefined: it is not newer than what the trust store knows, or the root was only named for this time */
export function newerKeys(keys: TrustedKeys, believed: TrustAnchors): NewerKeys | undefined {
  if (keys.kind === 'refused' || believed.kind === 'root') return undefined;
  const { document, root } = keys;
  const { issuer, sequence } = document;
  return sequence > (believed.pins.get(issuer)?.sequence ?? 0) ? { issuer, root, sequence } : undefined;
}

/** Stores the sequence, so that an older keys document is refused from then on. */
export async function rememberKeys({ issuer, root, sequence }: NewerKeys, io: Io): Promise<void> {
  try {
    await rememberSequence(io, issuer, root, sequence);
  } catch (error) {
    // The verdict is valid without it; only a later rollback of the keys would not be noticed.
    io.err(`can't remember keys document ${sequence}: ${printable(errorCode(error) ?? String(error))}\n`);
  }
}
