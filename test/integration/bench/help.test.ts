import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
/** A start takes a second; a busy machine takes some more. */
const START_MS = 120_000;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** `npm run bench` with these arguments. */
const bench = (...args: readonly string[]): Promise<Ended> =>
  new Promise((done) => {
    const command = [join(ROOT, 'hack/run.js'), 'bench', ...args];
    const child = execFile(process.execPath, command, { cwd: ROOT }, (_, out, error) =>
      done({ code: child.exitCode ?? -1, out, error: error.trimEnd() }),
    );
  });

describe('npm run bench', function suite() {
  this.timeout(START_MS);
  let names: readonly string[] = [];

  before(async () => {
    const { error } = await bench();
    names = error.replace('bench takes a name: ', '').split(', ');
    expect(names).to.include.members(['execute', 'ledger', 'policy']);
  });

  it('explains every benchmark and its options, and measures nothing then', async () => {
    for (const name of names) {
      const { code, out, error } = await bench(name, '--help');
      expect([name, code, error]).to.deep.equal([name, 0, '']);
      const [title, , about, ...rest] = out.split('\n');
      expect(title).to.equal(`npm run bench ${name} [-- OPTIONS]`);
      expect(about, name).to.match(/^(Measures|Compares) /);
      const options = rest.filter((line) => /^ {2}--[a-z0-9-]+( [A-Z]+)? {2,}\S/.test(line));
      expect(options.length, name).to.be.above(2);
      expect(options.at(-1), name).to.match(/^ {2}--help +this text$/);
    }
  });

  it('refuses an unknown option in one line that says where the options are', async () => {
    for (const name of names)
      expect([name, await bench(name, '--no-such-option')]).to.deep.equal([
        name,
        {
          code: 2,
          out: '',
          error: `bench ${name}: Unknown option '--no-such-option'; see npm run bench ${name} -- --help`,
        },
      ]);
  });

  const wrong: readonly (readonly [args: readonly string[], why: string])[] = [
    [['policy', '--seconds', 'long'], '--seconds takes a number from 0.1, not "long"'],
    [['policy', '--rounds', '0'], '--rounds takes a number from 1, not "0"'],
    [['policy', '--turns'], "Option '--turns <value>' argument missing"],
    [['policy', 'runs'], "Unexpected argument 'runs'"],
    [['verify', '--lines', '10'], '--lines takes a number from 50000, not "10"'],
    [['replay', '--r19', '1'], '--r19 takes a number from 1000, not "1"'],
  ];
  for (const [args, why] of wrong)
    it(`refuses ${args.join(' ')}`, async () => {
      const [name] = args;
      const error = `bench ${name}: ${why}; see npm run bench ${name} -- --help`;
      expect(await bench(...args)).to.deep.equal({ code: 2, out: '', error });
    });
});
