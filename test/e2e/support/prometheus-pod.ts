import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { at, isRecord } from '../../../hack/control-plane/json.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { node } from '../../support/e2e/node.ts';
import { eventually, patiently } from './patience.ts';
import { CHARTS } from './release.ts';

// The namespace that the chart's NetworkPolicies allow.
const NAMESPACE = 'monitoring';
const PORT = 9090;
export const SCRAPE = '5s';

/** A Prometheus in a pod that scrapes operator and API. */
export interface PrometheusPod {
  /** Its address for pods. */
  readonly url: string;
  /** Number of series that a query finds. */
  readonly count: (query: string) => Promise<number>;
  /** Resolves when both parts are scraped. @throws Error they are not scraped in time */
  readonly untilScraping: () => Promise<void>;
  readonly close: () => Promise<unknown>;
}

/**
 * The scrape configuration that Prometheus' operator makes of our ServiceMonitors: every pod of a Service, under its
 * job.
 */
const scrapeOf = (part: 'api' | 'operator', port: number): object => ({
  job_name: `orb-${part}`,
  dns_sd_configs: [
    { names: [`orb-${part}-metrics.orb-system.svc.cluster.local`], type: 'A', port, refresh_interval: SCRAPE },
  ],
});

const configuration = {
  global: { scrape_interval: SCRAPE, scrape_timeout: SCRAPE, evaluation_interval: SCRAPE },
  rule_files: ['/etc/prometheus/rules.yaml', '/etc/prometheus/alerts.yaml'],
  scrape_configs: [scrapeOf('api', 9464), scrapeOf('operator', 9465)],
};

const chartFile = (path: string): Promise<string> => readFile(join(CHARTS, 'orb-platform/files', path), 'utf8');

const container = {
  name: 'prometheus',
  image: 'localhost/prometheus:1',
  imagePullPolicy: 'IfNotPresent',
  args: ['--config.file=/etc/prometheus/prometheus.yaml', '--storage.tsdb.path=/data', '--log.level=warn'],
  ports: [{ name: 'http', containerPort: PORT }],
  readinessProbe: { httpGet: { path: '/-/ready', port: PORT }, periodSeconds: 1 },
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/prometheus' },
    { name: 'data', mountPath: '/data' },
  ],
};

const objects = (rules: string, alerts: string): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'prometheus' },
    data: { 'prometheus.yaml': JSON.stringify(configuration), 'rules.yaml': rules, 'alerts.yaml': alerts },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'prometheus' },
    spec: {
      selector: { matchLabels: { app: 'prometheus' } },
      template: {
        metadata: { labels: { app: 'prometheus' } },
        spec: {
          automountServiceAccountToken: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            fsGroup: 65_532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [container],
          volumes: [
            { name: 'config', configMap: { name: 'prometheus' } },
            { name: 'data', emptyDir: {} },
          ],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'prometheus' },
    spec: { selector: { app: 'prometheus' }, ports: [{ port: PORT, targetPort: 'http' }] },
  },
];

async function resultOf(monitoring: TestNamespace, query: string): Promise<readonly unknown[]> {
  const address = await monitoring.kubectl('get', 'service/prometheus', '-o', 'jsonpath={.spec.clusterIP}');
  const url = `http://${address}:${PORT}/api/v1/query?query=${encodeURIComponent(query)}`;
  const answer: unknown = await patiently(async () => (await fetch(url, { signal: AbortSignal.timeout(5000) })).json());
  const result = at(answer, 'data', 'result');
  return Array.isArray(result) ? result.filter(isRecord) : [];
}

/** Starts a new Prometheus; it answers when this resolves. */
export async function startPrometheusPod(): Promise<PrometheusPod> {
  const close = (): Promise<string> =>
    kubectlOk(node, ['delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=180s']);
  await close();
  const monitoring = await testNamespace(node, NAMESPACE);
  await monitoring.apply(...objects(await chartFile('prometheus/rules.yaml'), await chartFile('alerts/alerts.yaml')));
  await monitoring.kubectl('rollout', 'status', 'deploy/prometheus', '--timeout=180s');
  const count = async (query: string): Promise<number> => (await resultOf(monitoring, query)).length;
  const jobs = async (): Promise<true | undefined> =>
    (await count('count by (job) (up{job=~"orb-api|orb-operator"} == 1)')) === 2 ? true : undefined;
  return {
    url: `http://prometheus.${NAMESPACE}.svc.cluster.local:${PORT}`,
    count,
    untilScraping: async () => {
      if ((await eventually(jobs)) === undefined) throw new Error('Prometheus does not scrape both parts');
    },
    close,
  };
}
