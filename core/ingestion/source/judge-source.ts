import type { OrbSignalSourceSpec } from '../../../crds/orbsignalsource.ts';
import { isJsonObject } from '../../json/json-value.ts';
import { checkDocument } from '../../manifest/documents.ts';
import type { Checked, Finding } from '../../manifest/finding.ts';
import { explainFindings, findingLines } from '../../reconcile/explain-findings.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import { compileSource, type CompiledSource } from './compile-source.ts';

/** A generation of a source that may receive, or what has to be written in another way. */
export type JudgedSource =
  | { readonly kind: 'accepted'; readonly source: CompiledSource; readonly findings: readonly Finding[] }
  | {
      readonly kind: 'refused';
      /** `MappingInvalid`: an expression does not compile, and everything else is right. */
      readonly reason: 'SpecInvalid' | 'MappingInvalid';
      /** What to change, at most about 1 KiB. */
      readonly message: string;
      /** The same, one line for each finding. */
      readonly lines: readonly string[];
      readonly findings: readonly Finding[];
    };

const error = (code: string, pointer: string, detail: string): Finding => ({
  severity: 'error',
  code,
  pointer,
  detail,
});

/** Checks the same schema as `kubectl apply`, for objects stored before the schema existed. */
function parsedSpec({ metadata, spec, unsafeIntegers = [] }: KubeObject): Checked<OrbSignalSourceSpec> {
  if (!isJsonObject(spec))
    return { ok: false, findings: [error('spec-missing', '/spec', 'Write type, and auth with its secretRefs.')] };
  const rounded = unsafeIntegers.filter((pointer) => pointer.startsWith('/spec/'));
  if (rounded.length > 0) {
    const detail = 'The integer is beyond ±(2^53−1); write a smaller one.';
    return { ok: false, findings: rounded.map((pointer) => error('number-unsafe', pointer, detail)) };
  }
  const { namespace = 'default', name } = metadata;
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata: { name, namespace } };
  const checked = checkDocument({ ...envelope, spec });
  if (!checked.ok) return checked;
  if (checked.value.kind !== 'OrbSignalSource') throw new TypeError('a source was taken for something else');
  return { ok: true, value: checked.value.spec, findings: checked.findings };
}

/** Where in its expression a finding is: one with several lines is hard to search without it. */
const placed = (finding: Finding): Finding => {
  const { line, column, detail } = finding;
  return line === undefined ? finding : { ...finding, detail: `line ${line}, column ${column ?? 1}: ${detail}` };
};

const isOfExpression = ({ line }: Finding): boolean => line !== undefined;

function refused(findings: readonly Finding[]): JudgedSource {
  const reason = findings.every(isOfExpression) ? 'MappingInvalid' : 'SpecInvalid';
  const shown = findings.map(placed);
  return { kind: 'refused', reason, message: explainFindings(shown, ''), lines: findingLines(shown, ''), findings };
}

/**
 * Judges one generation of a source: whether it may receive. The operator and the API decide by it. Pure; never throws.
 * @param platformNamespace the only namespace whose sources may say something about services
 */
export function judgeSource(source: KubeObject, platformNamespace: string): JudgedSource {
  const parsed = parsedSpec(source);
  if (!parsed.ok) return refused(parsed.findings);
  const compiled = compileSource(parsed.value, source.metadata.namespace === platformNamespace);
  return compiled.ok ? { kind: 'accepted', source: compiled.source, findings: [] } : refused(compiled.findings);
}
