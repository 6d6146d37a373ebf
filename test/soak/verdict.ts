import type { SoakedLedger } from './check-soaked.ts';
import type { ProcessSample } from './process-sample.ts';
import { slopeOf, type Slope } from './slope.ts';

/** What the callers of a soak got. */
export interface Loaded {
  requests: number;
  refused: number;
  firstRefusal: string;
}

interface Soaked {
  readonly minutes: number;
  /** MB an hour. */
  readonly bound: number;
  readonly loaded: Loaded;
  readonly ledger: SoakedLedger;
  /** Exit code of the platform. */
  readonly code: number | null;
}

/** What a soak has shown. */
interface Verdict {
  readonly rows: readonly (readonly [what: string, figure: string])[];
  readonly resident: Slope;
  readonly anonymous: Slope;
  readonly descriptors: Slope;
  /** Empty: it passed. */
  readonly faults: readonly string[];
}

interface Moved extends Pick<Verdict, 'resident' | 'descriptors'> {
  /** Descriptors at the end less those after the first quarter. */
  readonly grown: number;
}

const WARM_SHARE = 0.25;
/** Descriptors that a few connections of callers more or less make. */
const FEW = 8;
const MOST_REFUSED = 0.01;

/** Descriptors of a sample, on average. */
const openIn = (samples: readonly ProcessSample[]): number =>
  samples.reduce((sum, { descriptors }) => sum + descriptors, 0) / samples.length;

const slopeText = ({ perHour, low, high }: Slope): string =>
  `${perHour.toFixed(2)} an hour, 95 % between ${low.toFixed(2)} and ${high.toFixed(2)}`;

export const refusedText = ({ refused, requests, firstRefusal }: Loaded): string =>
  `${refused} of ${requests} runs were refused, the first with ${firstRefusal}`;

function faultsOf({ resident, descriptors, grown }: Moved, { bound, loaded, ledger, code }: Soaked): readonly string[] {
  const found: readonly (readonly [boolean, string])[] = [
    [resident.low > bound, `resident memory rises faster than ${bound} MB an hour`],
    [descriptors.low > 0 && grown > FEW, `descriptors rise: ${grown.toFixed(1)} more at the end`],
    [ledger.lost > 0, `${ledger.lost} acknowledged receipts are lost`],
    [ledger.open > 0, `${ledger.open} runs were left open`],
    [loaded.refused > loaded.requests * MOST_REFUSED, refusedText(loaded)],
    [code !== 0, `the platform ended with ${code}`],
  ];
  return [...found.filter(([isFound]) => isFound).map(([, text]) => text), ...ledger.faults];
}

export function verdictOf(samples: readonly ProcessSample[], soaked: Soaked): Verdict {
  const warm = samples.filter(({ at }) => at >= soaked.minutes * 60 * WARM_SHARE);
  const of = (name: 'resident' | 'anonymous' | 'descriptors'): Slope =>
    slopeOf(warm.map((sample) => ({ at: sample.at, value: sample[name] })));
  const slopes = { resident: of('resident'), anonymous: of('anonymous'), descriptors: of('descriptors') };
  const quarter = Math.ceil(warm.length / 4);
  const [first, last] = [openIn(warm.slice(0, quarter)), openIn(warm.slice(-quarter))];
  const faults = faultsOf({ ...slopes, grown: last - first }, soaked);
  const { ledger } = soaked;
  const rows = [
    ['resident memory, MB', slopeText(slopes.resident)],
    [
      '  at the end of the first quarter, and at the end',
      `${warm[0]?.resident.toFixed(1)}, ${warm.at(-1)?.resident.toFixed(1)}`,
    ],
    ['  of it anonymous', slopeText(slopes.anonymous)],
    ['descriptors', `${slopeText(slopes.descriptors)}; ${first.toFixed(1)}, then ${last.toFixed(1)}`],
    ['runs', String(ledger.runs)],
    ['receipts acknowledged', String(ledger.acknowledged)],
    ['  of them lost', String(ledger.lost)],
    ['entries of the log, verified', String(ledger.logSize)],
    ['faults', String(faults.length)],
  ] as const;
  return { rows, ...slopes, faults };
}
