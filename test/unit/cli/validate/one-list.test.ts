import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { listAt } from '../../../../core/json/members.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { openFolder } from '../../../../operator/loader/folder.ts';
import { aFolderFeed, type AFolderFeed } from '../../../support/a-folder-feed.ts';
import { aCli, type TestCli } from '../../../support/cli-io.ts';

const ORB = `orb_id: acme.echo@1.0.0
provider: main
description: Says what it is told.
inputs:
  text: { type: string, required: true }
outputs:
  text: { type: string }
execution:
  method: POST
  url: https://api.example.com/echo
  headers: { Content-Type: application/json }
  body_template: '{"text":"{{inputs.text}}"}'
`;
const named = (name: string, text = ORB): string => text.replace('acme.echo', `acme.${name}`);
const orbOf = (name: string, spec: string): string =>
  `apiVersion: orbs.dev/v1alpha1\nkind: Orb\nmetadata: { name: ${name} }\nspec:\n${spec.replaceAll(/^/gm, '  ').trimEnd()}\n`;
const resource = (kind: string, rest: string): string =>
  `apiVersion: orbs.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: one }\n${rest}`;

/** Mistakes of every kind; each must be found. */
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'bytes.yaml': Uint8Array.of(0xff),
  'empty.yaml': '',
  'comment.yaml': '# nothing yet\n',
  'tab.yaml': 'orb_id: a\n\tprovider: b\n',
  'brace.json': '{"orb_id": "acme.brace@1.0.0",\n',
  'placeholder.yaml': named('placeholder', ORB.replace('{{inputs.text}}', '{{input.text}} {{inputs.txet}}')),
  'shape.yaml': named('shape', ORB.replace('provider:', 'providr:').replace('inputs.text', 'secrets.TEXT')),
  'id.yaml': ORB.replace('acme.echo@1.0.0', 'echo').replace('https:', 'http:'),
  'one.yaml': ORB,
  'two.yaml': ORB.replace('main', 'other'),
  'ambiguous.yaml': named(
    'ambiguous',
    ORB.replace('required: true', 'required: yes')
      .replace('method: POST', 'method: 010')
      .replace('type: string }\nexecution', 'type: text }\nexecution')
      .replace('inputs.text', 'inputs.txet'),
  ),
  'key.yaml': named(
    'key',
    ORB.replace('https://api.example.com/echo', '{{inputs.base}}')
      .replace('text: { type: string, required: true }', 'no: { type: text }\n  1: { typ: string }')
      .replace('outputs:\n  text: { type: string }', 'outputs:\n  text: { type: string, from: /ts }'),
  ),
  'null.json': named(
    'null',
    '{"orb_id": "acme.echo@1.0.0", "provider": null, "inputs": {}, "outputs": {"t": {"type": "text"}}}',
  ),
  'ambiguous-policy.yaml': resource(
    'OrbPolicy',
    "spec:\n  rules:\n    - { name: on, when: 'run.nope', effect: deny }\n",
  ),
  'twice.yaml': `${named('twice')}---\n${named('twice')}`,
  'remark.yaml': named('remark', ORB.replace(', required: true', '')),
  'orb.yaml': orbOf('orb', named('orb', ORB.replace('method: POST', 'method: 5').replace('inputs.text', 'text'))),
  'orbiset.yaml': resource('Orbiset', 'spec: { nope: 1 }\n'),
  'policy.yaml': resource('OrbPolicy', "spec:\n  rules:\n    - { name: r, when: 'run.nope', effect: deny }\n"),
  'source.yaml': resource(
    'OrbSignalSource',
    "spec:\n  type: grafana\n  auth: { secretRefs: [{ name: hook, key: current }] }\n  mapping:\n    fields: { title: 'item.' }\n",
  ),
  'kind.yaml': 'kind: What\n',
  'below/orb.yaml': ORB,
};
/** The loader of a cluster takes bare manifests, and reports duplicates by the Orbs that it has written. */
const OF_CLUSTER = [
  'bytes',
  'tab',
  'brace',
  'ambiguous',
  'key',
  'null',
  'placeholder',
  'shape',
  'id',
  'remark',
  'kind',
  'empty',
];

const isOfBoth = (brief: string): boolean =>
  OF_CLUSTER.includes(brief.split('.')[0] ?? '') && !brief.includes('loader-bare-manifests-only');

