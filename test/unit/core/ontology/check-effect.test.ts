import { expect } from 'chai';
import { checkEffect } from '../../../../core/ontology/check-effect.ts';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { checkOntologyRows, classifier } from './an-ontology.ts';

const WRITES = { capabilities: ['record.write'], effect: 'reversible' };
const READS = { method: 'GET', body_template: undefined };
const OTHER = { url: 'https://b.example/run', method: 'POST' };

/** Two providers, each with these members. */
const two = (members: Readonly<Record<string, string | boolean>>, effect: string): ReturnType<typeof classifier> =>
  classifier(
    { effect, swap_config: { fallbacks: ['b'] }, providers: { b: { execution: { ...OTHER, ...members } } } },
    members,
  );
const UNUSED = ['warning ontology-failover-unused /swap_config/fallbacks'];

describe('checkEffect', () => {
  checkOntologyRows(checkEffect, [
    ['an effect that is the minimum', classifier(WRITES), []],
    ['an effect that is stronger', classifier({ ...WRITES, effect: 'irreversible' }), []],
    [
      'an effect that is weaker',
      classifier({ ...WRITES, effect: 'none' }),
      ['error ontology-effect-understated /effect → reversible'],
    ],
    [
      'an effect that is weaker than one of several capabilities',
      classifier({ capabilities: ['text.classify', 'payment.refund', 'record.write'], effect: 'reversible' }),
      ['error ontology-effect-understated /effect → irreversible'],
    ],
    ['no effect', classifier({ capabilities: ['payment.refund'], effect: undefined }), []],
    ['an effect beside a private capability', classifier({ capabilities: ['x-acme.pay'] }), []],
    ['GET without an effect', classifier({}, READS), []],
    [
      'GET with an effect',
      classifier({ effect: 'reversible' }, READS),
      ['warning ontology-effect-method /execution/method'],
    ],
    [
      'HEAD with an effect that its capability has',
      classifier({ capabilities: ['record.write'], effect: undefined }, { ...READS, method: 'HEAD' }),
      ['warning ontology-effect-method /execution/method'],
    ],
    [
      'an unwritten GET with an effect',
      classifier({ effect: 'irreversible' }, { method: undefined, body_template: undefined }),
      ['warning ontology-effect-method /execution'],
    ],
    ['an unwritten POST with an effect', classifier({ effect: 'irreversible' }, { method: undefined }), []],
    ['DELETE with an effect', classifier({ effect: 'irreversible' }, { method: 'DELETE' }), []],
    [
      'GET of another provider with an effect',
      classifier({ effect: 'reversible', providers: { b: { execution: { url: 'https://b.example/run' } } } }),
      ['warning ontology-effect-method /providers/b/execution'],
    ],
    ['fallbacks of requests with an effect', two({}, 'irreversible'), UNUSED],
    ['fallbacks of requests without an effect', two({}, 'none'), []],
    ['fallbacks of requests that may be sent twice', two({ idempotent: true }, 'reversible'), []],
    ['fallbacks of requests with a key', two({ idempotency_header: 'Idempotency-Key' }, 'irreversible'), []],
    [
      'a fallback that may not be sent twice',
      classifier(
        { effect: 'reversible', swap_config: { fallbacks: ['b'] }, providers: { b: { execution: OTHER } } },
        { idempotent: true },
      ),
      UNUSED,
    ],
    [
      'a second provider that is no fallback',
      classifier({ effect: 'reversible', providers: { b: { execution: OTHER } } }),
      [],
    ],
    [
      'a fallback that nothing defines',
      classifier({ effect: 'reversible', swap_config: { fallbacks: ['c'] } }, { idempotent: true }),
      [],
    ],
  ]);

  it('names the capability whose effect is stronger, and the executions that are sent once', () => {
    const [understated] = checkEffect(classifier({ ...WRITES, effect: 'none' }), ORB_ONTOLOGY);
    expect(understated?.detail).to.include('record.write').and.to.include('"reversible"');
    const [unused] = checkEffect(two({}, 'reversible'), ORB_ONTOLOGY);
    expect(unused?.detail).to.include('/execution and /providers/b/execution');
  });
});
