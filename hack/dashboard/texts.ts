import type { Looks } from './dashboards.ts';

const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#bf3989', '#0a7ea4', '#57606a'];
/** Grafana's names of colours. */
const NAMED: Readonly<Record<string, string>> = {
  green: '#1a7f37',
  yellow: '#bf8700',
  orange: '#bc4c00',
  red: '#d1242f',
  blue: '#1f6feb',
  text: '#57606a',
};
const MINUTE = 60;
const HOUR = 3600;

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const round = (value: number): string => String(Math.round(value * 10) / 10);

export const colourOf = (index: number): string => COLOURS[index % COLOURS.length] ?? '#000';

/** A value with three significant digits, thousands with a narrow space. */
const digits = (value: number): string => {
  const rounded = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
  return String(rounded).replaceAll(/\B(?=(?:\d{3})+$)/g, rounded >= 1000 ? '\u202f' : '');
};

function seconds(value: number): string {
  if (value === 0) return '0 s';
  if (value < 1) return `${digits(value * 1000)} ms`;
  if (value < MINUTE || (value < 2 * MINUTE && value !== MINUTE)) return `${digits(value)} s`;
  return value < 2 * HOUR ? `${digits(value / MINUTE)} min` : `${digits(value / HOUR)} h`;
}

const SCALES: Readonly<Record<string, (value: number) => string>> = {
  s: seconds,
  bytes: (value) => `${digits(value / 1024 / 1024)} MiB`,
  percentunit: (value) => `${digits(value * 100)} %`,
  reqps: (value) => `${digits(value)}/s`,
  cps: (value) => `${digits(value)}/s`,
  d: (value) => `${digits(value)} d`,
};

/** A value with its unit, for people. */
export const withUnit = (value: number, unit: string): string => (SCALES[unit] ?? digits)(value);

/** The text and the colour of a value, as Grafana's mappings and thresholds give them. */
export function lookOf(value: number, unit: string, { texts, steps }: Looks): { text: string; colour: string } {
  const mapped = texts[String(value)];
  const step = steps.findLast(({ from }) => value >= from);
  const colour = NAMED[mapped?.colour ?? step?.colour ?? 'text'] ?? '#57606a';
  return { text: mapped?.text ?? withUnit(value, unit), colour };
}
