import type {
  OrbSignalSourceSpec,
  SourceAuth,
  SourceEffects,
  SourceLimits,
  SourceMatch,
  SourceRetention,
  SourceSecretRef,
} from '../../../crds/orbsignalsource.ts';
import type { Finding } from '../../manifest/finding.ts';
import { milliseconds } from '../../time/duration.ts';
import { compileMatch, type CompiledMatch, type MatchRule } from '../incidents/match-entity.ts';
import { compileMapping, type CompiledMapping } from '../mapping/map-payload.ts';
import type { Severity } from '../mapping/signal.ts';
import { VENDORS } from '../vendors/vendors.ts';
import { trustOf, type Trust, type VerificationScheme } from '../verification/scheme.ts';
import { fingerprintRuleOf, mappingOf } from './mapping-of.ts';
import { schemeOf, type SourceType } from './scheme-of.ts';
import { sourceFindings } from './source-rules.ts';

/** A source that is ready but for its secrets: defaults are filled in, and every expression is compiled. */
export interface CompiledSource {
  readonly type: SourceType;
  readonly mode: 'Active' | 'Observe' | 'Disabled';
  /** A higher one gives another URL. */
  readonly pathEpoch: number;
  readonly scheme: VerificationScheme;
  readonly secretRefs: readonly SourceSecretRef[];
  /** How far a signed timestamp may be off, ms. */
  readonly toleranceMs: number;
  /** Blocks of addresses, valid; empty: every address. */
  readonly allowCidrs: readonly string[];
  readonly mapping: CompiledMapping;
  readonly match: readonly CompiledMatch[];
  readonly parser: 'json' | 'form';
  readonly effects: {
    readonly incident: boolean;
    readonly reputation: boolean;
    readonly minSeverity: Severity;
    /** How long it must fire before an incident opens, ms. */
    readonly forMs: number;
    /** How long it must be quiet before an incident ends, ms. */
    readonly quietMs: number;
  };
  readonly limits: {
    readonly bodyBytes: number;
    /** Deliveries a second, on average and at once. */
    readonly rps: number;
    readonly burst: number;
    readonly itemsPerPayload: number;
    readonly gzip: boolean;
    readonly allowGet: boolean;
  };
  readonly retention: { readonly rawMs: number; readonly signalsMs: number };
  readonly trust: Trust;
  /** The rule that gives a fingerprint, for people. */
  readonly fingerprintRule: string;
}

export type SourceResult =
  | { readonly ok: true; readonly source: CompiledSource }
  /** Pointers are relative to the object. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

const effectsOf = (effects: SourceEffects = {}): CompiledSource['effects'] => {
  const {
    incident = true,
    reputation = true,
    minSeverity = 'warning',
    for: firing = '0s',
    quietPeriod = '120s',
  } = effects;
  return { incident, reputation, minSeverity, forMs: milliseconds(firing), quietMs: milliseconds(quietPeriod) };
};

function limitsOf(limits: SourceLimits = {}): CompiledSource['limits'] {
  const { bodyBytes = 262_144, rps = 50, burst = 200, alertsPerPayload: itemsPerPayload = 500 } = limits;
  return { bodyBytes, rps, burst, itemsPerPayload, gzip: limits.gzip ?? false, allowGet: limits.allowGet ?? false };
}

const retentionOf = ({ raw = '168h', signals = '2160h' }: SourceRetention = {}): CompiledSource['retention'] => ({
  rawMs: milliseconds(raw),
  signalsMs: milliseconds(signals),
});

function targetOf({ orb, provider, service }: SourceMatch): MatchRule['target'] | undefined {
  if (orb !== undefined) return { kind: 'orb', orb };
  if (provider !== undefined) return { kind: 'provider', host: provider };
  return service === undefined ? undefined : { kind: 'service', service };
}

/** Conditions with their targets; one without a target has a finding already, and keeps the places of the others. */
const matchRules = (match: readonly SourceMatch[] = []): readonly MatchRule[] =>
  match.map((line) => ({ when: line.when, target: targetOf(line) ?? { kind: 'provider', host: '' } }));

interface CompiledParts extends Pick<CompiledSource, 'scheme' | 'mapping' | 'match'> {
  readonly ok: true;
}

/** Everything of a source that can be wrong. */
function compileParts(
  spec: OrbSignalSourceSpec,
  isPlatform: boolean,
): CompiledParts | { readonly ok: false; readonly findings: readonly Finding[] } {
  const [scheme, wanted] = [schemeOf(spec), mappingOf(spec)];
  const mapping = wanted && compileMapping(wanted);
  const match = compileMatch(matchRules(spec.match));
  const findings = [
    ...sourceFindings(spec, isPlatform),
    ...(mapping?.ok === false ? mapping.findings : []),
    ...(match.ok ? [] : match.findings),
  ];
  if (findings.length > 0 || scheme === undefined || mapping?.ok !== true || !match.ok) return { ok: false, findings };
  return { ok: true, scheme, mapping: mapping.mapping, match: match.rules };
}

const identityOf = ({
  type,
  mode = 'Observe',
  pathEpoch = 1,
  mapping,
}: OrbSignalSourceSpec): Pick<CompiledSource, 'type' | 'mode' | 'pathEpoch' | 'parser'> => ({
  type,
  mode,
  pathEpoch,
  parser: type === 'custom' ? (mapping?.parser ?? 'json') : VENDORS[type].parser,
});

const senderOf = ({
  secretRefs,
  toleranceSeconds = 300,
  allowCIDRs = [],
}: SourceAuth): Pick<CompiledSource, 'secretRefs' | 'toleranceMs' | 'allowCidrs'> => ({
  secretRefs,
  toleranceMs: toleranceSeconds * 1000,
  allowCidrs: allowCIDRs,
});

/**
 * Compiles a source whose document passed the schema (ingestion.md §5): its scheme, its mapping and its conditions, with
 * the defaults of its type. Pure; never throws.
 * @param isPlatform whether the source is in the namespace of the platform
 * @returns the source, or everything that has to be written in another way
 */
export function compileSource(spec: OrbSignalSourceSpec, isPlatform: boolean): SourceResult {
  const parts = compileParts(spec, isPlatform);
  if (!parts.ok) return parts;
  const { scheme, mapping, match } = parts;
  return {
    ok: true,
    source: {
      ...identityOf(spec),
      ...senderOf(spec.auth),
      scheme,
      mapping,
      match,
      effects: effectsOf(spec.effects),
      limits: limitsOf(spec.limits),
      retention: retentionOf(spec.retention),
      trust: trustOf(scheme),
      fingerprintRule: fingerprintRuleOf(mapping.mapping),
    },
  };
}
