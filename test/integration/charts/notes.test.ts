import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  objectsIn,
  openHelm,
  PLATFORM_CHART,
  textAt,
  titleOf,
  type Helm,
} from '../../support/cluster/platform-chart.ts';

const KEY = 'kubectl orb keys create --tenant orb-example --scope orbs:execute --scope receipts:read';
const RUN = "kubectl orb run example.echo@1.0.0 text='Hello, Orb' -n orb-example";
const INGRESS = 'ingress.enabled=true,ingress.hosts={a.b,c.d},ingress.tls[0].secretName=x';
const PROMETHEUS = 'prometheus.url=http://prometheus.monitoring';
const MONITORING = ['--api-versions', 'monitoring.coreos.com/v1'];
// `helm install` takes no --api-versions: the same text as an object.
const AS_OBJECT = `extraObjects:
  - |
    kind: ConfigMap
    apiVersion: v1
    metadata: { name: notes }
    data: { text: {{ include "orb-platform/templates/NOTES.txt" . | toJson }} }
`;

interface Case {
  readonly why: string;
  readonly release?: string;
  readonly namespace?: string;
  readonly values?: string;
  readonly says: readonly string[];
  readonly leavesOut?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    why: 'defaults',
    says: [
      'https://orb-api.orb-system.svc.cluster.local:443\n',
      'There is no Prometheus',
      "kubectl get secret orb-api-tls -n orb-system -o jsonpath='{.data.ca\\.crt}' | base64 -d\n",
      'https://orbs.localhost permanently',
      'kubectl get pods -n orb-system\n  helm test orb -n orb-system\n',
      '--tenant NAMESPACE --scope orbs:execute --scope receipts:read\n',
      'orb-platform-keys exist nowhere else',
      '  kubectl orb ledger init --secret -n orb-system\n',
    ],
    leavesOut: ['ServiceMonitor', '--platform-namespace', 'orb-example'],
  },
  {
    why: 'the example in another namespace, by another name',
    release: 'mine',
    namespace: 'other',
    values: 'example.enabled=true,crds.enabled=false,api.keys.secretName=ours',
    says: [
      'ours exist nowhere else',
      '  kubectl orb ledger init --secret=ours -n other\n',
      `export ORB_API_KEY=$(${KEY} --platform-namespace other)\n  ${RUN} --platform-namespace other\n`,
      'helm test mine -n other\n',
      'get secret orb-api-tls -n other',
    ],
    leavesOut: ['orb-system'],
  },
  {
    why: 'an Ingress and an issuer',
    values: `${INGRESS},api.issuer=https://a.b`,
    says: ['http://orb-api.orb-system.svc.cluster.local:80\nand others at https://a.b\nand others at https://c.d\n'],
    leavesOut: ['orb-api-tls', 'orbs.localhost'],
  },
  {
    why: 'a certificate of your own, and a Prometheus without its operator',
    values: `api.tls.secretName=mine,${PROMETHEUS}`,
    says: ['The cluster has no ServiceMonitors'],
    leavesOut: ['self-signed', 'There is no Prometheus'],
  },
];

describe('what an install of orb-platform says', () => {
  let helm: Helm;
  let folder: string;
  let file: string;
  before(async () => {
    helm = await openHelm();
    folder = mkdtempSync(join(tmpdir(), 'orb-notes-'));
    file = join(folder, 'values.yaml');
    writeFileSync(file, AS_OBJECT);
  });
  after(() => {
    helm.remove();
    rmSync(folder, { recursive: true });
  });

  for (const { why, release = 'orb', namespace = 'orb-system', values, says, leavesOut = [] } of CASES)
    it(`fits ${why}`, async () => {
      const place = ['install', release, PLATFORM_CHART, '-n', namespace, '--dry-run=client'];
      const { stdout, stderr } = await helm.run([...place, ...(values === undefined ? [] : ['--set', values])]);
      const [, notes = stderr] = stdout.split('\nNOTES:\n');
      for (const text of says) expect(notes).to.contain(text);
      for (const text of leavesOut) expect(notes).not.to.contain(text);
    });

  const withMonitoring: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    ['what it watches itself', 'prometheus.mode=recorded', [], ['orb-api-metrics', 'load them yourself']],
    ['no ServiceMonitors', 'metrics.serviceMonitor.enabled=false', ['orb-api-metrics'], ['load them yourself']],
    [
      'no rules, where failover needs them',
      'prometheus.mode=recorded,metrics.prometheusRule.enabled=false',
      ['load them yourself'],
      ['orb-api-metrics'],
    ],
    ['no rules, where it needs none', 'metrics.prometheusRule.enabled=false', [], ['load them yourself']],
  ];
  for (const [why, values, says, leavesOut] of withMonitoring)
    it(`fits a cluster with ServiceMonitors, and ${why}`, async () => {
      const text = await helm.render(['-f', file, '--set', `${PROMETHEUS},${values}`, ...MONITORING]);
      const notes = objectsIn(text).find((object) => titleOf(object) === 'ConfigMap /notes') ?? {};
      expect(textAt(notes, 'data', 'text')).to.include('https://orb-api.orb-system.svc.cluster.local:443');
      for (const part of says) expect(textAt(notes, 'data', 'text')).to.include(part);
      for (const part of leavesOut) expect(textAt(notes, 'data', 'text')).not.to.include(part);
    });
});
