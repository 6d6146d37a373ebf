import type { PolicyObligation } from '../../../crds/orbpolicy.ts';
import type { JsonObject } from '../../json/json-value.ts';
import type { Phase } from '../facts/fact-schema.ts';
import { sharedHosts } from './shared-hosts.ts';

/** What a run is bound to, of all policies together (policy.md §3.3). An absent member binds to nothing. */
export interface Obligations {
  /** The only hosts that the run may reach, exact or `*.suffix`; never empty. */
  readonly restrictHosts?: readonly string[];
  /** Largest answer, bytes. */
  readonly maxResponseBytes?: number;
  /** Whole run, milliseconds. */
  readonly timeoutMs?: number;
  /** Outputs that become null; sorted. */
  readonly redactResponse?: readonly string[];
  /** The facts of this run are not stored. */
  readonly noStore?: true;
  /** Scopes of the approvals that the run needs; sorted. */
  readonly requireApproval?: readonly string[];
}

/** Why obligations can't be kept; each is a denial. */
export interface ObligationFault<Code = 'unknown-obligation' | 'bad-obligation' | 'obligation-failed'> {
  readonly code: Code;
  readonly detail: string;
}

interface ObligationType {
  /** Parameters that it must have, and no others. */
  readonly parameters: readonly (keyof PolicyObligation)[];
  readonly phases: readonly Phase[];
  /** One sentence for the reference. */
  readonly doc: string;
  readonly merge: (before: Obligations, obligation: PolicyObligation) => Obligations;
}

const union = (one: readonly string[] = [], other: readonly string[] = []): readonly string[] =>
  [...new Set([...one, ...other])].toSorted();
const least = (one: number | undefined, other: number | undefined): number =>
  Math.min(one ?? Number.POSITIVE_INFINITY, other ?? Number.POSITIVE_INFINITY);

const BEFORE_SENDING = ['PreFlight', 'Request'] as const;

/** The obligations of policy.md §3.3, with how two of them are merged. Merging only makes them stricter. */
export const OBLIGATION_TYPES: ReadonlyMap<string, ObligationType> = new Map<string, ObligationType>([
  [
    'restrictHosts',
    {
      parameters: ['hosts'],
      phases: BEFORE_SENDING,
      doc: 'The run may reach these hosts alone, also by redirects; several obligations: the hosts that all allow.',
      merge: (before, { hosts = [] }) => ({
        ...before,
        restrictHosts: before.restrictHosts === undefined ? union(hosts) : sharedHosts(before.restrictHosts, hosts),
      }),
    },
  ],
  [
    'maxResponseBytes',
    {
      parameters: ['value'],
      phases: BEFORE_SENDING,
      doc: 'Largest answer in bytes; the smallest value holds.',
      merge: (before, { value }) => ({ ...before, maxResponseBytes: least(before.maxResponseBytes, value) }),
    },
  ],
  [
    'timeoutMs',
    {
      parameters: ['value'],
      phases: BEFORE_SENDING,
      doc: 'Whole run in milliseconds; the smallest value holds.',
      merge: (before, { value }) => ({ ...before, timeoutMs: least(before.timeoutMs, value) }),
    },
  ],
  [
    'redactResponse',
    {
      parameters: ['outputs'],
      phases: ['PreFlight', 'Request', 'Response'],
      doc: 'These outputs are null in the answer and in what the receipt commits to.',
      merge: (before, { outputs = [] }) => ({ ...before, redactResponse: union(before.redactResponse, outputs) }),
    },
  ],
  [
    'noStore',
    {
      parameters: [],
      phases: ['PreFlight', 'Request', 'Response'],
      doc: 'The facts of the run are not stored; their digest stays in the receipt.',
      merge: (before) => ({ ...before, noStore: true }),
    },
  ],
  [
    'requireApproval',
    {
      parameters: ['by'],
      phases: ['PreFlight'],
      doc: 'Another identity with this scope must approve the run first.',
      merge: (before, { by }) => ({
        ...before,
        requireApproval: union(before.requireApproval, by === undefined ? [] : [by]),
      }),
    },
  ],
]);

const fault = <Code extends ObligationFault['code']>(code: Code, detail: string): ObligationFault<Code> => ({
  code,
  detail,
});

