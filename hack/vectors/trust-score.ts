import type { JsonObject } from '../../core/json/json-value.ts';
import {
  CHECK_ORDER,
  CHECK_WEIGHTS,
  type CheckId,
  type CheckResult,
  type Severity,
} from '../../core/receipt/record.ts';
import { scoreOf } from '../../core/trust/score.ts';
import { objectAt, textAt, textsAt, valueAt } from './read.ts';
import { each, outcomeOf, type Suite } from './suite.ts';

const RESULTS: readonly string[] = ['pass', 'fail', 'unknown', 'not_applicable'] satisfies readonly CheckResult[];
const SEVERITIES: readonly string[] = ['low', 'medium', 'high', 'critical'] satisfies readonly Severity[];

const isResult = (text: string): text is CheckResult => RESULTS.includes(text);
const isSeverity = (text: string): text is Severity => SEVERITIES.includes(text);

function checksOf(input: JsonObject): Readonly<Record<CheckId, CheckResult>> {
  const given = objectAt(input, 'checks');
  const result = (id: CheckId): CheckResult => {
    const text = textAt(given, id);
    if (!isResult(text)) throw new Error(`${text} is no result of a check`);
    return text;
  };
  return {
    manifest: result('manifest'),
    caller_auth: result('caller_auth'),
    policy: result('policy'),
    input_schema: result('input_schema'),
    output_schema: result('output_schema'),
    isolation: result('isolation'),
    slo: result('slo'),
    standing: result('standing'),
  };
}

function severitiesOf(input: JsonObject): readonly Severity[] {
  return textsAt(input, 'violations').map((text) => {
    if (!isSeverity(text)) throw new Error(`${text} is no severity`);
    return text;
  });
}

/** Trust score: trust.md §4. */
export const trustScore: Suite = {
  subject: 'trust-score',
  data: [],
  parts: {
    weights: async (value) => [
      await outcomeOf('weights', value, () => Object.fromEntries(CHECK_ORDER.map((id) => [id, CHECK_WEIGHTS[id]]))),
    ],
    cases: each((item) => {
      const input = objectAt(item, 'input');
      const irreversible = valueAt(input, 'irreversible') === true;
      const score = scoreOf({ checks: checksOf(input), violations: severitiesOf(input), irreversible });
      return { trust_score: score.trust_score, risk_level: score.risk_level };
    }),
  },
};
