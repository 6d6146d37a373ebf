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
const KINDS = ['firing', 'quiet'] as const;
type Kind = (typeof KINDS)[number];

/** An alert, the moment that is looked at, and series → values that make it fire and that don't. */
interface Case {
  readonly alert: string;
  readonly at: string;
  readonly firing: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
}

const isSeries = (value: unknown): value is Case['firing'] =>
  isJsonObject(value) && Object.values(value).every((values) => typeof values === 'string');

const isCase = (value: unknown): value is Case =>
  isJsonObject(value) &&
  typeof value['alert'] === 'string' &&
  typeof value['at'] === 'string' &&
  isSeries(value['firing']) &&
  isSeries(value['quiet']);

function readCases(): readonly Case[] {
  const rows: unknown = parse(readFileSync(CASES, 'utf8'));
  if (!Array.isArray(rows) || !rows.every(isCase)) throw new Error(`${CASES} is no list of cases`);
  return rows;
}

/** A file for `promtool test rules`: at the moment the alert fires, or it does not. */
function promtoolTest(row: Case, kind: Kind): string {
  const series = Object.entries(row[kind]).map(([name, values]) => ({ series: name, values }));
  const expr = `count(ALERTS{alertname="${row.alert}",alertstate="firing"})`;
  const expected = kind === 'firing' ? [{ labels: '{}', value: 1 }] : [];
  return JSON.stringify({
    rule_files: [resolve(ALERTS_FILE)],
    evaluation_interval: INTERVAL,
    tests: [
      {
        interval: INTERVAL,
        input_series: series,
        promql_expr_test: [{ expr, eval_time: row.at, exp_samples: expected }],
      },
    ],
  });
}

describe('alerts of the chart', () => {
  let promtool: string;
  let folder: string;
  const cases = readCases();

  const fileOf = ({ alert }: Case, kind: Kind): string => join(folder, `${alert}-${kind}.yaml`);
  /** @returns what promtool says of a failure; '' for none */
  async function failureOf(...files: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await command(promtool, ['test', 'rules', ...files]);
    return code === 0 ? '' : `${stdout}${stderr}`;
  }
  /** Whether one promtool had nothing to say of all files: fifty of them take a minute to start. */
  let isEachWell: boolean;

  before(async () => {
    ({ promtool } = await ensurePrometheus());
    folder = mkdtempSync(join(tmpdir(), 'orb-alerts-'));
    for (const row of cases) for (const kind of KINDS) writeFileSync(fileOf(row, kind), promtoolTest(row, kind));
    const files = cases.flatMap((row) => KINDS.map((kind) => fileOf(row, kind)));
    isEachWell = (await failureOf(...files)) === '';
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('are rules', async () => {
    const { code, stdout, stderr } = await command(promtool, ['check', 'rules', ALERTS_FILE]);
    expect(code, `${stdout}${stderr}`).to.equal(0);
  });

  it('have a case each', () => {
    expect(cases.map(({ alert }) => alert)).to.deep.equal(alertNames());
  });

  for (const row of cases)
    for (const kind of KINDS)
      it(`${row.alert} ${kind === 'firing' ? 'fires' : 'keeps quiet'} at series that say so`, async () => {
        expect(isEachWell ? '' : await failureOf(fileOf(row, kind))).to.equal('');
      });
});
