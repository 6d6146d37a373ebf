import type { Execution, Manifest, OutputDefinition, Retry } from '../../crds/manifest.ts';
import { repeatPolicyOf, type RetryRules } from '../attempts/repeat.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonValue } from '../json/json-value.ts';
import { parsePointer } from '../json/pointer.ts';
import { inspectManifestSteps } from '../manifest-rules/validate.ts';
import { compileInputs } from '../manifest/check-inputs.ts';
import { digestOfText } from '../manifest/digest.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import { parseOrbId } from '../manifest/orb-id.ts';
import { effectiveEffect } from '../ontology/effective-effect.ts';
import { toEnd, type Steps } from '../steps/steps.ts';
import { compileRequest } from '../template/compile-request.ts';
import { compileProbe } from './compile-probe.ts';
import type { CompiledOrb, CompiledOutput, CompiledProvider } from './compiled-orb.ts';

export interface CompileOptions {
  readonly namespace: string;
  /** Origins of `--egress-allow` and `--egress-stub`, exempt from the host lints. */
  readonly allowedOrigins: readonly string[];
}

// Defaults of failover.md §12.1; the schema holds the bounds.
const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 1000;
const BODY_IDLE_MS = 5000;
// failover.md §12.2
const MAX_ATTEMPTS = 3;
const ON_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);
const NOT_EXECUTED_STATUS: ReadonlySet<number> = new Set([429]);
// trust.md §1.1
const SLO_MS = 5000;

/** How one named provider is called, and where its execution is in the manifest (for the findings). */
interface Definition {
  readonly name: string;
  readonly pointer: string;
  readonly execution: Execution;
  readonly outputs: Readonly<Record<string, Partial<OutputDefinition>>>;
}

function definitions(manifest: Manifest): readonly Definition[] {
  const own = { name: manifest.provider, pointer: '/execution', execution: manifest.execution, outputs: {} };
  const others = Object.entries(manifest.providers ?? {}).flatMap(([name, definition]) =>
    definition.execution === undefined || name === manifest.provider
      ? []
      : [
          {
            name,
            pointer: `/providers/${name}/execution`,
            execution: definition.execution,
            outputs: definition.outputs ?? {},
          },
        ],
  );
  return [own, ...others];
}

function compileOutputs(manifest: Manifest, definition: Definition): readonly CompiledOutput[] {
  return Object.entries(manifest.outputs).map(([name, output]) => {
    const own = Object.hasOwn(definition.outputs, name) ? definition.outputs[name] : undefined;
    const from = own?.from ?? output.from;
    return {
      name,
      type: own?.type ?? output.type ?? 'string',
      from: from === undefined ? undefined : parsePointer(from),
    };
  });
}

const setOf = (statuses: readonly number[] | undefined): ReadonlySet<number> | undefined =>
  statuses && new Set(statuses);

const retryRules = (retry: Retry = {}): RetryRules => ({
  maxAttempts: retry.max_attempts ?? MAX_ATTEMPTS,
  onStatus: setOf(retry.on_status) ?? ON_STATUS,
  notExecutedStatus: setOf(retry.not_executed_status) ?? NOT_EXECUTED_STATUS,
});

function compileProvider(manifest: Manifest, definition: Definition): Checked<CompiledProvider> {
  const { execution } = definition;
  const { idempotent = false, idempotency_header: idempotencyHeader } = execution;
  const request = compileRequest(execution, manifest.inputs, definition.pointer);
  if (!request.ok) return request;
  const outputs = compileOutputs(manifest, definition);
  const probe = compileProbe(execution, { request: request.value, outputs }, manifest.inputs, definition.pointer);
  const findings = [...request.findings, ...probe.findings];
  if (!probe.ok) return { ok: false, findings };
  const value: CompiledProvider = {
    name: definition.name,
    request: request.value,
    outputs,
    timeoutMs: execution.timeout_ms ?? TIMEOUT_MS,
    connectTimeoutMs: execution.connect_timeout_ms ?? CONNECT_TIMEOUT_MS,
    attemptTimeoutMs: execution.attempt_timeout_ms,
    bodyIdleMs: execution.body_idle_ms ?? BODY_IDLE_MS,
    idempotent,
    idempotencyHeader,
    retry: retryRules(execution.retry),
    repeats: repeatPolicyOf({ method: request.value.method, idempotent, idempotencyHeader }),
    followRedirects: execution.follow_redirects ?? 0,
    exposeErrorBody: execution.expose_error_body ?? false,
    maxResponseBytes: execution.max_response_bytes,
    probe: probe.value,
  };
  return { ok: true, value, findings };
}

