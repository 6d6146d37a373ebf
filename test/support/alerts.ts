import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isJsonObject } from '../../core/json/json-value.ts';

export const ALERTS_FILE = 'charts/orb-platform/files/alerts/alerts.yaml';

/** A rule of the chart's alerts. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const listAt = (value: unknown, name: string): readonly unknown[] => {
  const found = isJsonObject(value) ? value[name] : undefined;
  return Array.isArray(found) ? found : [];
};

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const members = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(members.flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));
}

function alertOf(rule: unknown): Alert {
  if (!isJsonObject(rule)) throw new Error(`${ALERTS_FILE}: a rule is no object`);
  const { alert, expr, labels, annotations } = rule;
  if (typeof alert !== 'string' || typeof expr !== 'string') throw new Error(`${ALERTS_FILE}: a rule without a name`);
  return { name: alert, expr, labels: textsOf(labels), annotations: textsOf(annotations) };
}

/** The alerts in the order of the file. */
export function readAlerts(): readonly Alert[] {
  const file: unknown = parse(readFileSync(ALERTS_FILE, 'utf8'));
  return listAt(file, 'groups').flatMap((group) => listAt(group, 'rules').map(alertOf));
}

export const alertNames = (): readonly string[] => readAlerts().map(({ name }) => name);