type Found = Readonly<Record<'file' | 'code' | 'pointer' | 'severity', unknown>> & { readonly line?: unknown };
const briefOf = ({ file, code, pointer, severity, line = '-' }: Found): string =>
  [file, line, severity, code, pointer].map(String).join(' ');

describe('orb validate and the platform find the same', () => {
  let feed: AFolderFeed;
  let cli: TestCli;
  let validated: readonly string[];
  const found = (name: string): readonly string[] => validated.filter((brief) => brief.startsWith(`${name} `));
  before(async () => {
    feed = await aFolderFeed();
    cli = aCli();
    mkdirSync(join(feed.folder, 'below'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(feed.folder, name), text);
    const { out } = await cli.run(['validate', feed.folder, '-o', 'json']);
    const read = readJson(new TextEncoder().encode(out));
    const findings = read.ok ? listAt(read.value, 'findings') : [];
    validated = findings
      .filter(isJsonObject)
      .map(({ file, line = '-', severity = '', code = '', pointer = '' }) =>
        briefOf({ file: relative(feed.folder, typeof file === 'string' ? file : ''), line, severity, code, pointer }),
      );
  });
  after(() => {
    feed.dispose();
    rmSync(cli.folder, { recursive: true });
  });

  it('about every file with a mistake', () => {
    const withMistakes = Object.keys(FILES)
      .filter((name) => !['comment.yaml', 'one.yaml', 'below/orb.yaml'].includes(name))
      .concat('below');
    expect(new Set(validated.map((brief) => brief.split(' ')[0]))).to.deep.equal(new Set(withMistakes));
  });

  it('about the text of a file, and all else in it at once', () => {
    expect(found('ambiguous.yaml')).to.deep.equal([
      'ambiguous.yaml 5 error yaml-ambiguous /inputs/text/required',
      'ambiguous.yaml 7 error schema-enum /outputs/text/type',
      'ambiguous.yaml 9 error yaml-number /execution/method',
      'ambiguous.yaml 12 error manifest-unknown-input /execution/body_template',
    ]);
    expect(found('key.yaml')).to.deep.equal([
      'key.yaml 5 error yaml-ambiguous /inputs',
      'key.yaml 5 error schema-enum /inputs/no/type',
      'key.yaml 6 error yaml-key /inputs',
      'key.yaml 6 error schema-propertyNames /inputs/1',
      'key.yaml 6 error schema-additionalProperties /inputs/1/typ',
      'key.yaml 8 error manifest-output-pointer /outputs/text/from',
      'key.yaml 11 error yaml-key /execution/url',
      'key.yaml 13 error manifest-unknown-input /execution/body_template',
    ]);
    expect(found('null.json')).to.deep.equal([
      'null.json 1 error manifest-null /provider',
      'null.json 1 error schema-required /execution',
      'null.json 1 error schema-enum /outputs/t/type',
    ]);
    expect(found('ambiguous-policy.yaml')).to.deep.equal([
      'ambiguous-policy.yaml 6 error yaml-ambiguous /spec/rules/0/name',
      'ambiguous-policy.yaml 6 error unknown-fact /spec/rules/0/when',
    ]);
  });

  it('when npm start reads the folder', async () => {
    await feed.scan();
    const severities: Readonly<Record<string, string>> = { error: 'error', warn: 'warning', info: 'info' };
    const logged = feed.lines
      .filter(({ fields }) => fields['code'] !== undefined)
      .map(({ level, fields: { file, code, pointer, line } }) =>
        briefOf({ file, code, pointer, severity: severities[level], ...(line === undefined ? {} : { line }) }),
      );
    expect(logged.toSorted()).to.deep.equal(validated.toSorted());
  });

  it('when the loader of a cluster reads it, about bare manifests', async () => {
    const { files } = await openFolder(feed.folder, { namespace: 'default', allowedOrigins: [] }).scan();
    const loaded = files.flatMap(({ file, findings }) =>
      findings.map(({ line, ...finding }) => briefOf({ file, ...finding, ...(line === undefined ? {} : { line }) })),
    );
    expect(loaded.filter(isOfBoth).toSorted()).to.deep.equal(validated.filter(isOfBoth).toSorted());
  });
});
