import { expect } from 'chai';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../manifests/kubernetes/policies');

const GOOD = `apiVersion: orbs.dev/v1alpha1
kind: OrbPolicy
metadata:
  name: certified
  namespace: acme
spec:
  rules:
    - name: at-least-bronze
      effect: deny
      when: orb.tier_rank < 1
  tests:
    - name: denies-uncertified
      input: { orb: { tier_rank: 0 } }
      expect: { decision: deny, rule: at-least-bronze }
    - name: allows-bronze
      input: { orb: { tier_rank: 1 } }
      expect: { decision: allow }
`;
const exceptedUntil = (time: string): string =>
  `${GOOD}  exceptions:\n    - { orb: '*', caller: '', rule: at-least-bronze, until: '${time}', reason: none }\n`;
const DIGEST = /sha256:[0-9a-f]{64}/;

describe('orb policy', () => {
  let cli: TestCli;
  const file = (name: string, text: string): string => {
    const path = join(cli.folder, name);
    writeFileSync(path, text);
    return path;
  };
  const policy = (...argv: readonly string[]): Promise<CliResult> => cli.run(['policy', ...argv]);
  const valueOf = async (...argv: readonly string[]): Promise<unknown> =>
    JSON.parse((await policy(...argv, '-o', 'json')).out);
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('validate says what a policy costs and reads, and how its tests end', async () => {
    const path = file('good.yaml', GOOD);
    const { exit, out, err } = await policy('validate', path);
    expect([exit, err]).to.deep.equal([0, '1 file, 1 policy, 0 errors, 0 remarks, 0 failed tests\n']);
    expect(out.replace(DIGEST, 'DIGEST')).to.equal(
      `${path}: acme/certified (Audit)\n  digest  DIGEST\n  cost    PreFlight 15 of 50000 units\n` +
        '  facts   orb.tier_rank\n  2 tests: 2 passed, 0 failed\n',
    );
  });

  it('test shows every test', async () => {
    expect(await policy('test', file('good.yaml', GOOD))).to.deep.equal({
      exit: 0,
      out: 'acme/certified\n  ok      denies-uncertified\n  ok      allows-bronze\n2 tests: 2 passed, 0 failed\n',
      err: '',
    });
  });

  it('takes every example policy, by the folder and by the file', async () => {
    const files = readdirSync(EXAMPLES).map((name) => join(EXAMPLES, name));
    const byFolder = await policy('test', EXAMPLES);
    expect([byFolder.exit, byFolder.err]).to.deep.equal([0, '']);
    expect(byFolder.out.match(/ 0 failed$/gm)).to.have.length(files.length);
    expect(await policy('test', ...files)).to.deep.equal(byFolder);
  });

  it('names file, line, column, code and what to write', async () => {
    const path = file('bad.yaml', GOOD.replace('tier_rank < 1', 'teir_rank < 1'));
    const { exit, out, err } = await policy('validate', path);
    expect(exit).to.equal(2);
    expect(out).to.equal(
      `${path}:10:17: error unknown-fact /spec/rules/0/when: orb.teir_rank: did you mean orb.tier_rank?\n`,
    );
    expect(err).to.equal('1 file, 1 policy, 1 error, 0 remarks, 0 failed tests\n');
  });

  it('names what is wrong with the text of a file beside everything else', async () => {
    const text = GOOD.replace('name: at-least-bronze', 'name: on').replace('tier_rank < 1', 'teir_rank < 1');
    const { exit, out, err } = await policy('validate', file('bad.yaml', text));
    expect(exit).to.equal(2);
    expect(out.match(/error [a-z-]+ \S+/g)).to.deep.equal([
      'error yaml-ambiguous /spec/rules/0/name:',
      'error unknown-fact /spec/rules/0/when:',
    ]);
    expect(err).to.equal('1 file, 0 policies, 2 errors, 0 remarks, 0 failed tests\n');
  });

  it('ends with 1 when a test fails, and says what came instead', async () => {
    const path = file('failing.yaml', GOOD.replace('decision: allow', 'decision: deny'));
    const tested = await policy('test', path);
    expect([tested.exit, tested.err]).to.deep.equal([1, '']);
    expect(tested.out).to.include('  FAILED  allows-bronze\n          expected deny, got none (by default allow)\n');
    const validated = await policy('validate', path);
    expect(validated.exit).to.equal(1);
    expect(validated.out).to.include('  FAILED  allows-bronze\n');
  });

  it('ends with 2 when one policy fails a test and another has an error', async () => {
    const failing = GOOD.replace('decision: allow', 'decision: deny');
    const path = file('both.yaml', `${failing}---\n${GOOD.replace('< 1', '<')}`);
    const { exit, out, err } = await policy('test', path);
    expect(exit).to.equal(2);
    expect(out)
      .to.include('FAILED  allows-bronze')
      .and.to.include('acme/certified\n  not run: the policy has errors\n');
    expect(err).to.match(/both\.yaml:28:\d+: error parse-error \/spec\/rules\/0\/when: /);
  });

  it('finds an unknown fact in the input of a test', async () => {
    const path = file('input.yaml', GOOD.replace('{ tier_rank: 0 }', '{ tear_rank: 0 }'));
    const { exit, err } = await policy('test', path);
    expect(exit).to.equal(2);
    expect(err).to.include(`${path}:13:`).and.to.include('unknown-fact /spec/tests/0/input/orb/tear_rank');
  });

  it('says what the schema does not know', async () => {
    const path = file('member.yaml', GOOD.replace('effect: deny', 'efect: deny'));
    const { exit, out } = await policy('validate', path);
    expect(exit).to.equal(2);
    expect(out).to.include(`${path}:9:`).and.to.include('Did you mean "effect"?');
  });

  it('shows warnings, which keep nothing from force', async () => {
    const path = file('warning.yaml', GOOD.replace('orb.tier_rank < 1', 'orb.age_days < 1'));
    const { exit, out } = await policy('validate', path);
    expect(out).to.include(`${path}:10:17: warning needs-has /spec/rules/0/when: orb.age_days may be absent`);
    expect(exit, 'the second test expects what holds no more').to.equal(1);
  });

  it('judges the ends of exceptions by the clock', async () => {
    expect((await policy('validate', file('a.yaml', exceptedUntil('2026-11-19T00:00:00Z')))).out).to.include(
      'warning exception-expired /spec/exceptions/0/until',
    );
    expect((await policy('validate', file('b.yaml', exceptedUntil('2027-11-20T00:00:00Z')))).exit).to.equal(2);
  });

  it('prints policies and findings for machines', async () => {
    const path = file('good.json', JSON.stringify(parse(GOOD)));
    const value = await valueOf('validate', path);
    expect(value).to.deep.include({ files: 1, findings: [] });
    expect(value).to.have.nested.property('policies[0].policy_digest').that.matches(DIGEST);
    expect(value).to.have.nested.property('policies[0].cost_units').that.deep.equals({ PreFlight: 15 });
    expect(value).to.have.nested.property('policies[0].reads_facts').that.deep.equals(['orb.tier_rank']);
    const bad = file(
      'bad.json',
      '{"apiVersion":"orbs.dev/v1alpha1","kind":"OrbPolicy","metadata":{"name":"a"},"spec":3}',
    );
    expect(await valueOf('test', bad))
      .to.have.nested.property('findings[0]')
      .that.deep.includes({ file: bad, severity: 'error', pointer: '/spec', line: 1 });
  });

  it('reads what kubectl get prints, from standard input', async () => {
    const item = GOOD.replace('  namespace: acme\n', '  namespace: acme\n  uid: "5"\n  generation: 2\n')
      .replaceAll(/^(?=.)/gm, '    ')
      .replace('    apiVersion', '  - apiVersion');
    const stdin = `apiVersion: v1\nkind: List\nmetadata:\n  resourceVersion: ""\nitems:\n${item}    status: { tests: {} }\n`;
    const { exit, out } = await cli.run(['policy', 'test', '-'], { stdin });
    expect([exit, out.split('\n')[0]]).to.deep.equal([0, 'acme/certified']);
    const broken = await cli.run(['policy', 'validate', '-'], { stdin: stdin.replace('tier_rank <', 'tir_rank <') });
    expect(broken.out).to.match(/^-:17:21: error unknown-fact \/items\/0\/spec\/rules\/0\/when: /);
  });

  it('leaves objects of other kinds out, but not a misspelt one', async () => {
    const other = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n---\n';
    const orbiset = 'apiVersion: orbs.dev/v1alpha1\nkind: Orbiset\nmetadata: { name: a }\nspec: {}\n---\n';
    expect((await policy('test', file('mixed.yaml', `${other}${orbiset}${GOOD}`))).exit).to.equal(0);
    const misspelt = await policy('test', file('misspelt.yaml', GOOD.replace('OrbPolicy', 'OrbPolcy')));
    expect(misspelt.exit).to.equal(2);
    expect(misspelt.err).to.include('misspelt.yaml:2:7: error document-unknown /kind: ').and.to.include('"OrbPolicy"?');
  });

  it('refuses a file without a policy, and one that does not exist', async () => {
    const path = file('none.yaml', '# nothing\n');
    expect(await policy('test', path)).to.deep.equal({
      exit: 2,
      out: '',
      err: `orb: ${path}: it holds no OrbPolicy\n`,
    });
    expect((await policy('validate', join(cli.folder, 'nosuch.yaml'))).exit).to.equal(2);
  });

  it('does not print what a terminal would act on', async () => {
    const path = file('hostile.yaml', GOOD.replace('orb.tier_rank < 1', '"orb.x\\u001b[2J"'));
    const { out } = await policy('validate', path);
    expect(out).to.include('error').and.not.to.include('\u001b');
  });

  it('is completed, with files behind it', async () => {
    expect((await cli.run(['__complete', 'policy', ''])).out)
      .to.include('validate\ntest\nlist\n')
      .and.to.match(/:4\n$/);
    expect((await cli.run(['__complete', 'policy', 'replay', '--base'])).out).to.equal('--baseline\n:4\n');
    expect((await cli.run(['__complete', 'policy', 'apply', '-f', ''])).out).to.equal(':0\n');
    expect((await cli.run(['__complete', 'decisions', 'list', '--shadow', ''])).out).to.equal(
      'would_allow\nwould_deny\n:4\n',
    );
    expect((await cli.run(['__complete', 'policy', 'test', ''])).out).to.equal(':0\n');
  });
});
