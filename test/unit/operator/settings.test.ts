import { expect } from 'chai';
import { helpText } from '../../../adapters/process/help.ts';
import { resolve } from 'node:path';
import { operatorCommandLine, parseSettings, type Settings } from '../../../operator/settings.ts';

const CONNECTION = ['--kubeconfig', '/k/config'];

function settings(...argv: readonly string[]): Settings {
  const parsed = parseSettings([...CONNECTION, ...argv], {});
  if (parsed.kind !== 'start') throw new Error(JSON.stringify(parsed));
  return parsed.settings;
}

const HELP = helpText(operatorCommandLine({}));

describe('parseSettings of the operator', () => {
  it('needs nothing but a connection', () => {
    const { identity, ...rest } = settings();
    expect(identity).to.match(/_[0-9a-f-]{36}$/);
    expect(rest).to.deep.equal({
      connection: { kind: 'kubeconfig', path: '/k/config' },
      namespace: 'orb-system',
      apiAccount: 'orb-api',
      vaultMode: 'operator',
      manifests: undefined,
      allowedOrigins: [],
      probesListen: { host: '127.0.0.1', port: 8081 },
      metricsListen: { host: '127.0.0.1', port: 9465 },
      lease: { leaseMs: 15_000, renewMs: 10_000, retryMs: 2000 },
      prometheus: undefined,
      failoverTickMs: 15_000,
      workers: 8,
      readyFile: undefined,
      logLevel: 'info',
    });
  });

  it('takes the name that the chart gave to the ServiceAccount of the API', () => {
    expect(settings('--api-service-account', 'acme-api').apiAccount).to.equal('acme-api');
  });

  it('takes its ServiceAccount in a pod', () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    const parsed = parseSettings([], env);
    expect(parsed.kind === 'start' && parsed.settings.connection).to.deep.equal({ kind: 'in-cluster', env });
  });

  it('gives two processes on one host different identities', () => {
    expect(settings().identity).not.to.equal(settings().identity);
  });

  it('loads a folder into the namespace of the platform unless another is named', () => {
    const folder = resolve('manifests');
    expect(settings('--manifests', 'manifests').manifests).to.deep.equal({ folder, namespace: 'orb-system' });
    const named = settings('--manifests', 'manifests', '--manifests-namespace', 'acme');
    expect(named.manifests).to.deep.equal({ folder, namespace: 'acme' });
  });

  it('exempts the origins of both egress options from the host lints', () => {
    const { allowedOrigins } = settings(
      '--egress-allow',
      'http://127.0.0.1:9000',
      '--egress-stub',
      'https://api.example.com=127.0.0.1:9001',
    );
    expect(allowedOrigins).to.deep.equal(['http://127.0.0.1:9000', 'https://api.example.com']);
  });

  it('takes a Prometheus and how often it is looked at', () => {
    const given = settings('--prometheus-url', 'http://127.0.0.1:9090', '--failover-tick', '5s');
    expect(given.prometheus).to.deep.include({ mode: 'query', scrapeIntervalMs: 15_000 });
    expect(given.failoverTickMs).to.equal(5000);
  });

  const wrong: readonly [string, readonly string[], RegExp][] = [
    [
      'a tick more often than once a second',
      ['--failover-tick', '500ms'],
      /--failover-tick takes a duration from 1s to 5m/,
    ],
    [
      'a tick less often than Orbs may ask for',
      ['--failover-tick', '6m'],
      /--failover-tick takes a duration from 1s to 5m/,
    ],
    ['a flag of Prometheus without its address', ['--prometheus-mode', 'recorded'], /--prometheus-url URL/],
    [
      'a renewal as long as the lease',
      ['--renew-deadline', '15s'],
      /--renew-deadline must be shorter than --lease-duration/,
    ],
    ['a retry as long as the renewal', ['--retry-period', '10s'], /--retry-period must be shorter/],
    ['half a second of lease', ['--lease-duration', '1500ms'], /whole seconds/],
    ['a duration without unit', ['--retry-period', '2'], /--retry-period takes a duration/],
    ['a mode that is none', ['--rbac-vault', 'nobody'], /--rbac-vault is one of operator, tenant/],
    ['a namespace that is none', ['--namespace', 'Orb_System'], /--namespace takes the name of a namespace/],
    ['no worker', ['--workers', '0'], /--workers is a whole number from 1 to 64/],
    ['half a worker', ['--workers', '1.5'], /--workers/],
    ['a port that is none', ['--probes-listen', '127.0.0.1:70000'], /--probes-listen takes HOST:PORT/],
    [
      'a lease that no timer can wait for',
      ['--lease-duration', '25h'],
      /--lease-duration takes a duration from 1ms to 24h/,
    ],
    ['workers in hexadecimal', ['--workers', '0x8'], /--workers is a whole number/],
    ['a namespace for no folder', ['--manifests-namespace', 'acme'], /needs --manifests DIR/],
    [
      'a ServiceAccount that can have no such name',
      ['--api-service-account', 'Orb_API'],
      /takes the name of a ServiceAccount/,
    ],
    ['an origin with a path', ['--egress-allow', 'http://127.0.0.1:9000/x'], /--egress-allow/],
    ['a level that is none', ['--log-level', 'loud'], /--log-level is one of debug, info, warn, error/],
    ['a server beside a kubeconfig', ['--kube-server', 'https://127.0.0.1:6443'], /exclude each other/],
    ['an unknown flag', ['--nothing'], /--nothing/],
    ['an argument', ['start'], /start/],
  ];
  for (const [why, argv, message] of wrong) {
    it(`refuses ${why} and says what is right`, () => {
      const parsed = parseSettings([...CONNECTION, ...argv], {});
      expect(parsed.kind === 'wrong' ? parsed.message : parsed.kind).to.match(message);
    });
  }

  it('helps with every flag that it takes', () => {
    expect(parseSettings(['--help'], {}).kind).to.equal('help');
    const flags = [
      'kubeconfig',
      'context',
      'kube-server',
      'kube-token-file',
      'kube-ca-file',
      'namespace',
      'api-service-account',
      'rbac-vault',
    ];
    for (const flag of [
      ...flags,
      'manifests',
      'manifests-namespace',
      'lease-duration',
      'identity',
      'ready-file',
      'prometheus-url',
      'failover-tick',
    ]) {
      expect(HELP).to.include(`--${flag} `);
    }
  });
});
