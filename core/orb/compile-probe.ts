import type { Execution, ProbeExpect } from '../../crds/manifest.ts';
import { allowsProbe, isOwnRequest, isSafeMethod } from '../failover/resolve-swap-config.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonValue } from '../json/json-value.ts';
import { parsePointer } from '../json/pointer.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import { compileRequest, type ExecutionTemplate } from '../template/compile-request.ts';
import type { InputShape } from '../template/scope.ts';
import type { CompiledProbe, CompiledProvider, ProbeExpectation } from './compiled-orb.ts';

const OWN_MEMBERS = ['method', 'url', 'headers', 'body_template'] as const;

/** A GET does not inherit the body of a POST, because a probe has no way to write "no body". */
function templateOf({ probe = {}, ...execution }: Execution): ExecutionTemplate {
  const { body_template: body, ...others } = execution;
  const isBare = probe.method !== undefined && isSafeMethod(probe.method);
  const { expect: _, ...own } = probe;
  return { ...others, ...(isBare || body === undefined ? {} : { body_template: body }), ...own };
}

/**
 * Findings of inherited members were already reported for the execution. An error in the two together is reported here.
 */
function ownFindings({ probe = {} }: Execution, pointer: string, findings: readonly Finding[]): readonly Finding[] {
  return findings.flatMap((finding): readonly Finding[] => {
    const member = OWN_MEMBERS.find((name) => finding.pointer.startsWith(`${pointer}/${name}`));
    if (member !== undefined && probe[member] !== undefined) return [finding];
    return finding.severity === 'error' ? [{ ...finding, pointer }] : [];
  });
}

const expectationOf = ({ status, pointer, equals }: ProbeExpect = {}): ProbeExpectation => ({
  statuses: status === undefined ? undefined : new Set(status),
  pointer: pointer === undefined && equals === undefined ? undefined : parsePointer(pointer ?? ''),
  equals: isJson(equals) ? jcs(equals) : undefined,
});

const isJson = (value: unknown): value is JsonValue =>
  value !== undefined && (value === null || ['string', 'number', 'boolean', 'object'].includes(typeof value));

/** A probe without its own request would repeat the run's, which may have an effect. So its `expect` is never read. */
function unreadProbe({ probe }: Execution, pointer: string): readonly Finding[] {
  if (probe === undefined) return [];
  const detail =
    'This probe is never sent: the request of the execution may have an effect. Give the probe a method or url of its own, or remove it.';
  return [{ code: 'manifest-probe-unread', pointer: `${pointer}/probe`, detail, severity: 'warning' }];
}

/** Members that a probe inherits from its provider. */
type Own = Pick<CompiledProvider, 'request' | 'outputs'>;

/**
 * The probe of a provider (failover.md §7). A member that `execution.probe` lacks is inherited from the execution.
 * @param pointer where the execution stands in the manifest
 * @returns undefined when the provider can't be probed, because its own request may have an effect
 */
export function compileProbe(
  execution: Execution,
  own: Own,
  inputs: Readonly<Record<string, InputShape>>,
  pointer: string,
): Checked<CompiledProbe | undefined> {
  if (!allowsProbe(execution)) return { ok: true, value: undefined, findings: unreadProbe(execution, pointer) };
  const expect = expectationOf(execution.probe?.expect);
  if (isOwnRequest(execution)) return { ok: true, value: { ...own, expect }, findings: [] };
  const place = `${pointer}/probe`;
  const request = compileRequest(templateOf(execution), inputs, place);
  const findings = ownFindings(execution, place, request.findings);
  return request.ok
    ? { ok: true, value: { request: request.value, outputs: [], expect }, findings }
    : { ok: false, findings };
}
