import type { JsonObject } from '../../../../core/json/json-value.ts';
import { aManifest, checkRows, other, without } from '../manifest/a-manifest.ts';

/** With another provider, and the default of 30 s for a run and 1 s to connect. */
const followed = (execution: JsonObject): JsonObject => aManifest(execution, { providers: { b: other } });

describe('checkDefinitions', () => {
  checkRows([
    [
      'a default of another type',
      aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { default: false } } }),
      ['error manifest-default-type /inputs/a/default'],
    ],
    [
      'a fraction as default of an integer',
      aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { type: 'integer', default: 1.5 } } }),
      ['error manifest-default-type /inputs/a/default'],
    ],
    [
      'a secret as default of a number',
      aManifest(
        { body_template: '{{inputs.a}}' },
        { inputs: { a: { type: 'number', default: '{{orbiset.secrets.N}}' } } },
      ),
      ['error manifest-default-type /inputs/a/default'],
    ],
    [
      'a required input with a default',
      aManifest({ body_template: '{{inputs.a}}' }, { inputs: { a: { required: true, default: 'x' } } }),
      ['warning manifest-required-default /inputs/a/default'],
    ],
    [
      'a pointer into the answer',
      aManifest({}, { outputs: { a: { from: '/body/x~1y/0' }, b: { from: '/headers/etag' }, c: { from: '/status' } } }),
      [],
    ],
    [
      'a pointer to somewhere else',
      aManifest({}, { outputs: { a: { from: '/data/x' } } }),
      ['error manifest-output-pointer /outputs/a/from → /body/data/x'],
    ],
    [
      'a pointer into the status',
      aManifest({}, { outputs: { a: { from: '/status/x' } } }),
      ['error manifest-output-pointer /outputs/a/from → /status'],
    ],
    [
      'a pointer with a bad escape',
      aManifest({}, { outputs: { a: { from: '/body/~2' } } }),
      ['error manifest-output-pointer /outputs/a/from'],
    ],
    [
      'outputs of a provider that the Orb has not',
      aManifest(
        {},
        { outputs: { message_id: {} }, providers: { b: { ...other, outputs: { mesage_id: { from: '/oops' } } } } },
      ),
      [
        'error schema-additionalProperties /providers/b/outputs/mesage_id → message_id',
        'error manifest-output-pointer /providers/b/outputs/mesage_id/from → /body/oops',
      ],
    ],
    ['an objective above the default timeout', aManifest({ slo_ms: 30_001 }), ['error manifest-slo /execution/slo_ms']],
    ['a timeout below the objective that nobody wrote', aManifest({ timeout_ms: 4000 }), []],
    ['an objective equal to the timeout', aManifest({ slo_ms: 4000, timeout_ms: 4000 }), []],
    [
      'an attempt longer than the run',
      aManifest({ timeout_ms: 4000, attempt_timeout_ms: 4001 }),
      ['warning manifest-attempt-timeout /execution/attempt_timeout_ms'],
    ],
    ['attempts that leave time to connect elsewhere', followed({ attempt_timeout_ms: 29_000 }), []],
    [
      'attempts that leave no time for another provider',
      followed({ attempt_timeout_ms: 29_001 }),
      ['warning manifest-attempt-timeout /execution/attempt_timeout_ms'],
    ],
    ['the same where nothing is sent twice', followed({ attempt_timeout_ms: 29_001, method: 'POST' }), []],
    ['the same where there is one attempt', followed({ attempt_timeout_ms: 29_001, retry: { max_attempts: 1 } }), []],
    ['the same with one provider', aManifest({ attempt_timeout_ms: 29_001 }), []],
    [
      'a run that one connection may use up',
      aManifest({ timeout_ms: 5999, connect_timeout_ms: 3000 }),
      ['warning manifest-connect-timeout /execution/timeout_ms'],
    ],
    ['no description', without(aManifest(), 'description'), ['warning manifest-description /description']],
    [
      'a description of 201 characters',
      aManifest({}, { description: 'x'.repeat(201) }),
      ['warning manifest-description /description'],
    ],
    ['a description of 200 characters', aManifest({}, { description: 'x'.repeat(200) }), []],
  ]);
});
