import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { helpText } from '../../../adapters/process/help.ts';
import { apiCommandLine, parseSettings, type Settings } from '../../../api-server/settings.ts';

const SERVER = ['--kube-server', 'https://127.0.0.1:6443'];

function settingsOf(...argv: readonly string[]): Settings {
  const parsed = parseSettings([...SERVER, ...argv], {});
  if (parsed.kind !== 'start') throw new TypeError(JSON.stringify(parsed));
  return parsed.settings;
}

const messageOf = (...argv: readonly string[]): string => {
  const parsed = parseSettings(argv, {});
  return parsed.kind === 'wrong' ? parsed.message : parsed.kind;
};

const rateOfAddresses = (...argv: readonly string[]): unknown => settingsOf(...argv).use.rates.address;

const HELP = helpText(apiCommandLine({}));

describe('settings of the API', () => {
  it('have a default for all but the cluster', () => {
    const { listen, namespace, keys, data, tls, vaultMode, issuer, maxRequestBytes } = settingsOf();
    expect({ listen, namespace, keys, data, tls, vaultMode, issuer, maxRequestBytes }).to.deep.equal({
      listen: { host: '127.0.0.1', port: 8080 },
      namespace: 'orb-system',
      keys: resolve('.orb/keys'),
      data: resolve('.orb'),
      tls: undefined,
      vaultMode: 'operator',
      issuer: undefined,
      maxRequestBytes: 1_048_576,
    });
    expect(settingsOf('--data', '/tmp/x').keys).to.equal(join('/tmp/x', 'keys'));
    expect(settingsOf().identity).to.not.equal(settingsOf().identity);
  });

  it('let others reach the API over TLS only', () => {
    const open = ['--listen', '0.0.0.0:8443'];
    expect(messageOf(...SERVER, ...open)).to.match(/--tls-cert and --tls-key, or --behind-tls-proxy/);
    const tls = ['--tls-cert', '/tmp/c.pem', '--tls-key', '/tmp/k.pem'];
    expect(settingsOf(...open, ...tls).tls).to.deep.equal({ certFile: '/tmp/c.pem', keyFile: '/tmp/k.pem' });
    expect(settingsOf(...open, '--behind-tls-proxy').listen.host).to.equal('0.0.0.0');
    expect(settingsOf('--listen', '[::1]:0').listen).to.deep.equal({ host: '::1', port: 0 });
  });

  it('take services by name, all of them by default, in the order of the list', () => {
    expect(settingsOf().services).to.deep.equal(['runtime', 'reputation', 'policy', 'ingestion', 'status']);
    expect(settingsOf('--services=status,ingestion').services).to.deep.equal(['ingestion', 'status']);
    for (const wrong of ['ingest', 'runtime,runtime', 'runtime,', 'runtime ingestion'])
      expect(messageOf(...SERVER, `--services=${wrong}`), wrong).to.match(
        /--services takes some of runtime,reputation,policy,ingestion,status/,
      );
  });

  it('take trusted proxies, and none by default', () => {
    expect(settingsOf().trustedProxies).to.deep.equal([]);
    const given = settingsOf('--trusted-proxy=10.0.0.0/8', '--trusted-proxy', 'fd00::/8').trustedProxies;
    expect(given.map(({ prefix }) => prefix)).to.deep.equal([8, 8]);
    for (const wrong of ['10.0.0.1/8', '10.0.0.0', 'proxy.example', '10.0.0.0/33'])
      expect(messageOf(...SERVER, `--trusted-proxy=${wrong}`), wrong).to.match(/--trusted-proxy takes ADDRESS\/PREFIX/);
  });

  it('take organisations with their namespaces, and an interval of evaluations', () => {
    const { orgs, reputationIntervalMs } = settingsOf();
    expect([orgs, reputationIntervalMs]).to.deep.equal([[], 3_600_000]);
    const given = settingsOf('--org', 'acme=team-a', '--org=acme-com=team-b', '--reputation-interval', '1s');
    expect(given.orgs).to.deep.equal([
      ['acme', 'team-a'],
      ['acme-com', 'team-b'],
    ]);
    expect(given.reputationIntervalMs).to.equal(1000);
    expect(settingsOf('--reputation-interval', '24h').reputationIntervalMs).to.equal(86_400_000);
  });

  it('have the default and the bounds of the interval that docs/configuration.md has', () => {
    const row = /^\| `reputation\.interval` .*$/m.exec(readFileSync('docs/configuration.md', 'utf8'))?.[0] ?? '';
    const [, written = ''] = /`"([^"]+)"`/.exec(row) ?? [];
    expect(settingsOf('--reputation-interval', written).reputationIntervalMs).to.equal(
      settingsOf().reputationIntervalMs,
    );
    for (const text of [row, HELP]) expect(text).to.match(/ime between evaluations .* that has new runs, 1s to 24h/);
  });

  it('keep records of policies as long as docs/configuration.md says', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    const written = ['decisions', 'replays'].map((records) => {
      const row = new RegExp(`^\\| \`api\\.policy\\.retention\\.${records}\` .*$`, 'm').exec(page)?.[0] ?? '';
      for (const text of [row, HELP]) expect(text).to.match(/1h to 3650d/);
      return `--policy-retention-${records}=${/`"([^"]+)"`/.exec(row)?.[1] ?? ''}`;
    });
    expect(settingsOf(...written).policyRetention).to.deep.equal(settingsOf().policyRetention);
    expect(settingsOf('--policy-retention-decisions', '3650d').policyRetention).to.deep.equal({
      decisionsMs: 3650 * 86_400_000,
      replaysMs: 30 * 86_400_000,
    });
    expect(settingsOf().policyReplayThreads).to.equal(undefined);
    expect(settingsOf('--policy-replay-threads=2').policyReplayThreads).to.equal(2);
  });

  it('have probes at an address of their own only when one is named, and know of a proxy before them', () => {
    const { probesListen, isBehindProxy } = settingsOf();
    expect([probesListen, isBehindProxy]).to.deep.equal([undefined, false]);
    const given = settingsOf('--probes-listen', '0.0.0.0:8081', '--behind-tls-proxy');
    expect(given.probesListen).to.deep.equal({ host: '0.0.0.0', port: 8081 });
    expect(given.isBehindProxy).to.equal(true);
  });

  it('have rates by default, and a share of a tenant', () => {
    expect(settingsOf().use).to.deep.equal({
      rates: {
        key: { perSecond: 100, burst: 200 },
        tenant: { perSecond: 1000, burst: 2000 },
        orb: { perSecond: 2000, burst: 4000 },
        address: { perSecond: 20, burst: 100 },
        process: { perSecond: 5000, burst: 10_000 },
        refusals: { perSecond: 500, burst: 100 },
      },
      tenantPct: 75,
      ledgerQuotaBytes: 0,
    });
  });

  it('have no rate by address behind a proxy that is not named: all callers have its address', () => {
    const byDefault = { perSecond: 20, burst: 100 };
    expect(rateOfAddresses()).to.deep.equal(byDefault);
    expect(rateOfAddresses('--behind-tls-proxy')).to.equal('none');
    expect(rateOfAddresses('--behind-tls-proxy', '--trusted-proxy=10.0.0.0/8')).to.deep.equal(byDefault);
    expect(rateOfAddresses('--rate-address=0')).to.equal('none');
  });

  it('take a body limit up to 8 MiB', () => {
    expect(settingsOf('--max-request-bytes', '8388608').maxRequestBytes).to.equal(8_388_608);
    expect(settingsOf('--max-request-bytes', '1').maxRequestBytes).to.equal(1);
  });

  const wrong: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [[], /--kubeconfig FILE or with --kube-server URL/],
    [[...SERVER, '--tls-cert', 'a'], /belong together/],
    [[...SERVER, '--tls-cert', 'a', '--tls-key', 'b', '--behind-tls-proxy'], /exclude each other/],
    [[...SERVER, '--listen', '127.0.0.1:99999'], /--listen takes HOST:PORT/],
    [[...SERVER, '--listen', '127.0.0.1:'], /--listen takes HOST:PORT/],
    [[...SERVER, '--namespace', 'Orb_System'], /--namespace takes the name/],
    [[...SERVER, '--rbac-vault', 'nobody'], /--rbac-vault is one of operator, tenant/],
    [[...SERVER, '--max-request-bytes', '0'], /--max-request-bytes is a whole number from 1 to 8388608/],
    [[...SERVER, '--max-request-bytes', '8388609'], /--max-request-bytes is a whole number/],
    [[...SERVER, '--max-request-bytes', '1e3'], /--max-request-bytes is a whole number/],
    [[...SERVER, '--org', 'acme'], /--org takes ORG=NAMESPACE, for example acme=team-a/],
    [[...SERVER, '--org', 'Acme=team-a'], /--org takes ORG=NAMESPACE/],
    [[...SERVER, '--org', 'acme=team-a=b'], /--org takes ORG=NAMESPACE/],
    [[...SERVER, '--org', 'acme=Team'], /--org takes ORG=NAMESPACE/],
    [[...SERVER, '--reputation-interval', '0s'], /--reputation-interval takes a duration from 1s to 24h, for example/],
    [[...SERVER, '--reputation-interval', '999ms'], /--reputation-interval takes a duration from 1s to 24h/],
    [[...SERVER, '--reputation-interval', '25h'], /--reputation-interval takes a duration from 1s to 24h/],
    [[...SERVER, '--reputation-interval', '30'], /--reputation-interval takes a duration from 1s to 24h/],
    [[...SERVER, '--log-level', 'loud'], /--log-level is one of/],
    [[...SERVER, '--colour'], /--colour/],
  ];
  for (const [argv, message] of wrong) {
    it(`refuse ${argv.join(' ') || 'no cluster'}`, () => {
      expect(messageOf(...argv)).to.match(message);
    });
  }

  it('are all named in the help', () => {
    expect(parseSettings(['--help'], {}).kind).to.equal('help');
    const flags = ['namespace', 'rbac-vault', 'listen', 'tls-cert', 'tls-key', 'behind-tls-proxy', 'metrics-listen'];
    const others = [
      'data',
      'keys',
      'issuer',
      'identity',
      'ready-file',
      'egress-allow',
      'egress-stub',
      'egress-ca',
      'org',
      'reputation-interval',
      'log-level',
      'probes-listen',
      'max-connections',
      'max-connections-per-address',
      'max-pipelined-requests',
      'max-unread-bytes',
      'max-body-bytes',
      'max-header-bytes',
      'max-headers',
      'headers-timeout',
      'request-timeout',
      'keep-alive',
    ];
    for (const flag of [...flags, ...others, 'kubeconfig', 'kube-token-file']) expect(HELP).to.contain(`--${flag} `);
  });
});
