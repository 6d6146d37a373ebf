import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listAt, textAt } from '../control-plane/json.ts';

/** One query of a panel; the legend is Grafana's: `{{label}}`. */
interface Query {
  readonly expr: string;
  readonly legend: string;
}

export interface Panel {
  readonly title: string;
  readonly description: string;
  /** Grafana's name of the unit: `s`, `bytes`, `reqps` … */
  readonly unit: string;
  readonly queries: readonly Query[];
}

export interface Dashboard {
  /** Name of its file, without the extension. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly panels: readonly Panel[];
}

const FOLDER = resolve(import.meta.dirname, '../../charts/orb-platform/files/dashboards');

const panelOf = (panel: unknown): Panel => ({
  title: textAt(panel, 'title'),
  description: textAt(panel, 'description'),
  unit: textAt(panel, 'fieldConfig', 'defaults', 'unit'),
  queries: listAt(panel, 'targets').map((target) => ({
    expr: textAt(target, 'expr'),
    legend: textAt(target, 'legendFormat'),
  })),
});

function dashboardOf(file: string): Dashboard {
  const value: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  return {
    name: file.replace('.json', ''),
    title: textAt(value, 'title'),
    description: textAt(value, 'description'),
    panels: listAt(value, 'panels').map(panelOf),
  };
}

/** The dashboards of the chart, in the order of their names. */
export const readDashboards = (): readonly Dashboard[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map(dashboardOf);

/** A query as Grafana sends it when every variable is set to all. @param rateInterval at least four scrapes */
export const withoutVariables = (expr: string, rateInterval: string): string =>
  expr.replaceAll('$__rate_interval', rateInterval).replaceAll(/\$(?:namespace|orb)\b/g, '.*');
