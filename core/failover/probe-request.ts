import type { Execution, ProbeExpect } from '../../crds/manifest.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonValue } from '../json/json-value.ts';
import { lookup, parsePointer } from '../json/pointer.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import type { CompiledOutput, CompiledProbe, CompiledProvider, ProbeExpectation } from '../orb/compiled-orb.ts';
import type { AttemptOutcome } from '../receipt/record.ts';
import { attemptOutcome } from '../run/classify.ts';
import { extractOutputs } from '../run/outputs.ts';
import { readBody, type ReadBody } from '../run/response-body.ts';
import { compileRequest, type ExecutionTemplate } from '../template/compile-request.ts';
import type { InputShape } from '../template/scope.ts';
import { allowsProbe, isOwnRequest, isSafeMethod } from './resolve-swap-config.ts';

const OWN_MEMBERS = ['method', 'url', 'headers', 'body_template'] as const;

/** A GET takes no body over from a POST: there is no way to write "none". */
function templateOf({ probe = {}, ...execution }: Execution): ExecutionTemplate {
  const { body_template: body, ...others } = execution;
  const isBare = probe.method !== undefined && isSafeMethod(probe.method);
  const { expect: _, ...own } = probe;
  return { ...others, ...(isBare || body === undefined ? {} : { body_template: body }), ...own };
}

/** Findings about what the probe takes over were told of the execution; an error there is one of the two together. */
function toldOf({ probe = {} }: Execution, pointer: string, findings: readonly Finding[]): readonly Finding[] {
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

/** What probes take over from the provider that they are about. */
type Own = Pick<CompiledProvider, 'request' | 'outputs'>;

/**
 * The probe of a provider (failover.md §7): each member of `execution.probe` that is absent is that of the execution.
 * @param pointer where the execution stands in the manifest
 * @returns undefined: it can't be probed, as its own request may have an effect
 */
export function compileProbe(
  execution: Execution,
  own: Own,
  inputs: Readonly<Record<string, InputShape>>,
  pointer: string,
): Checked<CompiledProbe | undefined> {
  if (!allowsProbe(execution)) return { ok: true, value: undefined, findings: [] };
  const expect = expectationOf(execution.probe?.expect);
  if (isOwnRequest(execution)) return { ok: true, value: { ...own, expect }, findings: [] };
  const place = `${pointer}/probe`;
  const request = compileRequest(templateOf(execution), inputs, place);
  const findings = toldOf(execution, place, request.findings);
  return request.ok
    ? { ok: true, value: { request: request.value, outputs: [], expect }, findings }
    : { ok: false, findings };
}

/** An answer to a probe, with names of headers in lower case. */
export interface ProbeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

function standsThere({ pointer, equals }: ProbeExpectation, read: ReadBody): boolean {
  if (pointer === undefined) return true;
  const value = read.ok && read.body !== undefined ? lookup(read.body, pointer) : undefined;
  if (value === undefined) return false;
  return equals === undefined || textOf(value) === equals;
}

/** undefined: a value that no manifest can ask for. */
function textOf(value: JsonValue): string | undefined {
  try {
    return jcs(value);
  } catch {
    return undefined;
  }
}

/** A run would have its outputs, as far as it names where they stand. */
function hasOutputs(outputs: readonly CompiledOutput[], reply: ProbeReply, read: ReadBody): boolean {
  if (reply.status < 200 || reply.status > 299) return true;
  if (!read.ok) return false;
  const { status, headers } = reply;
  return extractOutputs(outputs, { status, headers, body: read.body }).missing.length === 0;
}

/**
 * What an answer says of the provider, in the words of an attempt (failover.md §2). A request that is a run's own is also
 * judged as one: a 200 without the outputs is no success.
 */
export function judgeProbe({ expect, outputs }: Omit<CompiledProbe, 'request'>, reply: ProbeReply): AttemptOutcome {
  const { status } = reply;
  const isWanted = expect.statuses?.has(status) ?? (status >= 200 && status <= 299);
  if (!isWanted) return attemptOutcome({ kind: 'answered', status, outputsPresent: false });
  if (expect.pointer === undefined && outputs.length === 0) return 'success';
  const read = readBody(reply.body, reply.headers['content-type']);
  return standsThere(expect, read) && hasOutputs(outputs, reply, read) ? 'success' : 'error';
}
