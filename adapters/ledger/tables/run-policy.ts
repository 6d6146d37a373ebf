import {
  decisionColumns,
  responseColumns,
  type DecidedColumns,
  type DecisionColumns,
  type NewDecision,
  type ResponseDecision,
} from './policy-decisions.ts';
import { violationColumns, type NewViolation, type ViolationColumns } from './policy-violations.ts';
import { factsColumns, type NewFacts, type NewFactsColumns } from './run-facts.ts';

/** What policies decided at the start of a run; absent for a tenant without policies. */
export interface StartPolicy {
  readonly decision: NewDecision;
  readonly facts: readonly NewFacts[];
  /** Ids of grants that this start uses up: all of them, or the run does not start. */
  readonly grants: readonly string[];
}

/** What policies decided after the start of a run. All but violations needs the decision of the start. */
export interface FinishPolicy {
  readonly response?: ResponseDecision;
  /** The facts of the start are erased: what was decided about the answer says that none are kept. */
  readonly erasesFacts?: true;
  /** Placed behind those of the start. */
  readonly facts: readonly NewFacts[];
  /** Each is appended to the log unless its rule, digest and day have an entry. */
  readonly violations: readonly NewViolation[];
}

/** On the way to the writer's thread. */
export type StartPolicyColumns = readonly [
  decision: DecisionColumns,
  facts: readonly NewFactsColumns[],
  grants: readonly string[],
  inputsSha256: string,
];

export type FinishPolicyColumns = readonly [
  response: DecidedColumns | null,
  facts: readonly NewFactsColumns[],
  violations: readonly ViolationColumns[],
  erasesFacts: boolean,
];

export const startPolicyColumns = ({ decision, facts, grants }: StartPolicy): StartPolicyColumns => [
  decisionColumns(decision),
  facts.map(factsColumns),
  [...grants],
  grants.length === 0 ? '' : decision.inputsSha256,
];

export const finishPolicyColumns = ({
  response,
  erasesFacts,
  facts,
  violations,
}: FinishPolicy): FinishPolicyColumns => [
  response === undefined ? null : responseColumns(response),
  facts.map(factsColumns),
  violations.map(violationColumns),
  erasesFacts === true,
];
