import { resolve } from 'node:path';
import { expect } from 'chai';
import { parseArguments } from '../../../../adapters/process/arguments.ts';
import { UsageError } from '../../../../adapters/process/start-error.ts';
import { parsePrometheus, PROMETHEUS_FLAGS } from '../../../../adapters/prometheus/settings.ts';

const URL_FLAG = ['--prometheus-url', 'https://prometheus.example/x'];
const parse = (...args: readonly string[]): ReturnType<typeof parsePrometheus> =>
  parsePrometheus(parseArguments(PROMETHEUS_FLAGS, args));

describe('parsePrometheus', () => {
  it('takes no address for no Prometheus', () => {
    expect(parse()).to.equal(undefined);
  });

  it('asks by query, of processes that are scraped every 15 s, unless set otherwise', () => {
    const connection = { url: 'https://prometheus.example/x', headers: {} };
    const settings = { connection, mode: 'query', scrapeIntervalMs: 15_000, matcher: '' };
    expect(parse(...URL_FLAG)).to.deep.equal(settings);
  });

  it('takes every flag', () => {
    const flags = {
      mode: 'recorded',
      'scrape-interval': '30s',
      matcher: 'job="orb-api", cluster!="x"',
      username: 'orb',
      'password-file': 'p',
      cert: 'c',
      key: 'k',
      ca: 'a',
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--prometheus-${name}`, value]);
    const headers = ['X-Scope-OrgID=orbs', 'X-Other=a=b'].flatMap((header) => ['--prometheus-header', header]);
    expect(parse(...URL_FLAG, ...args, ...headers)).to.deep.equal({
      connection: {
        url: 'https://prometheus.example/x',
        headers: { 'X-Scope-OrgID': 'orbs', 'X-Other': 'a=b' },
        basic: { username: 'orb', passwordFile: resolve('p') },
        client: { certFile: resolve('c'), keyFile: resolve('k') },
        caFile: resolve('a'),
      },
      mode: 'recorded',
      scrapeIntervalMs: 30_000,
      matcher: 'job="orb-api",cluster!="x"',
    });
    const token = parse(...URL_FLAG, '--prometheus-bearer-token-file', 't');
    expect(token?.connection.bearerTokenFile).to.equal(resolve('t'));
  });

  for (const [why, args, message] of [
    ['no URL', ['--prometheus-url', 'prometheus'], 'takes a URL'],
    ['another protocol', ['--prometheus-url', 'unix:///x'], 'takes a URL'],
    ['a query', ['--prometheus-url', 'http://p/?a=b'], 'takes a URL'],
    ['a password in the address', ['--prometheus-url', 'http://a:b@p'], 'holds no credentials'],
    ['flags without an address', ['--prometheus-ca', 'a'], '--prometheus-ca needs --prometheus-url'],
    ['another mode', [...URL_FLAG, '--prometheus-mode', 'x'], 'one of query, recorded'],
    ['a scrape below a second', [...URL_FLAG, '--prometheus-scrape-interval', '999ms'], '1s to 150s'],
    ['a scrape that no window holds four of', [...URL_FLAG, '--prometheus-scrape-interval', '151s'], '1s to 150s'],
    ['no matcher', [...URL_FLAG, '--prometheus-matcher', 'orb-api'], '--prometheus-matcher takes label matchers'],
    ['no duration', [...URL_FLAG, '--prometheus-scrape-interval', '15'], '1s to 150s'],
    ['a certificate without its key', [...URL_FLAG, '--prometheus-cert', 'c'], 'belong together'],
    ['a name without a password', [...URL_FLAG, '--prometheus-username', 'orb'], 'belong together'],
    [
      'two kinds of credentials',
      [...URL_FLAG, ...['bearer-token-file', 'username', 'password-file'].flatMap((x) => [`--prometheus-${x}`, 'x'])],
      'exclude each other',
    ],
    ['a header without a value', [...URL_FLAG, '--prometheus-header', 'X-A'], 'NAME=VALUE'],
    ['two lines in a header', [...URL_FLAG, '--prometheus-header', 'X-A=b\r\nc: d'], 'NAME=VALUE'],
    ['a secret on the command line', [...URL_FLAG, '--prometheus-header', 'Authorization=x'], 'flags of their own'],
  ] as const)
    it(`refuses ${why}`, () => {
      expect(() => parse(...args)).to.throw(UsageError, message);
    });
});
