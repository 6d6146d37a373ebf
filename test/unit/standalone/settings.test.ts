import { expect } from 'chai';
import { resolve } from 'node:path';
import { parseSettings, type Settings } from '../../../standalone/settings.ts';

function settingsOf(...argv: readonly string[]): Settings {
  const parsed = parseSettings(argv, '/bundled');
  if (parsed.kind !== 'start') throw new TypeError(JSON.stringify(parsed));
  return parsed.settings;
}

describe('parseSettings', () => {
  it('has a default for everything', () => {
    expect(settingsOf()).to.deep.equal({
      listen: { host: '127.0.0.1', port: 8080 },
      metricsListen: { host: '127.0.0.1', port: 9464 },
      resources: '/bundled',
      orgs: [],
      reputationIntervalMs: 30_000,
      policyRetention: { decisionsMs: 90 * 86_400_000, replaysMs: 30 * 86_400_000 },
      policyReplayThreads: undefined,
      statusIntervalMs: 60_000,
      data: resolve('.orb'),
      logHead: resolve('.orb.log-head'),
      issuer: 'https://orbs.localhost',
      readyFile: undefined,
      maxRequestBytes: 1_048_576,
      httpBounds: {
        connections: 8192,
        connectionsPerAddress: 1024,
        waitingPerConnection: 64,
        unreadBytes: 67_108_864,
        partBytes: 33_554_432,
        partBytesPerAddress: 16_777_216,
        partBytesPerKey: 16_777_216,
        headerBytes: 16_384,
        headerCount: 200,
        headersTimeoutMs: 10_000,
        requestTimeoutMs: 30_000,
        keepAliveMs: 60_000,
      },
      services: ['runtime', 'reputation', 'policy', 'ingestion', 'status'],
      trustedProxies: [],
      use: {
        rates: {
          key: { perSecond: 100, burst: 200 },
          tenant: 'none',
          orb: 'none',
          address: { perSecond: 20, burst: 100 },
          process: 'none',
          refusals: { perSecond: 500, burst: 100 },
        },
        tenantPct: 75,
        ledgerQuotaBytes: 0,
      },
      egressAllow: [],
      egressStub: [],
      egressCa: [],
      logLevel: 'info',
    });
  });

  const addresses: readonly (readonly [string, string, Settings['listen']])[] = [
    ['an IPv4 address and a free port', '127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['an IPv6 address in brackets', '[::1]:65535', { host: '::1', port: 65_535 }],
    ['a name', 'localhost:80', { host: 'localhost', port: 80 }],
    ['a port alone', '9000', { host: '127.0.0.1', port: 9000 }],
  ];
  for (const [why, text, expected] of addresses) {
    it(`takes ${why} to listen on`, () => expect(settingsOf('--listen', text).listen).to.deep.equal(expected));
  }

  it('takes organisations with their namespaces, and an interval of evaluations', () => {
    const { orgs, reputationIntervalMs } = settingsOf(
      '--org=acme=team-a',
      '--org=b=team-b',
      '--reputation-interval=1h',
    );
    expect(orgs).to.deep.equal([
      ['acme', 'team-a'],
      ['b', 'team-b'],
    ]);
    expect(reputationIntervalMs).to.equal(3_600_000);
  });

  it('takes rates, 0 for none, and the share of a tenant', () => {
    const { rates, tenantPct } = settingsOf(
      '--rate-key=0',
      '--rate-tenant=5',
      '--rate-orb=5:9',
      '--tenant-share=50',
    ).use;
    expect([rates.key, rates.tenant, rates.orb, tenantPct]).to.deep.equal([
      'none',
      { perSecond: 5, burst: 5 },
      { perSecond: 5, burst: 9 },
      50,
    ]);
    expect(() => settingsOf('--rate-key=fast')).to.throw('--rate-key takes a number a second');
    expect(() => settingsOf('--tenant-share=0')).to.throw('--tenant-share is a whole number from 1 to 100');
  });

  it('takes how long records of policies are kept', () => {
    const argv = ['--policy-retention-decisions=30d', '--policy-retention-replays=12h'];
    expect(settingsOf(...argv).policyRetention).to.deep.equal({
      decisionsMs: 30 * 86_400_000,
      replaysMs: 12 * 3_600_000,
    });
  });

  it('takes any number of exceptions, in their order', () => {
    const { egressAllow, egressStub, egressCa } = settingsOf(
      '--egress-allow=http://127.0.0.1:1',
      '--egress-allow=http://127.0.0.1:2',
      '--egress-stub=https://a.example=127.0.0.1:3',
      '--egress-ca=a.pem',
      '--egress-ca=b.pem',
    );
    expect(egressAllow).to.deep.equal(['http://127.0.0.1:1', 'http://127.0.0.1:2']);
    expect(egressStub).to.deep.equal(['https://a.example=127.0.0.1:3']);
    expect(egressCa).to.deep.equal(['a.pem', 'b.pem']);
  });

  it('makes paths absolute', () => {
    const { resources, data, readyFile } = settingsOf('--resources', 'r', '--data', 'd', '--ready-file', 'f');
    expect([resources, data, readyFile]).to.deep.equal([resolve('r'), resolve('d'), resolve('f')]);
  });

  it('answers --help before it looks at anything else', () => {
    expect(parseSettings(['--listen', 'nonsense', '-h'], '/bundled').kind).to.equal('help');
  });

  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['every interface', ['--listen', '0.0.0.0:8080'], 'loopback only'],
    ['every interface of IPv6', ['--listen', '[::]:8080'], 'loopback only'],
    ['a private address', ['--metrics-listen', '192.168.0.1:1'], '--metrics-listen'],
    ['a name that begins like loopback', ['--listen', 'localhost.example:1'], 'loopback only'],
    ['an address without brackets that ends like a port', ['--listen', '2001:db8::1'], 'HOST:PORT'],
    ['a colon before a port alone', ['--listen', ':9000'], 'HOST:PORT'],
    ['no port', ['--listen', '127.0.0.1:'], 'HOST:PORT'],
    ['a port that is too large', ['--listen', '127.0.0.1:65536'], 'HOST:PORT'],
    ['a negative port', ['--listen', '127.0.0.1:-1'], 'HOST:PORT'],
    ['a port that is no number', ['--listen', '127.0.0.1:http'], 'HOST:PORT'],
    ['a fraction', ['--listen', '127.0.0.1:1.5'], 'HOST:PORT'],
    ['an issuer with a path', ['--issuer', 'https://orbs.example/a'], '--issuer'],
    ['an issuer that ends in a slash', ['--issuer', 'https://orbs.example/'], '--issuer'],
    ['an issuer without TLS', ['--issuer', 'http://orbs.example'], '--issuer'],
    ['an issuer that is no URL', ['--issuer', 'orbs'], '--issuer'],
    ['a level that is not known', ['--log-level', 'trace'], 'debug, info, warn, error'],
    ['a body limit above 8 MiB', ['--max-request-bytes', '8388609'], '1 to 8388608'],
    ['an organisation without a namespace', ['--org', 'acme'], '--org takes ORG=NAMESPACE'],
    ['an interval of evaluations beyond a day', ['--reputation-interval', '25h'], 'a duration from 1s to 24h'],
    ['no thread for replays', ['--policy-replay-threads', '0'], 'a whole number from 1 to 64'],
    ['a retention of minutes', ['--policy-retention-decisions', '90m'], 'a duration from 1h to 3650d'],
    ['a body limit in other units', ['--max-request-bytes', '1MiB'], '1 to 8388608'],
    ['an unknown flag', ['--lissten', 'x'], '--lissten'],
    ['a flag without its value', ['--data'], '--data'],
    ['an argument', ['start'], 'start'],
  ];
  for (const [why, argv, said] of wrong) {
    it(`refuses ${why}, and says what it takes`, () => {
      const parsed = parseSettings(argv, '/bundled');
      expect(parsed.kind === 'wrong' ? parsed.message : parsed.kind).to.include(said);
    });
  }
});
