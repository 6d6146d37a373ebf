import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { withTransitions, type WantedCondition } from '../reconcile/conditions.ts';
import { explainFindings } from '../reconcile/explain-findings.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import { conditionOf, conditionsOf, generationOf, statusOf } from '../reconcile/read-object.ts';
import type { ListedOrb } from './listed-orb.ts';
import { LEDGER_AWAY } from './plan-publication.ts';
import { ruleUrl } from './report-finding.ts';

/** What the publishing pipeline said about one generation of a publication. */
export interface PipelineResult {
  readonly isPublished: boolean;
  /** CamelCase. */
  readonly reason: string;
  readonly message: string;
  /** `validationReport`; undefined: the pipeline did not get that far. */
  readonly report: JsonObject | undefined;
}

/** What else the evaluation part of a status shows. */
export interface PublicationFacts {
  readonly result: PipelineResult;
  /** The published version; undefined: it is not published. */
  readonly orb: ListedOrb | undefined;
  /** Its certificate that is in force. */
  readonly certificate: { readonly sha256: string; readonly validUntil: string } | undefined;
  /** Whether the namespace has an Orb of the published bytes. */
  readonly hasOrb: boolean;
}

/** The part of the status of a publication that the API owns (security.md §6.1). */
export const EVALUATION_PART = {
  members: [
    'validationReport',
    'certificationTier',
    'tierStatus',
    'reputationScore',
    'confidence',
    'listing',
    'logIndex',
    'certificate',
  ],
  conditions: ['Published', 'Certified', 'OrbMatches'],
} as const;

const REFUSALS: Readonly<Record<string, string>> = {
  'namespace-not-owned': 'NamespaceNotOwned',
  'namespace-unverified': 'NamespaceUnverified',
  'version-immutable': 'VersionImmutable',
  'version-tombstoned': 'VersionTombstoned',
  'version-build-metadata': 'VersionBuildMetadata',
};

const inCamelCase = (code: string): string =>
  code
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');

const NOT_APPLIED = 'orb-not-applied';

// Bounds of the schema of the status.
const MOST_FINDINGS = 50;
const LONGEST = { pointer: 1024, message: 1024, suggestion: 128 } as const;

function findingOf(finding: JsonObject): JsonObject {
  const cuts = Object.entries(LONGEST).flatMap(([name, most]) => {
    const text = finding[name];
    return typeof text === 'string' && text.length > most
      ? [[name, `${text.slice(0, most - 1).toWellFormed()}…`] as const]
      : [];
  });
  return { ...finding, ...Object.fromEntries(cuts) };
}

const findingsOf = (report: JsonObject): readonly JsonObject[] => {
  const { findings } = report;
  return Array.isArray(findings) ? findings.filter(isJsonObject) : [];
};

/** Members without null, which a status can't hold. */
const present = (members: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (value === null) return [];
      return [[name, isJsonObject(value) ? present(value) : value] as const];
    }),
  );

/** `validation_report` as a status has it: without null, at most 50 findings, long texts cut. */
const reportInStatus = (report: JsonObject): JsonObject => ({
  ...present(report),
  findings: findingsOf(report).slice(0, MOST_FINDINGS).map(findingOf),
});

/** The result about a published version. @param report `validation_report` */
export const publishedResult = (report: JsonObject): PipelineResult => ({
  isPublished: true,
  reason: 'Published',
  message: 'This version is published.',
  report: reportInStatus(report),
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The result about a refused one: its reason is the code of the refusal, or of the first error, in CamelCase. */
export function refusedResult(code: string, report: JsonObject, detail: string | undefined): PipelineResult {
  const errors = findingsOf(report)
    .filter(({ severity }) => severity === 'error')
    .map((finding) => ({
      severity: 'error' as const,
      code: textOf(finding['code']),
      pointer: textOf(finding['pointer']),
      detail: textOf(finding['message']),
    }));
  return {
    isPublished: false,
    reason: REFUSALS[code] ?? inCamelCase(errors[0]?.code ?? code),
    message: detail ?? explainFindings(errors, 'spec'),
    report: reportInStatus(report),
  };
}

/** The result while the ledger gives no answer. */
export const LEDGER_AWAY_RESULT: PipelineResult = {
  isPublished: false,
  reason: LEDGER_AWAY,
  message: 'The ledger gives no answer. The publication is tried again.',
  report: undefined,
};

/** The result that the status of a publication holds about its present generation. */
export function storedResult(publication: KubeObject): PipelineResult | undefined {
  const published = conditionOf(publication, 'Published');
  if (published?.observedGeneration !== generationOf(publication)) return undefined;
  const { status, reason, message } = published;
  const { validationReport: report } = statusOf(publication);
  return { isPublished: status === 'True', reason, message, report: isJsonObject(report) ? report : undefined };
}

const missingOrb = ({ orbId, namespace }: ListedOrb): JsonObject => ({
  severity: 'info',
  code: NOT_APPLIED,
  pointer: '/manifest',
  message: `The namespace ${namespace} has no Orb ${orbId} with these bytes: apply it, and others can run it.`,
  rule_url: ruleUrl(NOT_APPLIED),
});

function shownReport(report: JsonObject, { orb, hasOrb }: PublicationFacts): JsonObject {
  const others = findingsOf(report).filter(({ code }) => code !== NOT_APPLIED);
  if (orb === undefined || hasOrb) return { ...report, findings: [...others] };
  return { ...report, findings: [...others.slice(0, MOST_FINDINGS - 1), missingOrb(orb)] };
}

function ofVersion({ orb, certificate, hasOrb }: PublicationFacts): {
  readonly members: object;
  readonly conditions: readonly WantedCondition[];
} {
  if (orb === undefined) return { members: {}, conditions: [] };
  const { standing, status, logIndex } = orb;
  const { tier, tierStatus, score, confidence } = standing;
  const isCertified = tier !== 'uncertified';
  return {
    members: {
      certificationTier: tier,
      tierStatus,
      reputationScore: score,
      confidence,
      listing: status,
      logIndex,
      ...(certificate === undefined ? {} : { certificate }),
    },
    conditions: [
      {
        type: 'Certified',
        status: isCertified ? 'True' : 'False',
        reason: isCertified ? 'Certified' : 'Uncertified',
        message: `Its tier is ${tier}.`,
      },
      {
        type: 'OrbMatches',
        status: hasOrb ? 'True' : 'False',
        reason: hasOrb ? 'OrbApplied' : 'OrbNotApplied',
        message: hasOrb ? 'The namespace has an Orb with these bytes.' : 'The namespace has no Orb with these bytes.',
      },
    ],
  };
}

/**
 * The evaluation part of the status of a publication (trust.md §8).
 * @param now ms since epoch
 */
export function evaluationStatus(publication: KubeObject, facts: PublicationFacts, now: number): object {
  const { isPublished, reason, message, report } = facts.result;
  const { members, conditions } = ofVersion(facts);
  const published: WantedCondition = { type: 'Published', status: isPublished ? 'True' : 'False', reason, message };
  return {
    ...members,
    ...(report === undefined ? {} : { validationReport: shownReport(report, facts) }),
    conditions: withTransitions([published, ...conditions], conditionsOf(publication), {
      generation: generationOf(publication),
      now,
    }),
  };
}
