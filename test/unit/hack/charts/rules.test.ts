import { expect } from 'chai';
import { checkObjects } from '../../../../hack/charts/rules.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const pod = (image: string): Readonly<Record<string, unknown>> => ({
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ image }] },
});
const cronJob = (image: string): Readonly<Record<string, unknown>> => ({
  kind: 'CronJob',
  metadata: { name: 'c' },
  spec: { jobTemplate: { spec: { template: { spec: { initContainers: [{ image }] } } } } },
});
const selecting = (labels: object): Readonly<Record<string, unknown>> => ({
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { selector: { matchLabels: labels } },
});

const rows: readonly (readonly [string, Readonly<Record<string, unknown>>, string | undefined])[] = [
  ['a version', pod('localhost/orb-platform:0.1.0'), undefined],
  ['a digest, beside any tag', pod(`localhost:5000/orb-platform:latest@${DIGEST}`), undefined],
  ['the tag latest', pod('localhost/orb-platform:latest'), 'has the tag latest'],
  ['no tag, and a port in the registry', pod('localhost:5000/orb-platform'), 'has neither tag nor digest'],
  ['latest in a CronJob', cronJob('x:latest'), 'has the tag latest'],
  ['a name in a selector', selecting({ 'app.kubernetes.io/name': 'x' }), undefined],
  ['the version in a selector', selecting({ 'app.kubernetes.io/version': '1' }), 'app.kubernetes.io/version'],
  ['the chart in a selector', selecting({ 'helm.sh/chart': 'x-1' }), 'helm.sh/chart'],
];

describe('checkObjects', () => {
  for (const [why, object, fault] of rows)
    it(`${fault === undefined ? 'passes' : 'finds'} ${why}`, () => {
      const found = checkObjects({ subject: { chart: 'charts/x', values: undefined }, objects: [object] });
      expect(found.length).to.equal(fault === undefined ? 0 : 1);
      expect(found[0]?.what ?? '').to.include(fault ?? '');
    });
});
