import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { objectAt } from '../../../../core/json/members.ts';
import { readReport } from '../../../../core/test-report/ctrf.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aSuite, compiled, echoManifest, jsonOf, mockCase } from '../../../support/suites.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const manifest = echoManifest();
const orb = compiled(manifest);

const objectIn = (text: string): JsonObject => {
  const value = jsonOf(JSON.parse(text));
  return isJsonObject(value) ? value : {};
};

describe('orb test', () => {
  let cli: TestCli;
  let path: string;
  const write = (name: string, value: unknown): string => {
    const file = join(cli.folder, name);
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };
  const test = (...argv: readonly string[]): Promise<CliResult> => cli.run(['test', path, ...argv]);
  beforeEach(() => {
    cli = aCli();
    path = write('echo.json', manifest);
    write('echo.orbtest.json', aSuite());
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('runs the mock cases of the suites beside the manifest, and skips live ones', async () => {
    write('other.orbtest.json', aSuite({ orb: 'acme.other' }));
    const { exit, out, err } = await test();
    expect([exit, err]).to.deep.equal([0, '']);
    expect(out).to.equal(
      'acme.echo@1.0.0\n  ok       echo/echo  (0 ms)\n  ok       echo/down  (0 ms)\n' +
        '  skipped  echo/live\n           a live case runs with --orbiset NAME\n3 cases: 2 passed, 0 failed, 1 skipped\n',
    );
  });

  it('says what differs, and exits with 1', async () => {
    write(
      'echo.orbtest.json',
      aSuite({ cases: [mockCase({ expect: { status: 'completed', outputs: { text: { equals: 'ho' } } } })] }),
    );
    const { exit, out } = await test();
    expect(exit).to.equal(1);
    expect(out).to.include('  FAILED   echo/echo  (0 ms)\n           output text is "hi", expected "ho"\n');
  });

  it('does not count a case that is not required', async () => {
    const wrong = mockCase({ id: 'wrong', required: false, expect: { status: 'failed' } });
    write('echo.orbtest.json', aSuite({ cases: [mockCase(), wrong] }));
    const { exit, out } = await test();
    expect([exit, out.includes('FAILED   echo/wrong  (0 ms, not required)')]).to.deep.equal([0, true]);
  });

  it('runs the cases though they leave an output out, and exits with 1', async () => {
    const suite = write('echo.orbtest.json', aSuite({ cases: [mockCase({ expect: { status: 'completed' } })] }));
    const { exit, out, err } = await test(suite);
    expect([exit, out.includes('1 passed')]).to.deep.equal([1, true]);
    expect(err).to.include(
      `${path}: error suite-output-not-asserted: No required case says what these outputs are: text.`,
    );
  });

  const wrong: readonly (readonly [why: string, name: string, value: unknown, exit: number, err: string])[] = [
    ['a suite with an unknown member', 'echo.orbtest.json', aSuite({ case: 1 }), 2, 'error suite-invalid /case'],
    ['a suite that is no JSON', 'echo.orbtest.json', '{', 2, 'error invalid-json'],
    ['a suite with a member twice', 'echo.orbtest.json', '{"a":1,"a":2}', 2, 'error duplicate-key /a'],
    ['a suite of 300 KiB', 'echo.orbtest.json', 'x'.repeat(300 * 1024), 2, 'larger than 262144 bytes'],
    [
      'a manifest with an error',
      'echo.json',
      { ...(isJsonObject(manifest) ? manifest : {}), providr: 1 },
      2,
      'Did you mean',
    ],
    [
      'a file without a manifest',
      'echo.json',
      '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}',
      2,
      'holds no manifest',
    ],
  ];
  for (const [why, name, value, exit, text] of wrong)
    it(`exits with ${exit} for ${why}`, async () => {
      write(name, value);
      const result = await test();
      expect(result.exit).to.equal(exit);
      expect(result.err).to.include(text);
    });

  it('takes null in a suite, and names line and column of what is wrong', async () => {
    const body = { text: 'hi', more: null };
    write('echo.orbtest.json', aSuite({ cases: [mockCase({ responses: [{ provider: 'main', status: 200, body }] })] }));
    expect((await test()).exit).to.equal(0);
    const file = write('echo.orbtest.json', '{\n  "format": "orbtest/2"\n}\n');
    expect((await test()).err).to.include(`${file}:2:13: error suite-invalid /format`);
  });

  it('names at once what is wrong with the text of a manifest, its envelope and the rest of it', async () => {
    const spec = `  ${JSON.stringify(manifest).replace('"required":true', '"required": yes').replace('inputs.text', 'inputs.txet')}`;
    path = write('text.yaml', `apiVersion: orbs.dev/v1alpha1\nkind: Orb\nmetadata: {}\nspec:\n${spec}\n`);
    const { exit, err } = await test();
    expect(exit).to.equal(2);
    expect(err.match(/error [a-z-]+ \S+:/gi)).to.deep.equal([
      'error yaml-ambiguous /spec/inputs/text/required:',
      'error schema-required /metadata/name:',
      'error manifest-unknown-input /spec/execution/body_template:',
    ]);
  });

  it('names what is wrong with the envelope and the manifest in it at once', async () => {
    path = write('envelope.yaml', {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orb',
      metadata: {},
      spec: { ...objectIn(JSON.stringify(manifest)), outputs: { text: { type: 'text' } } },
    });
    const { exit, err } = await test();
    expect(exit).to.equal(2);
    expect(err.match(/error [a-z-]+ \S+:/gi)).to.deep.equal([
      'error schema-required /metadata/name:',
      'error schema-enum /spec/outputs/text/type:',
    ]);
  });

  it('refuses a file with two Orbs', async () => {
    path = write('two.yaml', `${JSON.stringify(manifest)}\n---\n${JSON.stringify(manifest)}\n`);
    expect(await test()).to.deep.include({ exit: 2, out: '' });
  });

  it('says how to begin when there is no suite', async () => {
    rmSync(join(cli.folder, 'echo.orbtest.json'));
    const { exit, err } = await test();
    expect([exit, err.includes('--init writes a first one')]).to.deep.equal([2, true]);
  });

  const usages: readonly (readonly [argv: readonly string[], err: string])[] = [
    [['--live'], '--live runs live cases: say where with --orbiset NAME'],
    [['-n', 'team'], '--namespace is that of --orbiset'],
    [['--init', '--watch'], '--init runs no case'],
    [['-o', 'name'], 'this verb prints json or yaml'],
  ];
  for (const [argv, text] of usages)
    it(`exits with 64 for ${argv.join(' ')}`, async () => {
      const { exit, err } = await test(...argv);
      expect([exit, err.includes(text)]).to.deep.equal([64, true]);
    });

  it('writes the report as CTRF, and the results as JUnit', async () => {
    const [report, junit] = [join(cli.folder, 'report.json'), join(cli.folder, 'junit.xml')];
    const { out } = await test('--report', report, '--junit', junit, '-o', 'json');
    const text = readFileSync(report, 'utf8');
    expect(JSON.parse(out)).to.deep.equal(JSON.parse(text));
    expect(readReport(objectIn(text), '').findings).to.deep.equal([]);
    expect(objectAt(objectAt(objectAt(objectIn(text), 'results'), 'extra'), 'orb')).to.deep.include({
      orb_id: 'acme.echo@1.0.0',
      manifest_digest: orb.digest,
    });
    expect(readFileSync(junit, 'utf8')).to.equal(
      '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="acme.echo@1.0.0" tests="3" failures="0" skipped="1" time="0.000">\n' +
        '  <testsuite name="echo" tests="3" failures="0" skipped="1" time="0.000">\n' +
        '    <testcase classname="echo" name="echo/echo" time="0.000"/>\n    <testcase classname="echo" name="echo/down" time="0.000"/>\n' +
        '    <testcase classname="echo" name="echo/live" time="0.000">\n      <skipped message="a live case runs with --orbiset NAME"/>\n    </testcase>\n' +
        '  </testsuite>\n</testsuites>\n',
    );
  });

  it('escapes what a fault holds in JUnit', async () => {
    const junit = join(cli.folder, 'junit.xml');
    const suite = mockCase({
      responses: [{ provider: 'main', status: 200, body: { text: '<a>&"\u0001' } }],
    });
    write('echo.orbtest.json', aSuite({ cases: [suite] }));
    await test('--junit', junit);
    expect(readFileSync(junit, 'utf8')).to.include('message="output text is &quot;&lt;a&gt;&amp;');
  });

  it('writes a first suite that passes, once', async () => {
    rmSync(join(cli.folder, 'echo.orbtest.json'));
    expect((await test('--init')).exit).to.equal(0);
    const { exit, out, err } = await test();
    expect([exit, err]).to.deep.equal([0, '']);
    expect(out).to.include('2 passed, 0 failed, 1 skipped');
    expect((await test('--init')).err).to.include('it exists; it was left as it is');
  });

  for (const name of ['echo', 'lookup', 'mail'])
    it(`writes a first suite for the example ${name}`, async () => {
      path = write(
        `${name}.yaml`,
        readFileSync(join(import.meta.dirname, `../../../../manifests/${name}.yaml`), 'utf8'),
      );
      if (name !== 'echo') await test('--init');
      else {
        rmSync(join(cli.folder, 'echo.orbtest.json'));
        await test('--init');
      }
      expect(readdirSync(cli.folder)).to.include(`${name}.orbtest.json`);
      const { exit, out } = await test();
      expect([exit, /[1-9] passed, 0 failed/.test(out)]).to.deep.equal([0, true]);
    });

  it('runs again when a file changes, and ends with the process', async () => {
    const stop = new AbortController();
    const printed: string[] = [];
    const watching = cli.run(['test', path, '--watch'], {
      signal: stop.signal,
      out: (text) => void printed.push(text),
    });
    await untilTrue('the first run', () => printed.length === 1);
    write('echo.orbtest.json', aSuite({ cases: [mockCase({ expect: { status: 'failed' } })] }));
    await untilTrue('the second run', () => printed.some((text) => text.includes('1 failed')), 10_000);
    stop.abort();
    expect((await watching).exit).to.equal(1);
  }).timeout(20_000);
});
