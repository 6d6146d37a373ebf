import { resolveSwapConfig } from '../failover/resolve-swap-config.ts';
import type { ResolvedSwapConfig } from '../failover/types.ts';
import type { Digest } from '../json/digest.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { isTooDeep, MAX_DEPTH } from '../json/too-deep.ts';
import type { Finding } from '../manifest/finding.ts';
import { explainFindings, findingLines } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { specOf } from '../reconcile/read-object.ts';
import { compileOrb } from './compile-orb.ts';
import type { CompiledOrb } from './compiled-orb.ts';
import { secretUsesOf, type SecretUse } from './lint-hosts.ts';

/** The facts about one generation's manifest that plans need. Kept small, as there may be 10 000 of them. */
export type JudgedManifest =
  | {
      readonly kind: 'valid';
      readonly digest: Digest;
      /** Warnings about a manifest that still runs; '' without warnings. */
      readonly warnings: string;
      /** The same, one line each. */
      readonly warningLines: readonly string[];
      /** Advice for each undefined name; '' when every name is defined. */
      readonly unresolved: string;
      /** Names that have an execution. */
      readonly providers: ReadonlySet<string>;
      /** Names that the manifest mentions, with or without execution. */
      readonly named: ReadonlySet<string>;
      /** Names that may be chosen without a pin, in order. */
      readonly order: readonly string[];
      /** Absent: only a pin moves this Orb. */
      readonly swap: ResolvedSwapConfig | undefined;
      /** Secrets that are sent to providers. */
      readonly secrets: readonly SecretUse[];
    }
  | {
      readonly kind: 'invalid';
      readonly reason: 'ManifestInvalid' | 'UnsafeInteger';
      /** Advice on what to change, and where. */
      readonly message: string;
      /** The same, one line for each fault. */
      readonly faultLines: readonly string[];
    };

const UNDEFINED = 'manifest-provider-undefined';

type Invalid = Extract<StoredManifest, { readonly kind: 'invalid' }>;

const invalid = (
  message: string,
  findings: readonly Finding[] = [],
  reason: Invalid['reason'] = 'ManifestInvalid',
  faultLines: readonly string[] = [message],
): Invalid => ({ kind: 'invalid', reason, message, faultLines, findings });

/** Every name of the manifest and of its `swap_config`. */
function namesOf(provider: string, definitions: object, swap: unknown): ReadonlySet<string> {
  const { primary, fallbacks } = isJsonObject(swap) ? swap : {};
  const others: readonly unknown[] = Array.isArray(fallbacks) ? fallbacks : [];
  const chosen = [primary, ...others].filter((name) => typeof name === 'string');
  return new Set([provider, ...Object.keys(definitions), ...chosen]);
}

/** The manifest of an Orb: its spec without the pin. The digest is computed over it. */
const withoutPin = (spec: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => name !== 'pin'));

/** A manifest inside an object, and its path there. */
interface Placed {
  readonly object: KubeObject;
  readonly value: unknown;
  readonly path: 'spec' | 'spec.manifest';
}

/** Integers that were rounded when decoded give a digest that differs from the file's (design.md §2). */
function roundedIntegers({ object, path }: Placed): readonly Finding[] {
  const base = `/${path.replace('.', '/')}`;
  return (object.unsafeIntegers ?? [])
    .filter((pointer) => pointer.startsWith(`${base}/`) && !pointer.startsWith('/spec/pin/'))
    .map((pointer) => ({
      code: 'number-unsafe',
      pointer: pointer.slice(base.length),
      detail: 'The integer is beyond ±(2^53−1); write it as a string.',
      severity: 'error',
    }));
}

const seen =
  (severity: Finding['severity']): ((finding: Finding) => boolean) =>
  (finding) =>
    finding.severity === severity;

/** A stored manifest that compiles, or the findings that prevent it. */
export type StoredManifest =
  | { readonly kind: 'compiled'; readonly orb: CompiledOrb }
  | (Extract<JudgedManifest, { readonly kind: 'invalid' }> & {
      /** Pointers are relative to the manifest; every severity is included. */
      readonly findings: readonly Finding[];
    });

function compile(placed: Placed, allowedOrigins: readonly string[]): StoredManifest {
  const { object, value, path } = placed;
  if (!isJsonObject(value)) return invalid(`${path}: Write a manifest: orb_id, provider, inputs, outputs, execution.`);
  if (isTooDeep(value)) return invalid(`${path}: The manifest has more than ${MAX_DEPTH} levels; make it flatter.`);
  const rounded = roundedIntegers(placed);
  if (rounded.length > 0)
    return invalid(explainFindings(rounded, path), rounded, 'UnsafeInteger', findingLines(rounded, path));
  const compiled = compileOrb(value, { namespace: object.metadata.namespace ?? '', allowedOrigins });
  if (!compiled.ok) {
    const errors = compiled.findings.filter(seen('error'));
    return invalid(explainFindings(errors, path), compiled.findings, 'ManifestInvalid', findingLines(errors, path));
  }
  return { kind: 'compiled', orb: compiled.value };
}

/** Reduces a compiled manifest to the facts that plans need. */
function judge(compiled: StoredManifest, path: Placed['path']): JudgedManifest {
  if (compiled.kind === 'invalid') {
    const { kind, reason, message, faultLines } = compiled;
    return { kind, reason, message, faultLines };
  }
  const { digest, manifest: checked, providers, order, findings } = compiled.orb;
  const warnings = findings.filter(seen('warning'));
  const unresolved = warnings.filter(({ code }) => code === UNDEFINED);
  return {
    kind: 'valid',
    digest,
    warnings: explainFindings(warnings, path),
    warningLines: findingLines(warnings, path),
    unresolved: explainFindings(unresolved, path),
    providers: new Set(providers.keys()),
    named: namesOf(checked.provider, checked.providers ?? {}, checked.swap_config),
    order,
    secrets: secretUsesOf(compiled.orb),
    swap: resolveSwapConfig(checked),
  };
}

const manifestOf = (orb: KubeObject): Placed => ({
  object: orb,
  value: isJsonObject(orb.spec) ? withoutPin(orb.spec) : orb.spec,
  path: 'spec',
});

/**
 * Compiles the stored manifest of an Orb, without its pin. It may have any shape (security.md S29). Operator and API
 * decide alike.
 * @param allowedOrigins as `judgeManifest`
 */
export const compileStored = (orb: KubeObject, allowedOrigins: readonly string[]): StoredManifest =>
  compile(manifestOf(orb), allowedOrigins);

/** The facts about an Orb's manifest that plans need. @param compiled of `compileStored` */
export const judgeCompiled = (compiled: StoredManifest): JudgedManifest => judge(compiled, 'spec');

/**
 * Checks and compiles the stored manifest of an Orb, which may have any shape (security.md S29).
 * @param allowedOrigins origins of `--egress-allow` and `--egress-stub`, exempt from the host lints
 */
export const judgeManifest = (orb: KubeObject, allowedOrigins: readonly string[]): JudgedManifest =>
  judgeCompiled(compileStored(orb, allowedOrigins));

/** Checks and compiles the manifest that an OrbPublication holds, as `judgeManifest` does. */
export function judgePublished(publication: KubeObject, allowedOrigins: readonly string[]): JudgedManifest {
  const value = specOf(publication)['manifest'];
  return judge(compile({ object: publication, value, path: 'spec.manifest' }, allowedOrigins), 'spec.manifest');
}
