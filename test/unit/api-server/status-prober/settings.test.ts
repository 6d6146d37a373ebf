import { expect } from 'chai';
import { parseCommandLine } from '../../../../adapters/process/command-line.ts';
import { proberCommandLine } from '../../../../api-server/status-prober/settings.ts';

const REST = ['--api-metrics', 'http://orb-api:9464', '--token-file', 'token'];

const parse = (...argv: readonly string[]) => parseCommandLine(proberCommandLine({}), [...argv, ...REST]);

describe('settings of the prober', () => {
  it('send no token in clear text, unless TLS ends before the API', () => {
    const refused = parse('--api', 'http://orb-api');
    expect(refused.kind).to.equal('wrong');
    expect(JSON.stringify(refused)).to.include('--behind-tls-proxy');
    for (const argv of [
      ['--api', 'https://orb-api:443'],
      ['--api', 'http://127.0.0.1:8080'],
      ['--api', 'http://orb-api', '--behind-tls-proxy'],
    ])
      expect(parse(...argv).kind, argv.join(' ')).to.equal('start');
  });

  it('are refused without an API, its metrics and a token', () => {
    for (const argv of [[], ['--api', 'nowhere']]) expect(parse(...argv).kind).to.equal('wrong');
    expect(parseCommandLine(proberCommandLine({}), ['--api', 'https://orb-api']).kind).to.equal('wrong');
  });

  it('know the Kubernetes API of their pod', () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    const parsed = parseCommandLine(proberCommandLine(env), ['--api', 'https://orb-api', ...REST]);
    expect(parsed.kind === 'start' ? parsed.settings.controls.kubeApi : parsed).to.deep.equal({
      host: '10.0.0.1',
      port: 443,
    });
  });
});
