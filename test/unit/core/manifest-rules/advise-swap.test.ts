import { expect } from 'chai';
import manifestSchema from '../../../../crds/schemas/manifest.schema.json' with { type: 'json' };
import { SECONDS_BUCKETS } from '../../../../core/failover/seconds-buckets.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { aManifest, checkRows, other } from '../manifest/a-manifest.ts';

const swap = (members: JsonObject, execution: JsonObject = {}): JsonObject =>
  aManifest(execution, { swap_config: members });
const latency = (members: JsonObject = {}, execution: JsonObject = {}): JsonObject =>
  aManifest(execution, { swap_config: { strategy: 'latency', fallbacks: ['b'], ...members }, providers: { b: other } });
const limit = (threshold: number): JsonObject => swap({ latency: { threshold_ms: threshold } });
const TRIAL = ['info manifest-latency-trial /swap_config/strategy'];
const BUCKET = ['info manifest-threshold-bucket /swap_config/latency/threshold_ms'];

const detailOf = (threshold: number): string =>
  checkManifest(limit(threshold), { allowedOrigins: [] }).findings[0]?.detail ?? '';

describe('adviseSwap', () => {
  checkRows([
    ['latency with probes', latency(), []],
    ['latency where probes are switched off', latency({ probe: { mode: 'none' } }), TRIAL],
    ['latency where nothing can be probed', latency({}, { method: 'POST' }), TRIAL],
    ['latency among one provider', swap({ strategy: 'latency' }, { method: 'POST' }), []],
    ['priority without probes', latency({ strategy: 'priority', probe: { mode: 'none' } }), []],
    ['a limit at a bound', limit(2500), []],
    ['a limit at the last bound', limit(120_000), []],
    ['a limit between two bounds', limit(2501), BUCKET],
    ['a limit below the first bound', limit(1), BUCKET],
    ['no limit', swap({ latency: { degrade_ratio: 3 } }), []],
  ]);

  it('names the bounds on both sides of a limit, as far as there are any', () => {
    expect(detailOf(800)).to.include('750 or 1000 is one');
    expect(detailOf(4)).to.include('; 5 is one');
  });

  it('can rely on no run being longer than the last bound', () => {
    const { timeout_ms: timeout, attempt_timeout_ms: attempt } = manifestSchema.$defs.execution.properties;
    expect([timeout.maximum, attempt.maximum]).to.deep.equal([120_000, 120_000]);
    expect(SECONDS_BUCKETS.at(-1)).to.equal(120);
  });
});
