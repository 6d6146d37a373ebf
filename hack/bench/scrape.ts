/** One sample of a Prometheus text exposition. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of a process at one moment. */
export interface Scrape {
  /** Whether there is a sample of that name. */
  readonly has: (name: string) => boolean;
  /** Sum over all samples of that name whose labels match. */
  readonly sum: (name: string, labels?: Readonly<Record<string, string>>) => number;
  /** Upper bound → cumulative count of a histogram, summed over its label sets. */
  readonly buckets: (name: string, labels?: Readonly<Record<string, string>>) => ReadonlyMap<number, number>;
}

const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

function parse(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = SAMPLE.exec(line);
    if (match === null) return [];
    const labels = Object.fromEntries(
      [...(match[2] ?? '').matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]),
    );
    return [{ name: match[1] ?? '', labels, value: Number(match[3]?.replace('+Inf', 'Infinity')) }];
  });
}

const fits = (sample: Sample, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([name, value]) => sample.labels[name] === value);

/** @param text a Prometheus text exposition */
export function readScrape(text: string): Scrape {
  const samples = parse(text);
  return {
    has: (name) => samples.some((sample) => sample.name === name),
    sum: (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name && fits(sample, labels))
        .reduce((total, { value }) => total + value, 0),
    buckets: (name, labels = {}) => {
      const found = new Map<number, number>();
      for (const sample of samples) {
        if (sample.name !== `${name}_bucket` || !fits(sample, labels)) continue;
        const bound = sample.labels['le'] === '+Inf' ? Infinity : Number(sample.labels['le']);
        found.set(bound, (found.get(bound) ?? 0) + sample.value);
      }
      return found;
    },
  };
}

/** Fetches `/metrics`. */
export const scrape = async (url: string): Promise<Scrape> => readScrape(await (await fetch(url)).text());

/** Smallest bucket bound that covers the quantile of the observations between two scrapes; 0 without observations. */
export function quantileBetween(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  quantile: number,
): number {
  const total = (after.get(Infinity) ?? 0) - (before.get(Infinity) ?? 0);
  const wanted = total * quantile;
  const bounds = [...after.keys()].toSorted((one, other) => one - other);
  return total === 0
    ? 0
    : (bounds.find((bound) => (after.get(bound) ?? 0) - (before.get(bound) ?? 0) >= wanted) ?? Infinity);
}
