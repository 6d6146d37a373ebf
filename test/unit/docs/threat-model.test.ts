import { expect } from 'chai';
import { parse } from 'yaml';
import type { DefaultFlag } from '../../../adapters/process/flag.ts';
import { HTTP_BOUND_FLAGS } from '../../../adapters/process/http-bound-flags.ts';
import { USE_LIMITS } from '../../../adapters/process/limit-flags.ts';
import { isRecord } from '../../../hack/control-plane/json.ts';
import { readText } from '../../support/docs/repository.ts';

/** Rows of the table of limits: flag, value of the chart, default. */
const ROWS = [
  ...readText('SECURITY.md').matchAll(/^\| `--([a-z-]+)` *\| `(api\.[A-Za-z.]+)` *\| (\S+(?: [KM]iB)?) *\|/gm),
];
const CHART: unknown = parse(readText('charts/orb-platform/values.yaml'));
const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1_048_576 };

/** `16 KiB` → `16384`. */
function plain(shown: string): string {
  const [number = '', unit] = shown.split(' ');
  return unit === undefined ? number : String(Number(number) * (UNITS[unit] ?? 0));
}

const chartValue = (path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), CHART);

describe('limits in SECURITY.md', () => {
  const flags: readonly DefaultFlag<unknown>[] = [...Object.values(HTTP_BOUND_FLAGS), ...Object.values(USE_LIMITS)];

  it('are all that callers have, in the order of the flags', () => {
    expect(ROWS.map(([, flag]) => flag)).to.deep.equal(flags.map(({ name }) => name));
  });

  for (const { name, fallback } of flags)
    it(`have the default of --${name} that the program and the chart have`, () => {
      const [, , path = '', shown = ''] = ROWS.find(([, flag]) => flag === name) ?? [];
      expect(plain(shown)).to.equal(fallback);
      expect(String(chartValue(path))).to.equal(fallback);
    });
});
