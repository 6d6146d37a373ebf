import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { ensurePrometheus } from '../../../hack/prometheus/binaries.ts';
import { ALERTS_FILE, alertNames } from '../../support/alerts.ts';

const CASES = join(import.meta.dirname, 'alerts.cases.yaml');
const INTERVAL = '30s';
/** They are for series that are missing. */
const OF_ABSENCE = ['OrbApiAbsent', 'OrbOperatorAbsent'];

type Series = Readonly<Record<string, string>>;

/** An alert, the moment that is looked at, and series → values that make it fire and that don't. */
interface Case {
  readonly alert: string;
  /** Tells several cases of an alert apart. */
  readonly why?: string;
  readonly at: string;
  readonly firing: Series;
  readonly quiet: Series;
  /** Series with which it fires at `at` of the case, and no more at this later moment. */
  readonly recovers?: { readonly at: string; readonly series: Series };
}

const isSeries = (value: unknown): value is Series =>
  isJsonObject(value) && Object.values(value).every((values) => typeof values === 'string');

const isRecovery = (value: unknown): value is NonNullable<Case['recovers']> =>
  isJsonObject(value) && typeof value['at'] === 'string' && isSeries(value['series']);

const isCase = (value: unknown): value is Case =>
  isJsonObject(value) &&
  typeof value['alert'] === 'string' &&
  typeof value['at'] === 'string' &&
  (value['why'] === undefined || typeof value['why'] === 'string') &&
  isSeries(value['firing']) &&
  isSeries(value['quiet']) &&
  (value['recovers'] === undefined || isRecovery(value['recovers']));

function readCases(): readonly Case[] {
  const rows: unknown = parse(readFileSync(CASES, 'utf8'));
  if (!Array.isArray(rows) || !rows.every(isCase)) throw new Error(`${CASES} is no list of cases`);
  return rows;
}

/** Names of the alerts that fire at a moment. */
interface Look {
  readonly at: string;
  readonly firing: readonly string[];
}

/** One `promtool test rules`: series, and what fires at some moments. */
interface RulesTest {
  readonly name: string;
  readonly title: string;
  readonly series: Series;
  /** Only this alert is looked at; undefined: all. */
  readonly alert?: string;
  readonly looks: readonly Look[];
}

function testsOf({ alert, why, at, firing, quiet, recovers }: Case): readonly RulesTest[] {
  const subject = why === undefined ? alert : `${alert}, ${why},`;
  const fires = { at, firing: [alert] };
  const own = [
    { kind: 'fires', title: 'fires at series that say so', series: firing, looks: [fires] },
    { kind: 'quiet', title: 'keeps quiet at series that say so', series: quiet, looks: [{ at, firing: [] }] },
  ];
  const over =
    recovers === undefined
      ? []
      : [
          {
            kind: 'recovers',
            title: 'ends when it is over',
            series: recovers.series,
            looks: [fires, { at: recovers.at, firing: [] }],
          },
        ];
  return [...own, ...over].map(({ kind, title, ...test }) => ({
    ...test,
    name: `${subject} ${kind}`,
    title: `${subject} ${title}`,
    alert,
  }));
}

const WITHOUT_SERIES: RulesTest = {
  name: 'without-series',
  title: 'keep quiet while no series is there, except those for that',
  series: {},
  looks: [{ at: '1h', firing: OF_ABSENCE }],
};

/** The text of a file for `promtool test rules`. */
function promtoolFile({ series, alert, looks }: RulesTest): string {
  const matchers = [...(alert === undefined ? [] : [`alertname="${alert}"`]), 'alertstate="firing"'];
  const expr = `count by (alertname) (ALERTS{${matchers.join(',')}})`;
  const promqlTests = looks.map(({ at, firing }) => ({
    expr,
    eval_time: at,
    exp_samples: firing.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  }));
  return JSON.stringify({
    rule_files: [resolve(ALERTS_FILE)],
    evaluation_interval: INTERVAL,
    tests: [
      {
        interval: INTERVAL,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: promqlTests,
      },
    ],
  });
}

describe('alerts of the chart', () => {
  let promtool: string;
  let folder: string;
  const cases = readCases();
  const tests = [...cases.flatMap(testsOf), WITHOUT_SERIES];

  const fileOf = ({ name }: RulesTest): string => join(folder, `${name.replaceAll(/\W+/g, '-')}.yaml`);
  /** @returns what promtool says of a failure; '' for none */
  async function failureOf(...files: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await command(promtool, ['test', 'rules', ...files]);
    return code === 0 ? '' : `${stdout}${stderr}`;
  }
  /** Whether one promtool had nothing to say of all files: fifty of them take a minute to start. */
  let isEachWell: boolean;

  // One promtool evaluates all files: half a minute on a machine with other work.
  before(async function start() {
    this.timeout(240_000);
    ({ promtool } = await ensurePrometheus());
    folder = mkdtempSync(join(tmpdir(), 'orb-alerts-'));
    for (const test of tests) writeFileSync(fileOf(test), promtoolFile(test));
    isEachWell = (await failureOf(...tests.map(fileOf))) === '';
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are rules', async () => {
    const { code, stdout, stderr } = await command(promtool, ['check', 'rules', ALERTS_FILE]);
    expect(code, `${stdout}${stderr}`).to.equal(0);
  });

  it('have a case each', () => {
    expect([...new Set(cases.map(({ alert }) => alert))]).to.deep.equal(alertNames());
  });

  for (const test of tests)
    it(test.title, async () => {
      expect(isEachWell ? '' : await failureOf(fileOf(test))).to.equal('');
    });
});
