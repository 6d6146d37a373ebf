import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCa } from '../../../support/tls.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';

const GOOD = `orb_id: acme.echo@1.0.0
provider: main
description: Says what it is told.
inputs:
  text: { type: string, required: true }
outputs:
  text: { type: string }
execution:
  type: http
  method: POST
  url: https://api.example.com/echo
  headers:
    Content-Type: application/json
  body_template: '{"text":"{{inputs.text}}"}'
`;
const orbOf = (spec: string): string =>
  `apiVersion: orbs.dev/v1alpha1\nkind: Orb\nmetadata: {name: echo}\nspec:\n${spec.replaceAll(/^/gm, '  ').trimEnd()}\n`;

describe('orb validate', () => {
  let cli: TestCli;
  const file = (name: string, text: string | Uint8Array): string => {
    const path = join(cli.folder, name);
    writeFileSync(path, text);
    return path;
  };
  const validate = (...argv: readonly string[]): Promise<CliResult> => cli.run(['validate', ...argv]);
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('has nothing to say about a good manifest', async () => {
    expect(await validate(file('good.yaml', GOOD))).to.deep.equal({
      exit: 0,
      out: '',
      err: '1 file, 0 errors, 0 remarks\n',
    });
  });

  it('takes the manifests of this repository', async () => {
    const { exit, out } = await validate(join(import.meta.dirname, '../../../../manifests'));
    expect([exit, out]).to.deep.equal([0, '']);
  });

  it('leaves suites beside the manifests alone', async () => {
    file('good.yaml', GOOD);
    file('good.orbtest.json', '{}');
    expect(await validate(cli.folder)).to.deep.include({ exit: 0, err: '1 file, 0 errors, 0 remarks\n' });
  });

  it('names place, code, pointer and what was probably meant', async () => {
    const path = file('bad.yaml', GOOD.replace('provider:', 'providr:'));
    const { exit, out, err } = await validate(path);
    expect(exit).to.equal(1);
    expect(out).to.match(new RegExp(`^${path}:2:10: error \\S+ /providr: .* Did you mean "provider"\\?$`, 'm'));
    expect(err).to.match(/^1 file, \d errors?, 0 remarks\n$/);
  });

  it('finds what only the templates know, at its place', async () => {
    const path = file('bad.yaml', GOOD.replace('{{inputs.text}}', '{{inputs.txet}}'));
    const { exit, out } = await validate(path);
    expect(exit).to.equal(1);
    expect(out).to.include(`${path}:14:18: error`).and.to.include('/execution/body_template');
  });

  it('points below /spec in the document of an Orb', async () => {
    const path = file('orb.yaml', orbOf(GOOD.replace('method: POST', 'method: FETCH')));
    const { exit, out } = await validate(path);
    expect(exit).to.equal(1);
    expect(out).to.include(`${path}:14:13: error`).and.to.include('/spec/execution/method');
  });

  it('reads every document of a file', async () => {
    const path = file('two.yaml', `${GOOD}---\n${GOOD.replace('provider:', 'providr:')}`);
    expect((await validate(path)).out).to.include(`${path}:17:10: error`);
  });

  it('reads a JSON file strictly', async () => {
    const { exit, out } = await validate(file('bad.json', '{"orb_id": "a.b@1.0.0",\n "orb_id": "a.b@1.0.0"}'));
    expect(exit).to.equal(1);
    expect(out).to.include('bad.json:2:2: error duplicate-key /orb_id');
  });

  it('checks the files of a folder in order, not below it, and no others', async () => {
    const folder = join(cli.folder, 'set');
    for (const name of ['set', 'set/below']) mkdirSync(join(cli.folder, name));
    for (const name of ['b.yml', 'a.json', 'below/c.yaml', 'notes.txt', '.hidden.yaml'])
      file(`set/${name}`, '{"kind": "What"}');
    const { exit, out } = await validate(folder);
    expect(exit).to.equal(1);
    expect(out).to.include('below: info folder-skipped: Folders inside the folder are not read');
    expect(out.split('\n').map((line) => line.split(':')[0])).to.deep.equal([
      join(folder, 'a.json'),
      join(folder, 'b.yml'),
      join(folder, 'below'),
      '',
    ]);
  });

  it('prints findings for machines', async () => {
    const path = file('bad.yaml', GOOD.replace('method: POST', 'method: FETCH'));
    const value: unknown = JSON.parse((await validate(path, '-o', 'json')).out);
    expect(value).to.have.nested.property('findings[0].file', path);
    expect(value).to.have.nested.property('findings[0].pointer', '/execution/method');
    expect(value).to.have.property('files', 1);
  });

  const TERMS = GOOD.replace('description:', 'capabilities: [text.translat]\ndescription:').replace(
    '{ type: string, required: true }',
    '{ type: string, required: true, term: text }',
  );

  it('says what the ontology finds when asked for it, with the same exit codes', async () => {
    expect(await validate('--publish', file('plain.yaml', GOOD))).to.deep.include({ exit: 0 });
    const path = file('terms.yaml', TERMS);
    expect(await validate(path)).to.deep.include({ exit: 0, out: '' });
    const { exit, out, err } = await validate('--publish', path);
    expect(exit).to.equal(1);
    expect(out).to.match(
      new RegExp(`^${path}:3:16: error ontology-unknown-term /capabilities/0: .*Did you mean "text.translate"`),
    );
    expect(err).to.equal('1 file, 1 error, 0 remarks\n');
  });

  it('says it of the document of an Orb, below /spec', async () => {
    const { out } = await validate('--publish', file('orb.yaml', orbOf(TERMS)));
    expect(out).to.include('error ontology-unknown-term /spec/capabilities/0');
  });

  it('says it beside what is wrong without it', async () => {
    const { out } = await validate('--publish', file('both.yaml', TERMS.replace('{{inputs.text}}', '{{inputs.txet}}')));
    expect(out).to.include('error manifest-unknown-input').and.to.include('error ontology-unknown-term');
  });

  it('prints it for machines, with the address that explains the rule', async () => {
    const path = file('terms.yaml', TERMS);
    const value: unknown = JSON.parse((await validate('--publish', path, '-o', 'json')).out);
    expect(value).to.have.nested.property('findings[0].suggestion', 'text.translate');
    expect(value).to.have.nested.property('findings[0].rule_url', 'https://orbs.dev/problems/ontology-unknown-term');
  });

  it('takes the manifests of this repository for publishing, too', async () => {
    const folder = join(import.meta.dirname, '../../../../manifests');
    const { exit, out } = await validate('--publish', folder);
    expect(exit).to.equal(0);
    expect([...new Set(out.match(/(?:error|warning|info) \S+/g))]).to.deep.equal(['warning ontology-no-capability']);
  });

  it('lets an origin through that Orbs may call', async () => {
    const path = file('local.yaml', GOOD.replace('https://api.example.com/echo', 'http://127.0.0.1:9000/echo'));
    expect((await validate(path)).exit).to.equal(1);
    expect(await validate(path, '--egress-allow', 'http://127.0.0.1:9000')).to.include({ exit: 0, out: '' });
  });

  it('lets an origin through that stands for a stub, as the platform does', async () => {
    const path = file('stub.yaml', GOOD.replace('https://api.example.com/echo', 'https://llm.internal/echo'));
    const { exit, out } = await validate(path);
    expect(exit).to.equal(1);
    expect(out).to.include('--egress-allow https://llm.internal').and.to.include('--egress-stub');
    expect(await validate(path, '--egress-stub', 'https://llm.internal=127.0.0.1:9443')).to.include({
      exit: 0,
      out: '',
    });
  });

  it('takes a CA, and refuses a file that holds none', async () => {
    const ca = file('ca.pem', makeCa().certificate);
    expect(await validate(file('good.yaml', GOOD), '--egress-ca', ca)).to.include({ exit: 0 });
    const refused = await validate(file('good.yaml', GOOD), '--egress-ca', file('no.pem', 'x'));
    expect(refused.exit).to.equal(64);
    expect(refused.err).to.include('no.pem: no PEM certificate of an authority is there');
  });

  it('names the flag that lets a loopback address through', async () => {
    const path = file('local.yaml', GOOD.replace('https://api.example.com/echo', 'http://127.0.0.1:9000/echo'));
    expect((await validate(path)).out).to.include('or start with --egress-allow http://127.0.0.1:9000');
  });

  it('finds two files of one folder with the same Orb, by folder and by name', async () => {
    const [one, other] = [file('a.yaml', GOOD), file('b.yaml', GOOD)];
    for (const argv of [[cli.folder], [one, other]]) {
      const { exit, out } = await validate(...argv);
      expect(exit).to.equal(1);
      expect(out).to.equal(
        `${other}:1:9: error resource-duplicate /orb_id: a.yaml also has acme.echo@1.0.0; that one is used. Remove one of them.\n`,
      );
    }
    expect(await validate(one)).to.include({ exit: 0, out: '' });
  });

  it('finds one Orb twice in a file', async () => {
    const { out } = await validate(file('two.yaml', `${GOOD}---\n${GOOD}`));
    expect(out).to.include('two.yaml:16:9: error resource-duplicate').and.to.include('the first one is used');
  });

  it('prints all findings of a folder, also beside a file that it can not read', async () => {
    file('a.yaml', GOOD.replace('{{inputs.text}}', '{{input.text}}'));
    file('b.yaml', Uint8Array.of(0xff));
    const { exit, out } = await validate(cli.folder);
    expect(exit).to.equal(2);
    expect(out).to.include('error not-utf8').and.to.include('write {{inputs.text}}');
  });

  it('compiles policies, as the platform does', async () => {
    const policy = `apiVersion: orbs.dev/v1alpha1\nkind: OrbPolicy\nmetadata: {name: p}\nspec:\n  rules:\n    - { name: r, when: 'run.nope', effect: deny }\n`;
    const { exit, out } = await validate(file('policy.yaml', policy));
    expect(exit).to.equal(1);
    expect(out).to.include('policy.yaml:6:');
  });

  it('ends with 0 when there are remarks only', async () => {
    const path = file('remark.yaml', GOOD.replace('required: true', 'required: false'));
    const { exit, out, err } = await validate(path);
    expect(exit).to.equal(0);
    expect(out).to.match(/: (?:warning|info) /);
    expect(err).to.equal('1 file, 0 errors, 1 remark\n');
  });

  it('reads standard input', async () => {
    expect((await cli.run(['validate', '-'], { stdin: GOOD })).exit).to.equal(0);
    expect((await cli.run(['validate', '-'], { stdin: 'kind: What\n' })).out).to.match(
      /^-:1:\d+: error document-unknown/,
    );
  });

  const unreadable: readonly [string, () => readonly string[], number, string][] = [
    ['a file that is not there', () => [join(cli.folder, 'none.yaml')], 2, 'there is no such file or folder'],
    ['a folder without manifests', () => [cli.folder], 2, 'it holds no *.json, *.yaml or *.yml'],
    ['a file without a document', () => [file('empty.yaml', '# nothing\n')], 2, 'it holds no document'],
    ['a file that is not UTF-8', () => [file('latin.yaml', Uint8Array.of(0xff))], 2, 'it is not UTF-8'],
    ['nothing', () => [], 64, 'an argument is missing'],
    [
      'an exception that is no origin',
      () => ['x.yaml', '--egress-allow', 'http://127.0.0.1:9000/x'],
      64,
      'must be an origin alone, as http://127.0.0.1:9000',
    ],
  ];
  for (const [why, argv, code, message] of unreadable) {
    it(`ends with ${code} for ${why}`, async () => {
      const { exit, out, err } = await validate(...argv());
      expect([exit, out]).to.deep.equal([code, '']);
      expect(err).to.include(message);
    });
  }
});