const isPresent = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

/** @returns undefined: the obligation is known, has its own parameters alone, and may be of the phases */
export function obligationFault(
  obligation: PolicyObligation,
  phases: readonly Phase[],
): ObligationFault<'unknown-obligation' | 'bad-obligation'> | undefined {
  const { type, ...parameters } = obligation;
  const found = OBLIGATION_TYPES.get(type);
  if (found === undefined)
    return fault('unknown-obligation', `${type}: write one of ${[...OBLIGATION_TYPES.keys()].join(', ')}`);
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const wanted = found.parameters;
  const isComplete = wanted.every((name) => isPresent(obligation[name]));
  if (!isComplete || given.length !== wanted.length) {
    const members = wanted.length === 0 ? 'no parameter' : wanted.join(', ');
    return fault('bad-obligation', `${type} takes ${members}: write that, and nothing else`);
  }
  const wrong = phases.find((phase) => !found.phases.includes(phase));
  return (
    wrong && fault('bad-obligation', `${type} can't be kept in phase ${wrong}: it is for ${found.phases.join(', ')}`)
  );
}

/** The obligations of several rules together, or the first that can't be kept. */
export function mergeObligations(
  obligations: readonly PolicyObligation[],
  phase: Phase,
): { readonly merged: Obligations; readonly fault: ObligationFault | undefined } {
  let merged: Obligations = {};
  for (const obligation of obligations) {
    const found = obligationFault(obligation, [phase]);
    const type = OBLIGATION_TYPES.get(obligation.type);
    if (found !== undefined || type === undefined)
      return { merged, fault: found ?? fault('unknown-obligation', obligation.type) };
    merged = type.merge(merged, obligation);
  }
  const isEmpty = merged.restrictHosts?.length === 0;
  return { merged, fault: isEmpty ? fault('obligation-failed', 'no host is allowed by all policies') : undefined };
}

const joined = <T>(one: T | undefined, other: T | undefined, join: (one: T, other: T) => T): T | undefined =>
  one === undefined || other === undefined ? (one ?? other) : join(one, other);

type Limits = Pick<Obligations, 'restrictHosts' | 'maxResponseBytes' | 'timeoutMs'>;

function joinLimits(one: Limits, other: Limits): Limits {
  const restrictHosts = joined(one.restrictHosts, other.restrictHosts, sharedHosts);
  const maxResponseBytes = joined(one.maxResponseBytes, other.maxResponseBytes, Math.min);
  const timeoutMs = joined(one.timeoutMs, other.timeoutMs, Math.min);
  return {
    ...(restrictHosts === undefined ? {} : { restrictHosts }),
    ...(maxResponseBytes === undefined ? {} : { maxResponseBytes }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** What two phases bind a run to, together. The hosts may be none: then the run can't be kept to them. */
export function joinObligations(one: Obligations, other: Obligations): Obligations {
  const redactResponse = joined(one.redactResponse, other.redactResponse, union);
  const requireApproval = joined(one.requireApproval, other.requireApproval, union);
  const noStore = one.noStore ?? other.noStore;
  return {
    ...joinLimits(one, other),
    ...(redactResponse === undefined ? {} : { redactResponse }),
    ...(noStore === undefined ? {} : { noStore }),
    ...(requireApproval === undefined ? {} : { requireApproval }),
  };
}

/** The obligations as a record shows them, one object each. */
export const listObligations = ({
  restrictHosts,
  maxResponseBytes,
  timeoutMs,
  redactResponse,
  noStore,
  requireApproval = [],
}: Obligations): readonly JsonObject[] => [
  ...(restrictHosts === undefined ? [] : [{ type: 'restrictHosts', hosts: restrictHosts }]),
  ...(maxResponseBytes === undefined ? [] : [{ type: 'maxResponseBytes', value: maxResponseBytes }]),
  ...(timeoutMs === undefined ? [] : [{ type: 'timeoutMs', value: timeoutMs }]),
  ...(redactResponse === undefined ? [] : [{ type: 'redactResponse', outputs: redactResponse }]),
  ...(noStore === undefined ? [] : [{ type: 'noStore' }]),
  ...requireApproval.map((by) => ({ type: 'requireApproval', by })),
];
