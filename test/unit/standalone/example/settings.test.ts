import { expect } from 'chai';
import { helpText } from '../../../../adapters/process/help.ts';
import { PROVIDER_COMMAND_LINE, parseProviderSettings } from '../../../../standalone/example/settings.ts';

const HELP = helpText(PROVIDER_COMMAND_LINE);

describe('parseProviderSettings', () => {
  it('needs the token file only', () => {
    const listen = { host: '127.0.0.1', port: 8443 };
    expect(parseProviderSettings(['--token-file', '/secrets/ECHO_TOKEN'])).to.deep.equal({
      kind: 'start',
      settings: { listen, tokenFile: '/secrets/ECHO_TOKEN', tls: undefined },
    });
  });

  it('listens where others reach it, with a certificate', () => {
    const flags = ['--listen=0.0.0.0:9000', '--token-file=t', '--tls-cert=c.pem', '--tls-key=k.pem'];
    expect(parseProviderSettings(flags)).to.deep.equal({
      kind: 'start',
      settings: {
        listen: { host: '0.0.0.0', port: 9000 },
        tokenFile: 't',
        tls: { certFile: 'c.pem', keyFile: 'k.pem' },
      },
    });
  });

  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['no token', [], '--token-file'],
    ['a certificate without its key', ['--token-file=t', '--tls-cert=c.pem'], '--tls-key'],
    ['a key without its certificate', ['--token-file=t', '--tls-key=k.pem'], '--tls-cert'],
    ['an address without a port', ['--token-file=t', '--listen=0.0.0.0'], '--listen'],
    ['an unknown flag', ['--token-file=t', '--fast'], '--fast'],
    ['a word', ['--token-file=t', 'now'], 'now'],
  ];
  for (const [why, argv, named] of wrong) {
    it(`refuses ${why} and names it`, () => {
      const parsed = parseProviderSettings(argv);
      expect(parsed).to.have.property('kind', 'wrong');
      expect(parsed).to.have.property('message').that.includes(named);
    });
  }

  it('helps, and the help names every flag', () => {
    expect(parseProviderSettings(['--help'])).to.deep.equal({ kind: 'help' });
    for (const flag of ['--listen', '--token-file', '--tls-cert', '--tls-key']) expect(HELP).to.include(flag);
  });
});
