import { expect } from 'chai';
import { openHelm, PLATFORM_CHART, type Helm } from '../../support/cluster/platform-chart.ts';

const KEY = 'kubectl orb keys create --tenant orb-example --scope orbs:execute --scope receipts:read';
const RUN = "kubectl orb run example.echo@1.0.0 text='Hello, Orb' -n orb-example";
const INGRESS = 'ingress.enabled=true,ingress.hosts={a.b,c.d},ingress.tls[0].secretName=x';
const PROMETHEUS = 'prometheus.url=http://prometheus.monitoring';

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
      'https://orbs.localhost, for good',
      'kubectl get pods -n orb-system\n  helm test orb -n orb-system\n',
      '--tenant NAMESPACE --scope orbs:execute --scope receipts:read\n',
    ],
    leavesOut: ['ServiceMonitor', '--platform-namespace', 'orb-example'],
  },
  {
    why: 'the example in another namespace, by another name',
    release: 'mine',
    namespace: 'other',
    values: 'example.enabled=true,crds.enabled=false',
    says: [
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
    says: ['The cluster does not know ServiceMonitors'],
    leavesOut: ['self-signed', 'There is no Prometheus'],
  },
];

describe('what an install of orb-platform says', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  for (const { why, release = 'orb', namespace = 'orb-system', values, says, leavesOut = [] } of CASES)
    it(`fits ${why}`, async () => {
      const place = ['install', release, PLATFORM_CHART, '-n', namespace, '--dry-run=client'];
      const { stdout, stderr } = await helm.run([...place, ...(values === undefined ? [] : ['--set', values])]);
      const [, notes = stderr] = stdout.split('\nNOTES:\n');
      for (const text of says) expect(notes).to.contain(text);
      for (const text of leavesOut) expect(notes).not.to.contain(text);
    });
});
