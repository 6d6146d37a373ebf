import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { givenOf, valueOf } from '../../../../adapters/process/arguments.ts';
import type { CommandLine } from '../../../../adapters/process/command-line.ts';
import { asText } from '../../../../adapters/process/flag-values.ts';
import { addressFlag, readyFileFlag } from '../../../../adapters/process/shared-flags.ts';
import { runProgram, untilStopped, type RunningProgram, type Start } from '../../../../adapters/process/run-program.ts';
import { EX_CONFIG, StartError, UsageError } from '../../../../adapters/process/start-error.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { fakeProcess, type FakeProcess } from '../../../support/fake-process.ts';

const LISTEN = addressFlag('listen', 'address', '8080');
const READY_FILE = readyFileFlag('the address', 'it listens');
const NAME = { name: 'name', value: 'NAME', text: 'a name', parse: asText };

interface Settings {
  readonly port: number;
  readonly name: string | undefined;
  readonly readyFile: string | undefined;
}

const COMMAND_LINE: CommandLine<Settings> = {
  call: 'node try.ts',
  about: 'Tries.',
  flags: [LISTEN, NAME, READY_FILE],
  example: '--listen 0',
  resolve: (args) => {
    const name = givenOf(args, NAME);
    if (name === 'nobody') throw new UsageError('--name takes the name of somebody, for example orb');
    return { port: valueOf(args, LISTEN).port, name, readyFile: givenOf(args, READY_FILE) };
  },
};

class KnownError extends Error {}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const never = (): Promise<RunningProgram> => Promise.reject(new Error('started'));
const running = (parts: Partial<RunningProgram> = {}): RunningProgram => ({
  facts: { url: 'http://127.0.0.1:1' },
  run: untilStopped(async () => undefined),
  ...parts,
});

