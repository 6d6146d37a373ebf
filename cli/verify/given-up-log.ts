import { succeeds } from '../../core/merkle/log-origin.ts';
import { parseTlogProof } from '../../core/merkle/tlog-proof.ts';
import type { Subject } from '../../core/verify/verify.ts';

/**
 * What to do about a proof that is of an earlier log of the same platform. Its checkpoint counts no more: offline nothing
 * tells which of its entries the log that took its place still has.
 */
export function givenUpLog({ proof, document }: Subject): readonly string[] {
  const [origin = ''] = (parseTlogProof(proof ?? '')?.checkpoint ?? '').split('\n');
  if (!succeeds(document.log_origin, origin)) return [];
  return [
    `its proof is of the log ${origin}, which was given up for ${document.log_origin}`,
    'orb receipts get ID --bundle FILE fetches its proof by that one, if it was not lost with the other',
  ];
}
