import { expect } from 'chai';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { argoHealth, healthChecks } from '../../support/cluster/argo-health.ts';
import { page } from '../docs/fenced-blocks.ts';

const condition = (type: string, status: string, message: string): JsonObject => ({ type, status, message });
const READY = condition('Ready', 'True', 'It runs.');
const NOT_READY = condition('Ready', 'False', 'No Secret "mail".');
const STALLED = condition('Stalled', 'True', 'Write "text".\nNot "txt".');
const RECONCILING = condition('Reconciling', 'True', 'Going on.');
const status = (observedGeneration: number, ...conditions: readonly JsonObject[]): JsonObject => ({
  observedGeneration,
  conditions: [...conditions],
});

describe('health of our kinds in Argo CD', () => {
  const checks = healthChecks(page('gitops/argocd-cm.yaml'));
  const ours = checks.get('orbs.dev/*') ?? '';
  const applications = checks.get('argoproj.io_Application') ?? '';

  const cases: readonly (readonly [why: string, status: JsonObject | undefined, expected: object])[] = [
    ['nobody has looked at it', undefined, { status: 'Progressing', message: 'waiting for the controller' }],
    ['its status has no conditions', {}, { status: 'Progressing', message: 'waiting for the controller' }],
    [
      'its status is of an older generation',
      status(1, READY),
      { status: 'Progressing', message: 'waiting for the controller' },
    ],
    ['it is Ready', status(2, READY), { status: 'Healthy', message: 'It runs.' }],
    ['it is Ready, said after others', status(2, RECONCILING, READY), { status: 'Healthy', message: 'It runs.' }],
    ['it waits', status(2, NOT_READY, RECONCILING), { status: 'Progressing', message: 'No Secret "mail".' }],
    [
      'a person must act, whatever stands before',
      status(2, NOT_READY, STALLED),
      { status: 'Degraded', message: 'Write "text".\nNot "txt".' },
    ],
    [
      'it was stalled before',
      status(2, condition('Stalled', 'False', 'Over.'), READY),
      { status: 'Healthy', message: 'It runs.' },
    ],
  ];
  for (const [why, seen, expected] of cases)
    it(`is right when ${why}`, async () => {
      const object = { metadata: { generation: 2 }, ...(seen === undefined ? {} : { status: seen }) };
      expect(await argoHealth(ours, object)).to.deep.equal(expected);
    });

  it('of an Application is what it says itself, and nothing before', async () => {
    const degraded = { status: 'Degraded', message: 'a pod restarts' };
    expect(await argoHealth(applications, { status: { health: degraded } })).to.deep.equal(degraded);
    expect(await argoHealth(applications, { status: { health: { status: 'Healthy' } } })).to.deep.equal({
      status: 'Healthy',
      message: '',
    });
    expect(await argoHealth(applications, {})).to.deep.equal({ status: 'Progressing', message: '' });
  });
});