describe('runProgram', () => {
  let folder: string;
  let clock: FakeClock;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-program-'));
    clock = createFakeClock(0);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const begin = (argv: readonly string[], start: Start<Settings>['start']): [FakeProcess, Promise<void>] => {
    const fake = fakeProcess(argv);
    const known = [[KnownError, EX_CONFIG]] as const;
    const options = { start, known, readyFile: ({ readyFile }: Settings) => readyFile };
    return [fake, runProgram(COMMAND_LINE, options, fake.host, clock)];
  };
  it('prints help on standard output, and starts nothing', async () => {
    const [fake, ended] = begin(['--help'], never);
    await ended;
    expect([fake.host.exitCode, fake.exits, fake.err()]).to.deep.equal([0, [], '']);
    expect(fake.out()).to.match(/^node try\.ts \[options\]\n\nTries\.\n\nFlags:\n/);
    expect(fake.out())
      .to.include('(8080)')
      .and.to.match(/\nExample:\n {2}node try\.ts --listen 0\n$/);
  });

  it('takes a reader of the help that goes away early for no error', async () => {
    const [fake, ended] = begin(['--help'], never);
    await ended;
    expect(() => fake.failOutput(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).to.not.throw();
    expect([fake.host.exitCode, fake.err()]).to.deep.equal([0, '']);
  });

  it('ends with 1 and one line for help that can not be written', async () => {
    const [fake, ended] = begin(['--help'], never);
    await ended;
    fake.failOutput(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
    expect(fake.host.exitCode).to.equal(1);
    expect(fake.err()).to.equal("standard output can't be written: ENOSPC: no space left\n");
  });

  it('ends with 1 for help whose failure is known before the command has ended', async () => {
    const [fake, ended] = begin(['--help'], never);
    fake.failOutput(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
    await ended;
    expect(fake.host.exitCode).to.equal(1);
  });

  it('keeps running when the readers of its output and of its log have gone, and ends with 0', async () => {
    const [fake, ended] = begin([], async () => running());
    await turn();
    const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    fake.failOutput(gone);
    fake.failErrors(gone);
    fake.failOutput(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
    await turn();
    expect(fake.exits).to.deep.equal([]);
    fake.signal('SIGTERM');
    await ended;
    expect(fake.exits).to.deep.equal([0]);
  });

  for (const argv of [['--help'], ['--lisen', '1']])
    it(`names itself by the command that loaded it: ${argv[0]}`, async () => {
      const fake = fakeProcess(argv);
      await runProgram(COMMAND_LINE, { start: never }, { ...fake.host, argv: ['/bin/node', 'try', ...argv] }, clock);
      expect(`${fake.out()}${fake.err()}`)
        .to.match(/^try \[options\]/m)
        .and.not.include('try.ts');
    });

  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['an unknown flag', ['--lisen', '1'], 'unknown flag --lisen: did you mean --listen?'],
    ['a value', ['--listen', '1e3'], '--listen takes HOST:PORT, [IPV6]:PORT or PORT'],
    ['what only the program refuses', ['--name', 'nobody'], '--name takes the name of somebody'],
  ];
  for (const [why, argv, said] of wrong) {
    it(`ends with 64 for ${why}: one line what to write, one where to look`, async () => {
      const [fake, ended] = begin(argv, never);
      await ended;
      expect([fake.host.exitCode, fake.exits, fake.out()]).to.deep.equal([64, [], '']);
      const [first = '', second = '', ...more] = fake.err().split('\n');
      expect(first).to.include(said);
      expect(second).to.equal('node try.ts [options]   (node try.ts --help explains every flag)');
      expect(more).to.deep.equal(['']);
    });
  }

  const failures: readonly (readonly [string, Error, number, RegExp])[] = [
    ['what the installation lacks', new StartError('mend this', EX_CONFIG), 78, /^mend this\n$/],
    ['wrong usage that shows at the start', new UsageError('write that'), 64, /^write that\n$/],
    ['an error that the program knows', new KnownError('known'), 78, /^known\n$/],
    [
      'a full disk, with what to do',
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
      1,
      /^ENOSPC: no space left on device, write: the disk is full; free space on it, then start again\n$/,
    ],
    ['an error that nobody knows, with its stack', new TypeError('a bug'), 1, /^TypeError: a bug\n +at /],
  ];
  for (const [why, error, exit, said] of failures) {
    it(`ends with ${exit} for ${why}`, async () => {
      const [fake, ended] = begin([], () => Promise.reject(error));
      await ended;
      expect(fake.exits).to.deep.equal([exit]);
      expect(fake.err()).to.match(said);
    });

    it(`ends with ${exit} for ${why} while it runs`, async () => {
      const [fake, ended] = begin([], async () => running({ run: () => Promise.reject(error) }));
      await ended;
      expect(fake.exits).to.deep.equal([exit]);
      expect(fake.err()).to.match(said);
    });
  }

  it('gives the program its settings', async () => {
    const [fake, ended] = begin(['--listen', '[::1]:9', '--name=x'], (settings) =>
      Promise.reject(new StartError(JSON.stringify(settings), 1)),
    );
    await ended;
    expect(fake.err()).to.equal('{"port":9,"name":"x"}\n');
  });

  it('leaves a signal to the system until the program has started', async () => {
    const started = Promise.withResolvers<RunningProgram>();
    const [fake] = begin([], () => started.promise);
    await turn();
    expect(fake.host.listenerCount('SIGTERM')).to.equal(0);
    started.resolve(running());
    await turn();
    expect(fake.host.listenerCount('SIGTERM')).to.equal(1);
  });

  it('stops once by the first signal, and ends with 0 when all has ended', async () => {
    let stops = 0;
    const stopped = Promise.withResolvers<undefined>();
    const stop = (): Promise<void> => {
      stops += 1;
      return stopped.promise;
    };
    const [fake, ended] = begin([], async () => running({ run: untilStopped(stop) }));
    await turn();
    fake.signal('SIGTERM');
    fake.signal('SIGINT'); // a terminal and a parent both pass one Ctrl-C on
    await turn();
    expect([stops, fake.exits]).to.deep.equal([1, []]);
    expect(fake.err()).to.equal('Stopping: work in progress ends first (again: at once) …\n');
    stopped.resolve(undefined);
    await ended;
    expect([stops, fake.exits]).to.deep.equal([1, [0]]);
  });

  it('ends with 130 at once by a second signal', async () => {
    const stopped = Promise.withResolvers<undefined>();
    const [fake, ended] = begin([], async () => running({ run: untilStopped(() => stopped.promise) }));
    await turn();
    fake.signal('SIGINT');
    await clock.advance(1001);
    fake.signal('SIGINT');
    expect(fake.exits).to.deep.equal([130]);
    stopped.resolve(undefined);
    await ended;
  });

  it('ends with 1 when the stop fails', async () => {
    const [fake, ended] = begin([], async () =>
      running({ run: untilStopped(() => Promise.reject(new Error('no end'))) }),
    );
    await turn();
    fake.signal('SIGTERM');
    await ended;
    expect(fake.exits).to.deep.equal([1]);
    expect(fake.err()).to.include('no end');
  });

  it('writes a private ready file once nothing is missing, and removes an earlier one at the start', async () => {
    const path = join(folder, 'ready.json');
    writeFileSync(path, 'of an earlier run');
    let missing: readonly string[] = ['caches'];
    const there = (): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
    let atStart = true;
    const [fake, ended] = begin(['--ready-file', path], async () => {
      atStart = there();
      return running({ missing: () => missing });
    });
    while (clock.sleeping() === 0) await turn();
    expect([atStart, there()]).to.deep.equal([false, false]);
    missing = [];
    await clock.advance(50);
    while (!there()) await turn();
    expect(readFileSync(path, 'utf8')).to.equal('{"url":"http://127.0.0.1:1"}\n');
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    fake.signal('SIGTERM');
    await ended;
    expect([fake.exits, there()]).to.deep.equal([[0], false]);
  });

  it('leaves the ready file of the next run at its end', async () => {
    const path = join(folder, 'ready.json');
    const [fake, ended] = begin(['--ready-file', path], async () => running());
    while (statSync(path, { throwIfNoEntry: false }) === undefined) await turn();
    writeFileSync(path, '{"url":"http://127.0.0.1:2"}\n');
    fake.signal('SIGTERM');
    await ended;
    expect(fake.exits).to.deep.equal([0]);
    expect(readFileSync(path, 'utf8')).to.equal('{"url":"http://127.0.0.1:2"}\n');
  });

  it('writes no ready file when it is stopped before it is ready', async () => {
    const path = join(folder, 'ready.json');
    const [fake, ended] = begin(['--ready-file', path], async () => running({ missing: () => ['caches'] }));
    while (clock.sleeping() === 0) await turn();
    fake.signal('SIGTERM');
    await ended;
    expect(fake.exits).to.deep.equal([0]);
    expect(statSync(path, { throwIfNoEntry: false })).to.equal(undefined);
  });

  it('ends with one line for a ready file that can not be written', async () => {
    const [fake, ended] = begin(['--ready-file', folder], async () => running());
    await ended;
    expect(fake.exits).to.deep.equal([1]);
    expect(fake.err()).to.match(/^--ready-file \/.*: the file can't be written \(\w+\)\n$/);
  });
});
