import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { aManifest, briefs, checkRows, json, mail, other, without } from './a-manifest.ts';

describe('the schema of a manifest', () => {
  checkRows([
    ['no object', [], ['error schema-type ']],
    ['a missing member', without(mail, 'provider'), ['error schema-required /provider']],
    [
      'two unknown members, with the nearest known names',
      { ...mail, swapConfig: {}, provders: {} },
      [
        'error schema-additionalProperties /swapConfig → swap_config',
        'error schema-additionalProperties /provders → providers',
      ],
    ],
    [
      'an unknown member that is near nothing',
      { ...mail, colour: 'red' },
      ['error schema-additionalProperties /colour'],
    ],
    [
      'an unknown member of execution',
      aManifest({ timeout: 5 }),
      ['error schema-additionalProperties /execution/timeout → timeout_ms'],
    ],
    [
      'an unknown member of execution that is near one',
      aManifest({ body_tempalte: '' }),
      ['error schema-additionalProperties /execution/body_tempalte → body_template'],
    ],
    ['pin, which is no member of a manifest', { ...mail, pin: {} }, ['error schema-additionalProperties /pin']],
    ['a malformed orb_id', { ...mail, orb_id: 'acme.send-email@1' }, ['error schema-pattern /orb_id']],
    ['a method in lower case', aManifest({ method: 'post' }), ['error schema-enum /execution/method → POST']],
    ['a method that is none', aManifest({ method: 'CONNECT' }), ['error schema-enum /execution/method']],
    ['a number where a string belongs', { ...mail, description: 5 }, ['error schema-type /description']],
    ['a timeout beyond 120 s', aManifest({ timeout_ms: 120_001 }), ['error schema-maximum /execution/timeout_ms']],
    [
      'a connect timeout below 100 ms',
      aManifest({ connect_timeout_ms: 99 }),
      ['error schema-minimum /execution/connect_timeout_ms'],
    ],
    ['a fourth redirect', aManifest({ follow_redirects: 4 }), ['error schema-maximum /execution/follow_redirects']],
    [
      'an input name that no placeholder can hold',
      aManifest({}, { inputs: { 'reply-to': {} } }),
      ['error schema-propertyNames /inputs/reply-to'],
    ],
    [
      'a header name with a space',
      aManifest({ headers: { 'X Y': '1' } }),
      ['error schema-propertyNames /execution/headers/X Y'],
    ],
    [
      'an unknown type',
      aManifest({}, { inputs: { a: { type: 'strng' } } }),
      ['error schema-enum /inputs/a/type → string'],
    ],
    [
      'a ninth capability',
      { ...mail, capabilities: Array.from({ length: 9 }, () => 'text.generate') },
      ['error schema-maxItems /capabilities'],
    ],
    ['null as a member', { ...mail, description: null }, ['error manifest-null /description']],
    [
      'null deep inside',
      aManifest({}, { inputs: { a: { type: 'object', default: { b: [null] } } } }),
      ['error manifest-null /inputs/a/default/b/0'],
    ],
    [
      '__proto__ as a name',
      aManifest({}, { inputs: json('{"__proto__":{}}') }),
      ['error unsafe-name /inputs/__proto__'],
    ],
    [
      'minus zero inside a default',
      aManifest({}, { inputs: { a: { type: 'array', default: [{ b: -0 }] } } }),
      ['error minus-zero /inputs/a/default/0/b'],
    ],
    [
      'null and minus zero, with everything else that is wrong',
      aManifest({ method: null, body_template: '{{inputs.text}}' }, { inputs: { a: { default: -0, typ: 'number' } } }),
      [
        'error minus-zero /inputs/a/default',
        'error manifest-null /execution/method',
        'error schema-additionalProperties /inputs/a/typ → type',
        'error manifest-unknown-input /execution/body_template',
      ],
    ],
    ['half of a surrogate pair', { ...mail, description: '\ud800' }, ['error invalid-unicode /description']],
  ]);

  it('accepts every member of swap_config', () => {
    const swap: JsonObject = {
      primary: 'main',
      fallbacks: ['b'],
      strategy: 'latency',
      latency: {
        quantile: 0.9,
        threshold_ms: 800,
        degrade_ratio: 2,
        min_abs_ms: 500,
        min_improvement: 0.2,
        windows: ['2m', '10m'],
        min_samples: 20,
        base_min_samples: 50,
        consecutive: 3,
        evaluation_interval: '15s',
      },
      hard_failure: { error_ratio: 0.5, min_requests: 10, consecutive_failures: 5 },
      dwell: { min: '60s', hold_down: '5m', multiplier: 2, max: '30m', jitter: 0.1, max_swaps_per_hour: 6 },
      failback: {
        mode: 'manual',
        consecutive: 12,
        max_ratio: 1.25,
        min_probe_ok: 0.95,
        min_probe_samples: 8,
        ramp: [10, 100],
        ramp_step: '60s',
      },
      probe: {
        mode: 'none',
        interval: '30s',
        jitter: 0.2,
        timeout: '500ms',
        max_per_hour: 150,
        inputs: { a: 'x' },
        orbiset: 'support',
      },
    };
    const found = briefs(aManifest({}, { swap_config: swap, providers: { b: other } }));
    expect(found.filter((text) => !text.startsWith('info '))).to.deep.equal([]);
  });

  it('accepts every member of execution', () => {
    const execution: JsonObject = {
      type: 'http',
      method: 'PUT',
      headers: { 'X-A': 'b' },
      body_template: '{}',
      timeout_ms: 30_000,
      connect_timeout_ms: 1000,
      attempt_timeout_ms: 15_000,
      body_idle_ms: 5000,
      idempotent: true,
      idempotency_header: 'Idempotency-Key',
      slo_ms: 500,
      retry: { max_attempts: 3, on_status: [408, 503], not_executed_status: [] },
      follow_redirects: 3,
      expose_error_body: true,
      max_response_bytes: 4_194_304,
      probe: {
        method: 'GET',
        url: 'https://orbs.example/up',
        headers: {},
        body_template: '',
        expect: { status: [204], pointer: '/ok', equals: true },
      },
    };
    expect(briefs(aManifest(execution))).to.deep.equal([]);
  });

  for (const strategy of [
    'error_rate',
    'weighted',
    'cost',
    'round_robin',
    'p2c_ewma',
    'least_inflight',
    'quota',
    'region',
    'trust',
  ])
    it(`refuses the reserved strategy ${strategy} and names the two there are`, () => {
      const [finding] = checkManifest({ ...mail, swap_config: { strategy } }, { allowedOrigins: [] }).findings;
      expect(finding).to.include({ code: 'schema-enum', pointer: '/swap_config/strategy' });
      expect(finding?.detail).to.match(/reserved.*latency or priority/);
    });

  it('names at most 50 faults', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`zz${index}`, 1]));
    expect(checkManifest({ ...mail, ...many }, { allowedOrigins: [] }).findings).to.have.lengthOf(50);
  });
});
