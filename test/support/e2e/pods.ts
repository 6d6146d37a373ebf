/** Settings of a test's pod, beyond running a script. */
export interface PodOptions {
  readonly labels?: Readonly<Record<string, string>>;
  /** Named container ports. */
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  /** Claim → where it is mounted. */
  readonly claims?: Readonly<Record<string, string>>;
  /** Secret → where it is mounted. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Mount path of a folder that lives as long as the pod: longer than its container, also across a reboot. */
  readonly scratch?: string;
  /** Path at port 8080 that reports readiness. */
  readonly ready?: string;
}

const securityContext = {
  runAsNonRoot: true,
  runAsUser: 65_532,
  fsGroup: 65_532,
  seccompProfile: { type: 'RuntimeDefault' },
};
const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  /** Source of the volume. */
  readonly source: object;
}

const mountsOf = ({ claims = {}, secrets = {}, scratch }: PodOptions): readonly Mount[] => [
  ...Object.entries(claims).map(([name, mountPath]) => ({
    name,
    mountPath,
    source: { persistentVolumeClaim: { claimName: name } },
  })),
  ...Object.entries(secrets).map(([name, mountPath]) => ({
    name,
    mountPath,
    source: { secret: { secretName: name, defaultMode: 0o440 } },
  })),
  ...(scratch === undefined ? [] : [{ name: 'scratch', mountPath: scratch, source: { emptyDir: {} } }]),
];

/** Pod spec under the profile `restricted`: Node with an inline module. */
function podSpec(script: string, options: PodOptions): object {
  const { ports = [], ready } = options;
  const mounts = mountsOf(options);
  const probe =
    ready === undefined ? {} : { readinessProbe: { httpGet: { path: ready, port: 8080 }, periodSeconds: 1 } };
  const container = {
    name: 'script',
    image: 'localhost/node:24',
    imagePullPolicy: 'IfNotPresent',
    args: ['--input-type=module', '--eval', script],
    securityContext: confined,
    // Without a request it would get no CPU on a busy machine.
    resources: { requests: { cpu: '100m', memory: '64Mi' } },
    volumeMounts: mounts.map(({ name, mountPath }) => ({ name, mountPath })),
    ports,
    ...probe,
  };
  const volumes = mounts.map(({ name, source }) => ({ name, ...source }));
  return { terminationGracePeriodSeconds: 0, securityContext, containers: [container], volumes };
}

const labelsOf = (name: string, { labels = {} }: PodOptions): Readonly<Record<string, string>> => ({
  app: name,
  ...labels,
});

/** A Deployment; its pods carry the label `app`. */
export const deployment = (name: string, script: string, replicas: number, options: PodOptions = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    strategy: { type: 'Recreate' },
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: labelsOf(name, options) }, spec: podSpec(script, options) },
  },
});

/** A claim for a volume of the default class. */
export const claim = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});

/** A Service in front of a Deployment: port 80 → its port `http`. */
export const service = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 'http' }] },
});
