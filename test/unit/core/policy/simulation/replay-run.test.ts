import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import { NO_ORBISET_POLICIES } from '../../../../../core/policy/decision/decide.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { requestFacts, responseFacts } from '../../../../../core/policy/facts/build-facts.ts';
import { replayRun, type RecordedFacts, type RecordedRun } from '../../../../../core/policy/simulation/replay-run.ts';
import { aPolicy, aRule, someFacts } from '../../../../support/policies.ts';

const SCHEMA = 'orb-facts/1';
const preFlight: RecordedFacts = { phase: 'PreFlight', provider: null, schema: SCHEMA, facts: someFacts() };
const requestTo = (host: string): RecordedFacts => ({
  phase: 'Request',
  provider: host,
  schema: SCHEMA,
  facts: requestFacts({
    provider: host,
    method: 'POST',
    host,
    port: 443,
    path: '/',
    queryNames: [],
    headerNames: [],
    secretRefs: [],
    bodyBytes: 1,
  }),
});
const response: RecordedFacts = {
  phase: 'Response',
  provider: 'b.example',
  schema: SCHEMA,
  facts: responseFacts({ status: 201, bodyBytes: 2, durationMs: 5, contentType: 'text/plain', headerNames: [] }),
};
const uncounted = someFacts({
  caller: { kind: 'api_key', id: 'key:k1', scopes: [], groups: [], runsToday: undefined },
});

const deny = (when: string, parts: OrbPolicySpec = {}): OrbPolicySpec => ({ ...parts, rules: [aRule('deny', when)] });
const REQUEST: OrbPolicySpec = { match: { phases: ['Request'] } };
const RESPONSE: OrbPolicySpec = { match: { phases: ['Response'] } };
const INPUT: OrbPolicySpec = { inputFacts: { amount: 'int' } };

const replayed = (spec: OrbPolicySpec, run: Partial<RecordedRun>): string => {
  const whole: RecordedRun = {
    snapshots: [preFlight],
    absent: 'facts_not_recorded',
    deniedIn: undefined,
    inputNames: [],
    ...run,
  };
  const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: undefined };
  const result = replayRun(policySet([aPolicy(spec)], []), whole, options);
  return result.kind === 'decided' ? result.decision : `${result.reason} ${result.fact ?? ''}`.trim();
};

describe('a run that is decided again', () => {
  const all = [preFlight, requestTo('a.example'), requestTo('b.example'), response];
  const rows: readonly (readonly [string, OrbPolicySpec, Partial<RecordedRun>, string])[] = [
    ['is denied by facts that were recorded', deny('orb.score < 80'), {}, 'deny'],
    ['is allowed by facts that were recorded', deny('orb.score < 60'), {}, 'allow'],
    ['needs its facts', deny('true'), { snapshots: [] }, 'facts_not_recorded'],
    ['needs facts that are still there', deny('true'), { snapshots: [], absent: 'facts_erased' }, 'facts_erased'],
    [
      'needs facts of the same schema',
      deny('true'),
      { snapshots: [{ ...preFlight, schema: 'orb-facts/2' }] },
      'schema_mismatch',
    ],
    [
      'names a fact that was not recorded',
      deny('caller.runs_today > 1'),
      { snapshots: [{ ...preFlight, facts: uncounted }] },
      'fact_not_recorded caller.runs_today',
    ],
    ['takes a nullable fact as absent', deny('has(inputs.amount)', INPUT), { inputNames: ['amount'] }, 'allow'],
    [
      'names an input that was not exposed',
      deny('has(inputs.amount)', INPUT),
      {},
      'input_fact_not_exposed inputs.amount',
    ],
    [
      'is denied when every provider is',
      deny('request.host.endsWith(".example")', REQUEST),
      { snapshots: all },
      'deny',
    ],
    ['is allowed when one provider is left', deny('request.host == "a.example"', REQUEST), { snapshots: all }, 'allow'],
    ['needs its requests', deny('request.port == 1', REQUEST), {}, 'phase_not_recorded'],
    ['did not reach its requests', deny('request.port == 1', REQUEST), { deniedIn: 'PreFlight' }, 'phase_not_reached'],
    ['is denied by its answer', deny('response.status == 201', RESPONSE), { snapshots: all }, 'deny'],
    [
      'needs its answer',
      deny('response.status == 201', RESPONSE),
      { snapshots: all.slice(0, 3) },
      'phase_not_recorded',
    ],
  ];
  for (const [why, spec, run, result] of rows) it(why, () => expect(replayed(spec, run)).to.equal(result));
});
