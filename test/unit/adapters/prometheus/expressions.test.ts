import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  evaluationQuery,
  metricsQuery,
  PROVIDER_METRICS,
  QUANTILES,
  queryDigest,
  RECORDED_METRICS,
  receiptExpressions,
  recordingRules,
} from '../../../../adapters/prometheus/expressions.ts';

const ALL = { quantiles: new Set(QUANTILES), base: true };
const namesIn = (query: string): readonly string[] =>
  [...query.matchAll(/, "q", "([a-z0-9_]+)", "", ""\)/g)].map(([, name = '']) => name);

describe('metricsQuery', () => {
  it('gives each expression a name of its own, one that a reader knows', () => {
    const names = namesIn(metricsQuery('query', ALL));
    expect(new Set(names).size).to.equal(names.length);
    expect(names.toSorted()).to.deep.equal([...PROVIDER_METRICS, 'age'].toSorted());
  });

  it('asks for the quantiles of the Orbs and for the median, no others', () => {
    const names = namesIn(metricsQuery('query', { quantiles: new Set([0.9]), base: true }));
    expect(names.filter((name) => /(^|_)p\d+/.test(name)).toSorted()).to.deep.equal(
      ['p50_2m', 'p90_2m', 'p50_5m', 'p90_5m', 'p50_10m', 'p90_10m', 'base_p90', 'probe_p50'].toSorted(),
    );
  });

  it('asks for the hour of the baseline only when told', () => {
    expect(metricsQuery('query', { ...ALL, base: false })).to.not.include('[1h]');
  });

  it('asks raw for what no rule records, for the ages, and for what counts by the second', () => {
    const names = namesIn(metricsQuery('recorded', ALL));
    const recorded = new Set(RECORDED_METRICS.values());
    expect(names.filter((name) => recorded.has(name))).to.deep.equal([]);
    expect(names).to.include.members(['age', 'rules_age', 'p90_2m', 'p99_10m', 'base_p50']);
    expect(names).to.include.members(['breaker', 'streak', 'last']);
    expect(names).to.not.include.members(['p95_2m', 'p50_10m', 'base_p95']);
  });

  it('never aggregates over an Orb or a provider', () => {
    const groups = [...metricsQuery('query', ALL).matchAll(/(?:sum|max) by \(([^)]*)\)/g)].map(([, by]) => by);
    const [orb, provider] = ['orb_namespace, orb_id', 'orb_namespace, orb_id, provider'];
    expect(new Set(groups)).to.deep.equal(new Set([orb, provider, `${provider}, le`]));
  });

  it('has the size that the text of an ordinary query may have', () => {
    expect(metricsQuery('query', { quantiles: new Set([0.95]), base: true }).length).to.be.within(4000, 5300);
  });
});

/** The braces of every selector of one of our metrics; '' where there are none. */
const selectorsIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![_a-z:])orb_provider_[a-z_]+(\{[^}]*\})?/g)].map(([, braces = '']) => braces);

describe('a matcher', () => {
  const matcher = 'job="orb-api",namespace="orb-system"';

  it('stands in every selector of a query, after the selector’s own', () => {
    for (const mode of ['query', 'recorded'] as const) {
      const [plain, matched] = [metricsQuery(mode, ALL), metricsQuery(mode, { ...ALL, matcher })];
      expect(selectorsIn(matched)).to.deep.equal(
        selectorsIn(plain).map((braces) => (braces === '' ? `{${matcher}}` : `${braces.slice(0, -1)},${matcher}}`)),
      );
      expect(matched.replaceAll(`,${matcher}}`, '}').replaceAll(`{${matcher}}`, '')).to.equal(plain);
    }
  });

  it('leaves alone what the rules have recorded, and stands in the rules', () => {
    const query = metricsQuery('recorded', { ...ALL, matcher });
    expect(query).to.include('{__name__=~"orb:.+"}').and.to.include('timestamp(orb:provider_attempts:increase2m)');
    const rules = recordingRules(matcher);
    expect(rules.map(({ record }) => record)).to.deep.equal(recordingRules('').map(({ record }) => record));
    const selectors = rules.flatMap(({ expr }) => selectorsIn(expr));
    expect(selectors).to.have.lengthOf(recordingRules('').flatMap(({ expr }) => selectorsIn(expr)).length);
    for (const braces of selectors) expect(braces).to.match(/[{,]job="orb-api",namespace="orb-system"\}$/);
  });

  it('stands in what a receipt shows, and in the query for one Orb', () => {
    const shown = Object.values(receiptExpressions('query', 0.95, '2m', matcher));
    expect(shown).to.have.lengthOf(3);
    for (const expr of shown) expect(metricsQuery('query', { ...ALL, matcher })).to.include(expr);
    expect(evaluationQuery({ namespace: 'n', orbId: 'a.b@1.0.0' }, matcher)).to.equal(
      `{__name__=~"orb_swap_.+|orb_provider_(breaker|probe)_.+",orb_namespace="n",orb_id="a.b@1.0.0",${matcher}}`,
    );
  });
});

describe('recordingRules', () => {
  it('are what the chart installs', () => {
    const file: unknown = parse(readFileSync('charts/orb-platform/files/prometheus/rules.yaml', 'utf8'));
    expect(file).to.deep.equal({ groups: [{ name: 'orb_provider', interval: '15s', rules: recordingRules('') }] });
  });

  it('record each series once, and all that is read back', () => {
    const names = recordingRules('').map(({ record }) => record);
    expect(new Set(names).size).to.equal(names.length);
    expect(names).to.include.members([...RECORDED_METRICS.keys()]);
    expect(names.length).to.equal(3 * 6 + 2 + 9);
  });
});

describe('queryDigest', () => {
  it('is the SHA-256 of the text', () => {
    expect(queryDigest('up')).to.equal('sha256:75a288c0d6898c5f7b054590845978a82a3ad79fcce3d43ff68a7501e5a91ee9');
  });
});
