import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { DURATION_BOUNDS } from '../../../../core/manifest-rules/check-swap.ts';
import { aManifest, briefs, checkRows, type Row } from '../manifest/a-manifest.ts';

const swap = (members: JsonObject): JsonObject => aManifest({}, { swap_config: members });
const beyond = (text: string): string => text.replace(/^[0-9]+/, (digits) => String(Number(digits) + 1));
const UNSAFE = ['error manifest-probe-unsafe /swap_config/probe/mode'];
const synthetic = { swap_config: { probe: { mode: 'synthetic' } } };

const order: readonly Row[] = [
  ['windows in ascending order', swap({ latency: { windows: ['2m', '10m'] } }), []],
  [
    'windows in descending order',
    swap({ latency: { windows: ['5m', '2m'] } }),
    ['error manifest-swap-windows /swap_config/latency/windows'],
  ],
  [
    'a window twice',
    swap({ latency: { windows: ['2m', '2m'] } }),
    ['error manifest-swap-windows /swap_config/latency/windows'],
  ],
  ['a ramp of one step', swap({ failback: { ramp: [100] } }), []],
  [
    'a ramp that does not end',
    swap({ failback: { ramp: [10, 50] } }),
    ['error manifest-swap-ramp /swap_config/failback/ramp'],
  ],
  [
    'a ramp that stands still',
    swap({ failback: { ramp: [50, 50, 100] } }),
    ['error manifest-swap-ramp /swap_config/failback/ramp'],
  ],
  ['evaluations every other tick', swap({ latency: { evaluation_interval: '30s' } }), []],
  [
    'evaluations between two ticks',
    swap({ latency: { evaluation_interval: '20s' } }),
    ['error manifest-swap-duration /swap_config/latency/evaluation_interval'],
  ],
  ['a longest hold as long as the first', swap({ dwell: { hold_down: '1h', max: '3600s' } }), []],
  [
    'a first hold beyond the default of the longest',
    swap({ dwell: { hold_down: '31m' } }),
    ['error manifest-swap-dwell /swap_config/dwell/max'],
  ],
  [
    'a longest hold below the default of the first',
    swap({ dwell: { max: '4m' } }),
    ['error manifest-swap-dwell /swap_config/dwell/max'],
  ],
];

const probes: readonly Row[] = [
  [
    'as many probes as five minutes hold',
    swap({ probe: { interval: '100s' }, failback: { min_probe_samples: 3 } }),
    [],
  ],
  [
    'one probe more',
    swap({ probe: { interval: '100s' }, failback: { min_probe_samples: 4 } }),
    ['error manifest-probe-samples /swap_config/probe/interval'],
  ],
  [
    'an interval that is too long for the default of samples',
    swap({ probe: { interval: '37501ms' } }),
    ['error manifest-probe-samples /swap_config/probe/interval'],
  ],
  ['as many an hour as the interval makes', swap({ probe: { interval: '10s', max_per_hour: 360 } }), []],
  [
    'a budget that is one short',
    swap({ probe: { interval: '10s', max_per_hour: 359 } }),
    ['error manifest-probe-budget /swap_config/probe/max_per_hour'],
  ],
  ['any interval without probes', swap({ probe: { mode: 'none', interval: '1h', max_per_hour: 1 } }), []],
  ['synthetic probes of a GET', aManifest({}, synthetic), []],
  ['synthetic probes of a HEAD with a body', aManifest({ method: 'HEAD', body_template: 'x' }, synthetic), []],
  ['synthetic probes of a POST', aManifest({ method: 'POST' }, synthetic), UNSAFE],
  ['synthetic probes of a POST by its body', aManifest({ body_template: 'x' }, synthetic), UNSAFE],
  [
    'synthetic probes with a request of their own',
    aManifest({ method: 'POST', probe: { method: 'GET' } }, synthetic),
    [],
  ],
  [
    'synthetic probes of a POST that only say what to expect',
    aManifest({ method: 'POST', probe: { expect: { status: [200] } } }, synthetic),
    UNSAFE,
  ],
  [
    'synthetic probes that another provider can not have',
    aManifest({}, { ...synthetic, providers: { b: { execution: { url: 'https://b.example/', method: 'PUT' } } } }),
    UNSAFE,
  ],
];

describe('checkSwap', () => {
  checkRows([...order, ...probes]);

  for (const { group, member, min, max } of DURATION_BOUNDS) {
    // Other rules have their say about some of these; here it is about the bounds alone.
    const out = (value: string): boolean =>
      briefs(swap({ [group]: { [member]: value } })).includes(
        `error manifest-swap-duration /swap_config/${group}/${member}`,
      );

    it(`takes ${group}.${member} from ${min} to ${max} and nothing beyond`, () => {
      expect([out(min), out(max)]).to.deep.equal([false, false]);
      expect([out('1ms'), out(beyond(max))]).to.deep.equal([true, true]);
    });
  }
});
