import type { Digest } from '../../core/json/digest.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import type { WrittenPolicy } from '../../core/policy/document/compile-document.ts';
import type { CompiledPolicy, Facts } from '../../core/policy/language/port.ts';
import type { FixedPolicy } from '../../core/policy/simulation/fixed-policy.ts';
import type { PolicyValidation } from '../../core/policy/simulation/validate-policy.ts';

/** A policy to check as if it were to take force. Plain data. */
export interface ValidateWork {
  readonly policy: WrittenPolicy;
  /** Units of the other policies that can meet the same runs. */
  readonly othersUnits: CompiledPolicy['costUnits'];
  /** ms since the epoch, for the ends of exceptions alone */
  readonly now: number;
}

/** What was found about it. Plain data. */
export interface ValidatedDraft extends Pick<PolicyValidation, 'valid' | 'budgetAfter' | 'tests' | 'findings'> {
  readonly digest: Digest;
  /** Undefined: it does not compile. */
  readonly compiled: Pick<CompiledPolicy, 'readsFacts' | 'costUnits'> | undefined;
}

/** Policies to compile, and to evaluate on facts. Plain data. */
export interface EvaluateWork {
  readonly policies: readonly WrittenPolicy[];
  /** Undefined: they are only compiled. */
  readonly facts: Facts | undefined;
  readonly isTraced: boolean;
  /** ms since the epoch, for the ends of exceptions alone */
  readonly now: number;
}

export type EvaluatedDraft =
  | { readonly ok: true; readonly policy: FixedPolicy }
  /** It does not compile; pointers into its document. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** The answer to work on drafts. */
export type DraftAnswer<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** It took too long, or too much memory. `detail` is for the person who sent it. */
  | { readonly kind: 'too-expensive'; readonly detail: string }
  /** So much work waits, of the same tenant or of all, that this was not taken. */
  | { readonly kind: 'busy'; readonly of: 'tenant' | 'all' }
  /** The process stops, or its thread failed; the same may be sent again. */
  | { readonly kind: 'unavailable' };

/** Compiles, tests and evaluates policies that are not in force. It never rejects. */
export interface Drafts {
  /** @param tenant whose work it is: tenants take turns */
  readonly validate: (work: ValidateWork, tenant: string) => Promise<DraftAnswer<ValidatedDraft>>;
  /** The answer has one entry for each policy, in their order. @param tenant whose work it is */
  readonly evaluate: (work: EvaluateWork, tenant: string) => Promise<DraftAnswer<readonly EvaluatedDraft[]>>;
}
