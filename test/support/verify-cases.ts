import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Opening {
  readonly field: string;
  /** JSON text. */
  readonly value: string;
  /** base64url. */
  readonly salt: string;
}

/** One `bundle_cases` entry of test/vectors/receipt.json, in the form that the command line receives. */
export interface BundleCase {
  readonly id: string;
  readonly name: string;
  readonly bundle: string;
  readonly flags: readonly string[];
  readonly openings: readonly Opening[];
  /** Ms since epoch. */
  readonly now: number | undefined;
  readonly expected: { readonly verdict: string; readonly code: string; readonly exit: number };
}

interface RawCase {
  readonly id: string;
  readonly name: string;
  readonly input: {
    readonly bundle: Readonly<Record<string, unknown>>;
    readonly now?: string;
    readonly max_age_s?: number;
    readonly allow_unlogged?: boolean;
    readonly openings?: Readonly<Record<string, { readonly salt_hex: string; readonly value: unknown }>>;
  };
  readonly expected: BundleCase['expected'];
}

interface Vectors {
  readonly keys: { readonly root: { readonly jwk: unknown }; readonly document_jws: string };
  readonly jws_cases: readonly { readonly jws: string }[];
  readonly bundle_cases: readonly RawCase[];
}

const isVectors = (value: unknown): value is Vectors =>
  typeof value === 'object' && value !== null && 'bundle_cases' in value;

function load(): Vectors {
  const value: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/receipt.json'), 'utf8'));
  if (!isVectors(value)) throw new Error('test/vectors/receipt.json has no bundle_cases');
  return value;
}

const vectors = load();

function caseOf({ id, name, input, expected }: RawCase): BundleCase {
  const bundle = JSON.stringify({ keys_jws: vectors.keys.document_jws, ...input.bundle });
  const openings = Object.entries(input.openings ?? {}).map(([field, { salt_hex: salt, value }]) => ({
    field,
    value: JSON.stringify(value),
    salt: Buffer.from(salt, 'hex').toString('base64url'),
  }));
  const flags = [
    ...(input.max_age_s === undefined ? [] : ['--max-age', String(input.max_age_s)]),
    ...(input.allow_unlogged === true ? ['--allow-unlogged'] : []),
  ];
  return {
    id,
    name,
    bundle,
    flags,
    openings,
    now: input.now === undefined ? undefined : Date.parse(input.now),
    expected,
  };
}

/** Every verdict and exit of trust.md §3.2, from the test vectors. */
export const bundleCases: readonly BundleCase[] = vectors.bundle_cases.map(caseOf);
export const keysJws: string = vectors.keys.document_jws;
/** JSON text of the root's public key. */
export const rootJwk: string = JSON.stringify(vectors.keys.root.jwk);
/** A valid receipt. */
export const receiptJws: string = vectors.jws_cases[0]?.jws ?? '';
