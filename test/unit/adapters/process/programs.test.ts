import { expect } from 'chai';
import { parseArguments, givenOf } from '../../../../adapters/process/arguments.ts';
import { parseCommandLine, type CommandLine } from '../../../../adapters/process/command-line.ts';
import type { Flag, ValueFlag } from '../../../../adapters/process/flag.ts';
import { helpText } from '../../../../adapters/process/help.ts';
import { apiCommandLine } from '../../../../api-server/settings.ts';
import { proberCommandLine } from '../../../../api-server/status-prober/settings.ts';
import { devVerb } from '../../../../cli/dev/dev.ts';
import { CLUSTER_COMMAND_LINE } from '../../../../hack/cluster/settings.ts';
import { operatorCommandLine } from '../../../../operator/settings.ts';
import { PROVIDER_COMMAND_LINE } from '../../../../standalone/example/settings.ts';
import { standaloneCommandLine } from '../../../../standalone/settings.ts';
import { aCli } from '../../../support/cli-io.ts';
import { LISTEN_ADDRESSES, NO_LISTEN_ADDRESSES } from '../../../support/listen-addresses.ts';

interface Program {
  readonly commandLine: CommandLine<unknown>;
  /** Without them nothing starts. */
  readonly needed: readonly string[];
}

const SERVER = ['--kube-server', 'https://127.0.0.1:6443'];
const PROGRAMS: Readonly<Record<string, Program>> = {
  standalone: { commandLine: standaloneCommandLine('/manifests'), needed: [] },
  'api-server': { commandLine: apiCommandLine({}), needed: SERVER },
  operator: { commandLine: operatorCommandLine({}), needed: SERVER },
  'example-provider': { commandLine: PROVIDER_COMMAND_LINE, needed: ['--token-file', 't'] },
  'status-prober': {
    commandLine: proberCommandLine({}),
    needed: ['--api', 'https://orb-api:8443', '--api-metrics', 'http://orb-api:9464', '--token-file', 't'],
  },
  cluster: { commandLine: CLUSTER_COMMAND_LINE, needed: [] },
};

const isAddress = ({ name }: Flag): boolean => name === 'listen' || name.endsWith('-listen');

const isValueFlag = (flag: Flag): flag is ValueFlag<unknown> => 'parse' in flag;

