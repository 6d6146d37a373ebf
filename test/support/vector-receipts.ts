import type { StoredReceipt } from '../../adapters/ledger/port.ts';
import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import type { PublicJwk } from '../../core/receipt/keys-document.ts';
import { openKeys } from '../../core/verify/keys.ts';
import vectors from '../vectors/receipt.json' with { type: 'json' };

const rootJwk = (): PublicJwk => ({ crv: 'Ed25519', kty: 'OKP', x: vectors.keys.root.jwk.x });

type VectorCase = (typeof vectors.bundle_cases)[number];

const PROOF = /^c2sp\.org\/tlog-proof@v1\nindex (\d+)\n([^]*?)\n\n([^]*)$/;

/** The bundle case of the vectors with this name. */
export function vectorCase(name: string): VectorCase {
  const found = vectors.bundle_cases.find((item) => item.name === name);
  if (!found) throw new Error(`no bundle case ${name}`);
  return found;
}

/** A receipt of the vectors as in a ledger of tenant `acme`, with the proof that the log would return. */
export interface VectorReceipt {
  readonly stored: StoredReceipt;
  readonly ledger: {
    readonly identity: { readonly issuer: string; readonly logOrigin: string };
    readonly receipt: (tenant: string, receiptId: string) => Promise<StoredReceipt | undefined>;
    readonly swapReceipt: () => Promise<undefined>;
    readonly checkpointCovering: (
      index: number,
    ) => Promise<{ readonly size: number; readonly note: string } | undefined>;
    readonly inclusionProof: (index: number, size: number) => Promise<readonly Uint8Array[]>;
  };
}

interface Signed {
  readonly receipt_id: string;
  readonly issued_at: string;
  readonly orb: { readonly id: string };
}

const isSigned = (value: unknown): value is Signed =>
  typeof value === 'object' && value !== null && 'receipt_id' in value;

function signedOf(jws: string): Signed {
  const value: unknown = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8'));
  if (!isSigned(value)) throw new Error('no record');
  return value;
}

/** @param proof tlog-proof; null: no signed tree has the entry yet */
export function vectorReceipt(jws: string, proof: string | null): VectorReceipt {
  const record = signedOf(jws);
  const [, index, hashes = '', note = ''] = (proof === null ? null : PROOF.exec(proof)) ?? [];
  const stored: StoredReceipt = {
    receiptId: record.receipt_id,
    tenant: 'acme',
    orbId: record.orb.id,
    outcome: 'success',
    issuedAt: Date.parse(record.issued_at),
    jws,
    logIndex: index === undefined ? null : Number(index),
  };
  return {
    stored,
    ledger: {
      identity: { issuer: vectors.keys.document.issuer, logOrigin: vectors.log.origin },
      receipt: (tenant, id) =>
        Promise.resolve(tenant === stored.tenant && id === stored.receiptId ? stored : undefined),
      swapReceipt: () => Promise.resolve(undefined),
      checkpointCovering: (covered) =>
        Promise.resolve(covered === stored.logIndex ? { size: Number(note.split('\n')[1]), note } : undefined),
      inclusionProof: () => Promise.resolve(hashes.split('\n').map((hash) => Buffer.from(hash, 'base64'))),
    },
  };
}

const opened = await openKeys(
  vectors.keys.document_jws,
  { kid: vectors.keys.root.kid, jwk: rootJwk() },
  { sha256, ed25519Verify },
);
if (!opened.ok) throw new Error(opened.code);

/** The keys document of the vectors, verified with their root. */
export const vectorKeys = { keysJws: vectors.keys.document_jws, document: opened.document };
