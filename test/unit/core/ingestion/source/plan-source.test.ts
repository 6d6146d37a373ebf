import { expect } from 'chai';
import { planSource } from '../../../../../core/ingestion/source/plan-source.ts';
import { SOURCE_REASONS } from '../../../../../core/ingestion/source/reasons.ts';
import { receivingStatus, type ReceivingFacts } from '../../../../../core/ingestion/source/receiving-status.ts';
import { member } from '../../../../../core/json/members.ts';
import type { Condition } from '../../../../../core/reconcile/conditions.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';
import { conditionsOf } from '../../../../../core/reconcile/read-object.ts';
import { BROKEN_SPEC, GRAFANA_SPEC } from '../../../../support/signal-sources.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const OPTIONS = { platformNamespace: 'orb-system', now: NOW };

const object = (spec: unknown, status: KubeObject['status'] = {}): KubeObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbSignalSource',
  metadata: { name: 'grafana', namespace: 'acme', uid: 'u', resourceVersion: '1', generation: 4 },
  spec,
  status,
});

const shown = (conditions: readonly Condition[]): readonly string[] =>
  conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
const planned = (spec: unknown, status?: KubeObject['status']): readonly Condition[] =>
  planSource(object(spec, status), OPTIONS).status?.conditions ?? [];

const reported = (status: string, observedGeneration = 4): KubeObject['status'] => ({
  conditions: [
    {
      type: 'SecretsReadable',
      status,
      reason: 'Said',
      message: 'Secret hook is away.',
      observedGeneration,
      lastTransitionTime: '2026-11-20T09:00:00Z',
    },
  ],
});

describe('the status of a signal source by the operator', () => {
  const rows: readonly (readonly [string, unknown, KubeObject['status'], readonly string[]])[] = [
    ['waits for the API', GRAFANA_SPEC, {}, ['Ready Unknown Pending', 'Reconciling True Pending']],
    [
      'does not count what the API said of an earlier generation',
      GRAFANA_SPEC,
      reported('True', 3),
      ['Ready Unknown Pending', 'Reconciling True Pending'],
    ],
    ['is ready when the secrets can be read', GRAFANA_SPEC, reported('True'), ['Ready True Accepted']],
    ['is not ready without its secrets', GRAFANA_SPEC, reported('False'), ['Ready False SecretUnusable']],
    ['is not ready when it is off', { ...GRAFANA_SPEC, mode: 'Disabled' }, {}, ['Ready False Disabled']],
    [
      'stalls with an expression that does not compile',
      BROKEN_SPEC,
      {},
      ['Ready False MappingInvalid', 'Stalled True MappingInvalid'],
    ],
    ['stalls without a spec', undefined, {}, ['Ready False SpecInvalid', 'Stalled True SpecInvalid']],
    [
      'stalls with an unknown type',
      { ...GRAFANA_SPEC, type: 'nagios' },
      {},
      ['Ready False SpecInvalid', 'Stalled True SpecInvalid'],
    ],
  ];
  for (const [why, spec, status, wanted] of rows)
    it(why, () => {
      expect(shown(planned(spec, status))).to.deep.equal(wanted);
    });

  it('says where the fault is and what to write', () => {
    const [ready] = planned(BROKEN_SPEC);
    expect(ready?.message).to.equal(
      'spec.mapping.fields.title: line 1, column 1: this is no CEL expression (parse-error)',
    );
  });

  it('has an event when readiness changes, and none while it waits', () => {
    expect(planSource(object(GRAFANA_SPEC), OPTIONS).events).to.deep.equal([]);
    const { events } = planSource(object(BROKEN_SPEC), OPTIONS);
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal(['Warning MappingInvalid']);
  });

  it('gives only reasons that are documented', () => {
    const given = rows.flatMap(([, , , conditions]) => conditions.map((text) => text.split(' ')));
    for (const [type = '', , reason = ''] of given)
      expect(member(member(SOURCE_REASONS, type), reason)).to.be.an('object');
  });
});

const SOURCE: NonNullable<ReceivingFacts['source']> = {
  sourceId: 'src_x',
  trust: 'signed',
  fingerprintRule: 'alerts[].fingerprint',
  mode: 'Active',
  generation: 4,
};
const FACTS: ReceivingFacts = { source: SOURCE, unusable: undefined, activity: undefined };

describe('the status of a signal source by the API', () => {
  const rows: readonly (readonly [string, Partial<ReceivingFacts>, readonly string[]])[] = [
    ['receives', {}, ['Receiving True Receiving', 'SecretsReadable True SecretsReadable']],
    [
      'receives by an earlier generation',
      { source: { ...SOURCE, generation: 3 } },
      ['Receiving True LastValidVersion', 'SecretsReadable True SecretsReadable'],
    ],
    [
      'is off',
      { source: { ...SOURCE, mode: 'Disabled' } },
      ['Receiving False Disabled', 'SecretsReadable True SecretsReadable'],
    ],
    ['was never valid', { source: undefined }, ['Receiving False NeverValid']],
    ...(
      [
        ['forbidden', 'SecretForbidden'],
        ['not-found', 'SecretNotFound'],
        ['key-missing', 'SecretKeyMissing'],
        ['empty', 'SecretEmpty'],
        ['malformed', 'SecretMalformed'],
      ] as const
    ).map(
      ([fault, reason]) =>
        [
          `has a secret that is ${fault}`,
          { unusable: { fault, secret: 'hook', key: 'current' } },
          ['Receiving False SecretUnusable', `SecretsReadable False ${reason}`],
        ] as const,
    ),
  ];
  for (const [why, facts, wanted] of rows)
    it(`says that it ${why}`, () => {
      const status = receivingStatus(object(GRAFANA_SPEC), { ...FACTS, ...facts }, NOW);
      expect(shown(status.conditions)).to.deep.equal(wanted);
    });

  it('names Secret and key, and never a value', () => {
    const unusable = { fault: 'empty', secret: 'hook', key: 'current' } as const;
    const { conditions } = receivingStatus(object(GRAFANA_SPEC), { ...FACTS, unusable }, NOW);
    expect(conditions[1]?.message).to.equal('Secret hook, key current: it is empty under this key.');
  });

  it('tells the path, and what came', () => {
    const activity = { accepted: 3, duplicates: 2, rejected: 1, deadLetters: 0, lastEventAt: NOW };
    expect(receivingStatus(object(GRAFANA_SPEC), { ...FACTS, activity }, NOW)).to.deep.include({
      sourceId: 'src_x',
      urlPath: '/ingest/src_x',
      trust: 'signed',
      fingerprintRule: 'alerts[].fingerprint',
      lastEventAt: '2026-11-20T10:00:00.000Z',
      counts: { accepted: 3, duplicates: 2, rejected: 1, deadLetters: 0 },
    });
  });

  it('keeps the counts that it shows until new ones are known', () => {
    const before = { counts: { accepted: 7 }, lastEventAt: '2026-11-19T10:00:00Z' };
    expect(receivingStatus(object(GRAFANA_SPEC, before), FACTS, NOW)).to.deep.include(before);
    expect(conditionsOf(object(GRAFANA_SPEC, before))).to.deep.equal([]);
  });
});
