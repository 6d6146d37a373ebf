import type { Ledger, StoredDecision } from '../../../adapters/ledger/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { policySet, type PolicySet } from '../../../core/policy/decision/policy-set.ts';
import type { Steps } from '../../../core/steps/steps.ts';
import { RuleCounts, type RuleCoverage } from '../../../core/policy/simulation/coverage.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, count, text } from '../../http/schemas.ts';
import { inSlices } from '../../http/in-slices.ts';
import { recordOfDecision } from './decision-view.ts';
import { STORED_WORK, type SimulationRate } from './simulation-rate.ts';

export interface CoverageParts {
  readonly ledger: Pick<Ledger, 'decisions'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly rate: Pick<SimulationRate, 'refusal'>;
  readonly policies: { readonly of: (namespace: string) => PolicySet | undefined };
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
/** Decisions are kept for 90 days. */
const MAX_DAYS = 90;
/** Newest decisions that are read: about a second of work. */
const MOST_DECISIONS = 10_000;
/** A record has up to 64 KiB, which are unpacked at once. */
const PAGE = 50;

interface Counted {
  readonly counts: RuleCounts;
  /** False: there are older decisions in the window. */
  readonly isComplete: boolean;
}

function* counting(counts: RuleCounts, decisions: readonly StoredDecision[]): Steps<undefined> {
  for (const stored of decisions) {
    yield;
    counts.add(recordOfDecision(stored));
  }
  return undefined;
}

async function countRules({ ledger }: CoverageParts, tenant: string, since: number): Promise<Counted> {
  const counts = new RuleCounts();
  let cursor: string | null = null;
  do {
    const query = { limit: PAGE, since, ...(cursor === null ? {} : { cursor }) };
    const page: Awaited<ReturnType<Ledger['decisions']>> = await ledger.decisions(tenant, query);
    await inSlices(counting(counts, page.items));
    cursor = page.nextCursor;
  } while (cursor !== null && counts.decisions < MOST_DECISIONS);
  return { counts, isComplete: cursor === null };
}

function coverageOf({ matched }: RuleCoverage, decisions: number): 'never' | 'always' | undefined {
  if (matched === 0) return 'never';
  return matched === decisions ? 'always' : undefined;
}

const rowsOf = ({ counts }: Counted, set: PolicySet): readonly JsonObject[] =>
  counts.of(set).flatMap((rule): readonly JsonObject[] => {
    const coverage = coverageOf(rule, counts.decisions);
    const { policy, rule: name, matched, failed } = rule;
    return coverage === undefined ? [] : [{ policy, rule: name, coverage, matched, failed }];
  });

/** `GET /policies/coverage` (policy.md §5): rules that never or always matched. */
export function coverageRoute(parts: CoverageParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = parts.rate.refusal(request, STORED_WORK);
    if (refused !== undefined) return refused;
    const reader = new QueryReader(request.query, ['days', 'namespace']);
    const query = reader.result(reader.integer('days', 1, MAX_DAYS) ?? DEFAULT_DAYS);
    if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
    const choice = tenantFor(request, 'namespace-not-found');
    if (!choice.ok) return choice.reply;
    const { tenant } = choice;
    const days = query.value;
    const counted = await countRules(parts, tenant, parts.clock.now() - days * DAY_MS);
    const rules = rowsOf(counted, parts.policies.of(tenant) ?? policySet([], []));
    return json(
      { days, decisions: counted.counts.decisions, complete: counted.isComplete, rules },
      { 'cache-control': 'private, no-cache' },
    );
  };
  return {
    method: 'get',
    path: '/policies/coverage',
    scope: 'policies:read',
    handle,
    operation: {
      operationId: 'getPolicyCoverage',
      summary: 'Rules in force that never or always matched',
      tags: ['policies'],
      parameters: [
        {
          name: 'days',
          in: 'query',
          description: `Days to look back; default ${DEFAULT_DAYS}.`,
          schema: { type: 'integer', minimum: 1, maximum: MAX_DAYS },
        },
        namespaceParameter,
      ],
      responses: {
        '200': {
          description: `Of the newest decisions, about ${MOST_DECISIONS} at most.`,
          content: {
            'application/json': {
              schema: closed({
                days: count('Days that were asked for.'),
                decisions: count('Decisions that were read.'),
                complete: {
                  type: 'boolean',
                  description: 'False: the window has older decisions, which were not read.',
                },
                rules: {
                  type: 'array',
                  items: closed({
                    policy: text('namespace/name'),
                    rule: text('Name of the rule.'),
                    coverage: { type: 'string', enum: ['never', 'always'] },
                    matched: count('Decisions in which it matched.'),
                    failed: count('Decisions in which it could not be decided.'),
                  }),
                },
              }),
            },
          },
        },
      },
      problems: [
        'invalid-parameter',
        'namespace-not-found',
        'namespace-ambiguous',
        'rate-limited',
        'ledger-unavailable',
      ],
    },
  };
}