/** Names that may be chosen without a pin, in order (failover.md §1, `effectiveProvider`). */
function orderOf(manifest: Manifest, resolved: ReadonlySet<string>): readonly string[] {
  const swap = manifest.swap_config;
  const wanted = swap === undefined ? [] : [swap.primary ?? manifest.provider, ...(swap.fallbacks ?? [])];
  const order = [...new Set(wanted)].filter((name) => resolved.has(name));
  return order.length === 0 ? [manifest.provider] : order;
}

function collect(manifest: Manifest): {
  readonly providers: Map<string, CompiledProvider>;
  readonly findings: readonly Finding[];
  readonly ok: boolean;
} {
  const providers = new Map<string, CompiledProvider>();
  const results = definitions(manifest).map((definition) => compileProvider(manifest, definition));
  for (const result of results) if (result.ok) providers.set(result.value.name, result.value);
  return {
    providers,
    findings: results.flatMap((result) => result.findings),
    ok: results.every((result) => result.ok),
  };
}

const isError = ({ severity }: Finding): boolean => severity === 'error';

const ORIGIN_CODES: readonly string[] = [
  'manifest-url-not-https',
  'manifest-host-private',
  'manifest-port-refused',
  'manifest-input-in-host',
];

/** Whether a finding of the first pass has the same cause as one of the second pass. */
function hasSameCause(first: Finding, second: Finding): boolean {
  if (second.code === 'manifest-probe-unread') return first.code === 'manifest-probe-unsafe';
  if (first.pointer !== second.pointer) return false;
  return first.code === second.code || (second.code === 'template-malformed-url' && ORIGIN_CODES.includes(first.code));
}

/** Findings of both passes, each cause once. */
const merged = (first: readonly Finding[], second: readonly Finding[]): readonly Finding[] => [
  ...first,
  ...second.filter((finding) => !first.some((one) => hasSameCause(one, finding))),
];

/**
 * Checks and compiles a manifest. `kubectl apply`, the loader, `orb validate` and the API all decide by it.
 * @param value a parsed manifest, of any shape
 * @returns the compiled Orb with warnings, or every finding: those of schema, rules and templates in one pass
 */
export const compileOrb = (value: JsonValue, options: CompileOptions): Checked<CompiledOrb> =>
  toEnd(compileOrbSteps(value, options));

/** The same in pieces (`inspectManifestSteps`). */
export function* compileOrbSteps(
  value: JsonValue,
  { namespace, allowedOrigins }: CompileOptions,
): Steps<Checked<CompiledOrb>> {
  const { manifest, isWhole, findings: ofRules } = yield* inspectManifestSteps(value, { allowedOrigins });
  if (manifest === undefined) return { ok: false, findings: ofRules };
  yield;
  const { providers, findings, ok } = collect(manifest);
  const all = merged(ofRules, isWhole ? findings : findings.filter(isError));
  const id = parseOrbId(manifest.orb_id);
  if (!ok || !isWhole || !id.ok || all.some(isError)) return { ok: false, findings: all };
  const text = jcs(value);
  return {
    ok: true,
    findings: all,
    value: {
      namespace,
      orbId: id.value,
      slotKey: `orb ${namespace}/${id.value}`,
      manifest,
      digest: digestOfText(text),
      jcs: text,
      effect: effectiveEffect(manifest),
      anonymous: manifest.access === 'anonymous',
      sloMs: manifest.execution.slo_ms ?? SLO_MS,
      hasInputs: Object.keys(manifest.inputs).length > 0,
      hasOutputs: Object.keys(manifest.outputs).length > 0,
      checkInputs: compileInputs(manifest.inputs),
      providers,
      order: orderOf(manifest, new Set(providers.keys())),
      labels: {},
      pin: undefined,
      failover: undefined,
      findings: all,
    },
  };
}
