import { parseArgs } from 'node:util';
import { milliseconds } from '../../core/time/duration.ts';
import { MODES, type PrometheusMode } from '../../adapters/prometheus/expressions.ts';

/** What is run, and how long its parts take. */
export interface Settings {
  /** Prometheus is away so long in the first leg; 0: it is not. */
  readonly outageMs: number;
  /** One leg each: how the operator asks Prometheus. */
  readonly modes: readonly PrometheusMode[];
  /** Runs per second of each Orb. */
  readonly rate: number;
  /** Leave the folder with logs and data at the end. */
  readonly keep: boolean;
}

function modeOf(text: string): PrometheusMode {
  const found = MODES.find((mode) => mode === text);
  if (found === undefined) throw new Error(`--modes takes ${MODES.join(',')}`);
  return found;
}

/** Reads `[--outage 10m --modes query,recorded --rate 5 --keep]`. @throws Error for anything else */
export function parseSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      outage: { type: 'string', default: '10m' },
      modes: { type: 'string', default: MODES.join(',') },
      rate: { type: 'string', default: '5' },
      keep: { type: 'boolean', default: false },
    },
  });
  return {
    outageMs: values.outage === '0' ? 0 : milliseconds(values.outage),
    modes: values.modes.split(',').map(modeOf),
    rate: Number(values.rate),
    keep: values.keep,
  };
}