/** The members of settings that a flag sets: `metrics-listen` → `metricsListen`. */
const memberOf = (name: string): string => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe('the command line of every program', () => {
  for (const [name, { commandLine, needed }] of Object.entries(PROGRAMS)) {
    const parse = (...argv: readonly string[]): ReturnType<typeof parseCommandLine> =>
      parseCommandLine(commandLine, [...needed, ...argv]);
    const messageOf = (...argv: readonly string[]): string => {
      const parsed = parse(...argv);
      return parsed.kind === 'wrong' ? parsed.message : parsed.kind;
    };

    describe(name, () => {
      for (const flag of commandLine.flags.filter(isAddress)) {
        it(`takes every address at --${flag.name}, and means the same`, () => {
          for (const [text, address] of LISTEN_ADDRESSES) {
            expect(parse(`--${flag.name}=${text}`), text).to.have.deep.nested.property(
              `settings.${memberOf(flag.name)}`,
              address,
            );
          }
        });

        it(`refuses what is no address at --${flag.name}, and says what to write`, () => {
          for (const [why, text] of NO_LISTEN_ADDRESSES)
            expect(messageOf(`--${flag.name}=${text}`), why).to.include(`--${flag.name} takes HOST:PORT`);
        });
      }

      it('has a default that each flag itself takes', () => {
        const flags = commandLine.flags.filter(isValueFlag);
        const args = parseArguments(
          commandLine.flags,
          flags.flatMap((flag) => (flag.fallback === undefined ? [] : [`--${flag.name}=${flag.fallback}`])),
        );
        for (const flag of flags) expect(() => givenOf(args, flag), flag.name).not.to.throw();
      });

      it('explains each flag once, and each means something', () => {
        const help = helpText(commandLine);
        const names = commandLine.flags.map((flag) => flag.name);
        expect(new Set(names).size).to.equal(names.length);
        for (const flag of commandLine.flags) {
          expect(help.match(new RegExp(`^ {6}--${flag.name}(?: |$)`, 'gm')), flag.name).to.have.length(1);
          expect(flag.text, flag.name).not.to.equal('');
        }
        expect(help).to.include('-h, --help').and.to.include('Example:\n  ');
      });

      it('names the nearest flag for an unknown one, in one line', () => {
        expect(messageOf('--lissten', 'x')).to.equal(
          commandLine.flags.some((flag) => flag.name === 'listen')
            ? 'unknown flag --lissten: did you mean --listen?'
            : 'unknown flag --lissten',
        );
        expect(messageOf('--zzzzzzzzzzz')).to.equal('unknown flag --zzzzzzzzzzz');
      });

      it('refuses an argument, a flag without its value, and one that is given twice', () => {
        const flag = commandLine.flags.find(isAddress)?.name ?? '';
        expect(messageOf('start')).to.equal('unexpected argument "start": flags begin with --');
        expect(messageOf(`--${flag}`)).to.equal(`--${flag} takes a value: --${flag} [HOST:]PORT`);
        expect(messageOf(`--${flag}`, '1', `--${flag}`, '2')).to.equal(`--${flag} is given twice`);
      });

      it('gives help before it checks a value', () => {
        const flag = commandLine.flags.find(isAddress)?.name ?? '';
        for (const help of ['--help', '-h'])
          expect(parseCommandLine(commandLine, [`--${flag}=nonsense`, help])).to.deep.equal({ kind: 'help' });
      });

      it('gives help whatever else is wrong', () => {
        const flag = commandLine.flags.find(isAddress)?.name ?? '';
        const rows = [
          ['--help', '-h'],
          ['--zzzz', '--help'],
          ['--help', '--zzzz'],
          [`--${flag}`, '--help'],
        ];
        for (const argv of rows)
          expect(parseCommandLine(commandLine, argv), argv.join(' ')).to.deep.equal({ kind: 'help' });
        expect(messageOf('-help')).to.equal('unknown flag -help: did you mean --help?');
        expect(messageOf('--help=yes')).to.equal('--help takes no value');
        expect(messageOf('--', '--help')).to.include('unexpected argument');
      });

      it('refuses an empty value of every flag', () => {
        for (const flag of commandLine.flags.filter(isValueFlag))
          for (const argv of [[`--${flag.name}=`], [`--${flag.name}`, '']])
            expect(parseCommandLine(commandLine, argv), argv.join(' '))
              .to.have.property('message')
              .that.includes(`--${flag.name} takes a value that is not empty`);
      });
    });
  }
});

describe('orb dev', () => {
  for (const flag of devVerb.flags.filter(isAddress)) {
    it(`starts nothing for what is no address at --${flag.name}`, async () => {
      const cli = aCli();
      for (const [why, text] of NO_LISTEN_ADDRESSES) {
        const { exit, err } = await cli.run(['dev', `--${flag.name}=${text}`]);
        expect([exit, cli.started.length], why).to.deep.equal([64, 0]);
        expect(err, why).to.include(`--${flag.name} takes HOST:PORT`).and.to.include('orb dev --help');
      }
    });
  }
});

describe('an issuer that is no https origin', () => {
  const programs = Object.entries(PROGRAMS).filter(([, { commandLine }]) =>
    commandLine.flags.some(({ name }) => name === 'issuer'),
  );
  for (const [name, { commandLine, needed }] of programs)
    it(`is refused by ${name}`, () => {
      for (const text of ['orbs.example', 'http://orbs.example', 'https://orbs.example/', 'https://orbs.example:443'])
        expect(parseCommandLine(commandLine, [...needed, '--issuer', text]), text)
          .to.have.property('message')
          .that.includes('--issuer takes an https origin');
    });
});

describe('addresses that others reach', () => {
  const others = ['0.0.0.0:80', '[::]:80', '192.168.0.1:80', '[::ffff:10.0.0.1]:80', 'localhost.example:80'];
  for (const text of others) {
    it(`are refused by standalone, and by the API without TLS: ${text}`, () => {
      const standalone = parseCommandLine(standaloneCommandLine(''), ['--listen', text]);
      const api = parseCommandLine(apiCommandLine({}), [...SERVER, '--listen', text]);
      expect(standalone).to.have.property('message').that.includes('loopback only');
      expect(api).to.have.property('message').that.includes('this address is not loopback');
    });

    it(`start nothing by orb dev: ${text}`, async () => {
      const cli = aCli();
      for (const flag of ['listen', 'metrics-listen']) {
        const { exit, err } = await cli.run(['dev', `--${flag}=${text}`]);
        expect([exit, cli.started.length], flag).to.deep.equal([64, 0]);
        expect(err, flag).to.include('loopback only').and.to.include('orb dev --help');
      }
    });
  }
});
