import type { PolicyVersion } from '../../adapters/ledger/port.ts';
import { fileOf } from '../../core/files/file-object.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { checkDocument } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { compileDocumentSteps } from '../../core/policy/document/compile-document.ts';
import { definePolicy, type PolicyDefinition } from '../../core/policy/document/definition.ts';
import type { CompiledPolicy, PolicyEngine } from '../../core/policy/language/port.ts';
import type { Steps } from '../../core/steps/steps.ts';
import type { AcceptedPolicy } from '../../core/policy/status/judge-policy.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { generationOf } from '../../core/reconcile/read-object.ts';
import { specWriterOf } from '../../core/reconcile/spec-writer.ts';
import { specOfVersion } from './kept-versions.ts';

/** Who wrote an object, as far as it says. */
function writerOf(policy: KubeObject): string {
  const file = fileOf(policy);
  return file === undefined || file === '' ? (specWriterOf(policy) ?? '') : `file:${file}`;
}

/** The row of a generation that takes force. @param at ms since the epoch */
export function versionOf(policy: KubeObject, { definition, tests }: AcceptedPolicy, at: number): PolicyVersion {
  const { namespace, name, digest, spec } = definition;
  const passed = tests.results.filter((test) => test.passed).length;
  return {
    namespace,
    name,
    digest,
    generation: generationOf(policy),
    uid: policy.metadata.uid ?? '',
    at,
    by: writerOf(policy),
    mode: spec.mode,
    spec: JSON.stringify(isJsonObject(policy.spec) ? policy.spec : {}),
    tests: JSON.stringify({ passed, failed: tests.results.length - passed }),
  };
}

/** A version from the ledger, compiled by this program. */
export type RestoredVersion =
  | { readonly ok: true; readonly definition: PolicyDefinition; readonly compiled: CompiledPolicy }
  | {
      readonly ok: false;
      /** Undefined when the spec can't be read. */
      readonly definition: PolicyDefinition | undefined;
      readonly findings: readonly Finding[];
    };

/**
 * Compiles a version that was in force, in pieces of a few milliseconds. Its tests are not run again: they passed when it took force.
 * @param now ms since the epoch
 */
export function* restoreVersion(version: PolicyVersion, now: number, engine: PolicyEngine): Steps<RestoredVersion> {
  const { namespace, name, at } = version;
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata: { name, namespace } };
  const checked = checkDocument({ ...envelope, spec: specOfVersion(version) });
  if (!checked.ok) return { ok: false, definition: undefined, findings: checked.findings };
  if (checked.value.kind !== 'OrbPolicy') throw new TypeError('a policy was taken for something else');
  const { spec } = checked.value;
  // A clock that was set back makes the ends of exceptions look farther than they were.
  const document = yield* compileDocumentSteps({ namespace, name, spec }, Math.max(now, at), engine);
  const { findings } = document;
  return document.ok
    ? { ok: true, definition: document.definition, compiled: document.compiled }
    : { ok: false, definition: definePolicy(namespace, name, spec), findings };
}
