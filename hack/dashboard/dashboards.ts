import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { at, listAt, membersAt, textAt } from '../control-plane/json.ts';

/** One query of a panel; the legend is Grafana's: `{{label}}`. */
interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** How values are written and coloured: texts of single values, and the colour from a value on. */
export interface Looks {
  readonly texts: Readonly<Record<string, { readonly text: string; readonly colour: string }>>;
  /** In rising order; the first one has no value. */
  readonly steps: readonly { readonly from: number; readonly colour: string }[];
}

export interface Panel {
  /** Grafana's name of the type: `stat`, `timeseries`, `state-timeline`, `bargauge`, `row`. */
  readonly type: string;
  readonly looks: Looks;
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
  /** The query of the annotation: a series has values while a provider is swapped. */
  readonly swaps: string;
}

const FOLDER = resolve(import.meta.dirname, '../../charts/orb-platform/files/dashboards');

const looksOf = (panel: unknown): Looks => ({
  texts: Object.fromEntries(
    listAt(panel, 'fieldConfig', 'defaults', 'mappings')
      .flatMap((mapping) => membersAt(mapping, 'options'))
      .map(([value, look]) => [value, { text: textAt(look, 'text'), colour: textAt(look, 'color') }]),
  ),
  steps: listAt(panel, 'fieldConfig', 'defaults', 'thresholds', 'steps').map((step) => {
    const from = at(step, 'value');
    return { from: typeof from === 'number' ? from : Number.NEGATIVE_INFINITY, colour: textAt(step, 'color') };
  }),
});

const panelOf = (panel: unknown): Panel => ({
  type: textAt(panel, 'type'),
  looks: looksOf(panel),
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
    swaps: textAt(listAt(value, 'annotations', 'list')[0], 'expr'),
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
