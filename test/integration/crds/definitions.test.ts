import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { jcs } from '../../../core/json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { digestOfText } from '../../../core/manifest/digest.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';

const root = resolve(import.meta.dirname, '../../..');
const NAMESPACE = 'definitions';
const PROVIDERS = { other: { execution: { url: 'https://b.example/' } } };

const orb = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    orb_id: `acme.${name}@1.0.0`,
    provider: 'main',
    inputs: {},
    outputs: {},
    execution: { url: 'https://a.example/' },
    ...spec,
  },
});

const policy = (name: string, spec: JsonObject): JsonObject => ({ ...orb(name), kind: 'OrbPolicy', spec });

function parsed(text: string): JsonObject {
  const read = readJson(new TextEncoder().encode(text));
  if (!read.ok || !isJsonObject(read.value)) throw new Error(`no JSON object: ${text.slice(0, 200)}`);
  return read.value;
}

const specDigest = (value: JsonValue): string =>
  digestOfText(jcs(isJsonObject(value) ? (value['spec'] ?? null) : null));

describe('the resource definitions on an API server', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane | undefined;
  const kubectl = (args: readonly string[], input?: JsonObject): Promise<string> => {
    if (plane === undefined) throw new Error('the control plane is not there');
    return kubectlOk(plane, args, input === undefined ? undefined : JSON.stringify(input));
  };
  const apply = (object: JsonObject, ...more: readonly string[]): Promise<string> =>
    kubectl(['apply', '--server-side', '--force-conflicts', '-o', 'json', '-f', '-', ...more], object);
  const columns = async (...args: readonly string[]): Promise<string> =>
    (await kubectl(['get', ...args, '-n', NAMESPACE])).split('\n')[0]?.replaceAll(/\s+/g, ' ').trim() ?? '';
  const refusal = (object: JsonObject): Promise<string> =>
    apply(object).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );

  before(async () => {
    plane = await sharedControlPlane();
    await kubectl(['create', 'namespace', NAMESPACE]);
  });
  after(() => kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']));

  it('are accepted without a word about their schemas', async () => {
    const path =
      '{range .items[?(@.spec.group=="orbs.dev")]}{range .status.conditions[*]}{.type}={.status}{"\\n"}{end}{end}';
    const conditions = (await kubectl(['get', 'crd', '-o', `jsonpath=${path}`])).trim().split('\n');
    expect(conditions.toSorted()).to.deep.equal([
      ...Array<string>(5).fill('Established=True'),
      ...Array<string>(5).fill('NamesAccepted=True'),
    ]);
  });

  it('have short names and a category of their own', async () => {
    const names = await kubectl(['api-resources', '--api-group=orbs.dev', '--categories=orb-platform', '--no-headers']);
    const rows = names
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2).join(' '));
    expect(rows).to.deep.equal([
      'orbisets oset',
      'orbpolicies opol',
      'orbpublications opub',
      'orbs orb',
      'orbsignalsources osrc',
    ]);
  });

  it('explain every member to its end', async () => {
    expect(await kubectl(['explain', 'orb.spec.swap_config.dwell.hold_down'])).to.include('30s to 6h');
    expect(await kubectl(['explain', 'oset.spec.vault.secrets.allowedHosts'])).to.include('There is no default');
    expect(await kubectl(['explain', 'opub.status.validationReport.findings'])).to.include('The first 50 findings');
  });

  const binding = (more: JsonObject): JsonObject => ({
    ...orb('wrong'),
    kind: 'Orbiset',
    spec: { vault: { secrets: [{ name: 's', allowedHosts: ['*'], ...more }] } },
  });
  const restricted = (host: string): JsonObject =>
    policy('wrong', {
      rules: [{ name: 'r', effect: 'allow', when: 'true', obligations: [{ type: 'restrictHosts', hosts: [host] }] }],
    });
  const until = (time: string): JsonObject => orb('wrong', { pin: { provider: 'main', expires_at: time } });
  const wrong: readonly (readonly [place: string, object: JsonObject, words: string])[] = [
    [
      'orb_id',
      orb('wrong', { orb_id: 'mail' }),
      '{org}.{name}@{semver}, for example acme.send-email@1.0.0. (schema-pattern)',
    ],
    [
      'a header',
      orb('wrong', { execution: { type: 'http', url: 'https://api.example.com/', headers: { 'a b': 'x' } } }),
      'without a space or colon. (schema-propertyNames)',
    ],
    ['an empty URL', orb('wrong', { execution: { url: '' } }), 'Write at least 1 character. (schema-minLength)'],
    ['a local time', until('2030-01-31T12:00:00+01:00'), 'such as 2026-01-31T12:00:00Z'],
    ['a day that is not', until('2030-02-30T12:00:00Z'), 'such as 2026-01-31T12:00:00Z'],
    ['a host with a path', binding({ allowedHosts: ['https://a.example/b'] }), 'without scheme, port and path'],
    ['a key of the vault', binding({ keys: ['A', 'a b'] }), 'with letters, digits, ".", "_" and "-". (schema-pattern)'],
    ['an entry of the vault', binding({ keys: { 'a b': 'A' } }), 'letters, digits, ".", "_" and "-". (schema-pattern)'],
    ['the key of an entry', binding({ keys: { A: 'a b' } }), 'letters, digits, ".", "_" and "-". (schema-pattern)'],
    ['keys as a text', binding({ keys: 'A' }), 'write a list of keys, or a map from entry to key. (schema-oneOf)'],
    ['a host of a policy', restricted('https://a.example'), 'without scheme, port and path'],
    ['a host in capitals', restricted('A.example'), 'a host name in lower case'],
    [
      'an empty condition',
      policy('wrong', { rules: [{ name: 'r', effect: 'deny', when: '' }] }),
      'Condition in CEL. Write at least 1 character. (schema-minLength)',
    ],
  ];
  for (const [place, object, words] of wrong)
    it(`say in words what to write, never with a pattern: ${place}`, async () => {
      const said = await refusal(object);
      expect(said).to.include(words);
      expect(said).to.not.match(/should match|at least [0-9]+ chars|\^[[(]/);
    });

  it('refuse wrong keys of the vault in an update, too, and leave other updates alone', async () => {
    const stored = { ...binding({ keys: ['A'] }), metadata: { name: 'keys', namespace: NAMESPACE } };
    await apply(stored);
    expect(await refusal({ ...stored, metadata: { ...stored.metadata, labels: { team: 'mail' } } })).to.equal(
      'accepted',
    );
    expect(await refusal({ ...binding({ keys: ['a b'] }), metadata: stored.metadata })).to.include('orb-vault-keys');
  });

  it('select Orbs by orb_id and provider, and publications by those of their manifests', async () => {
    await apply(orb('one'));
    await apply(orb('two', { provider: 'other' }));
    const select = async (selector: string): Promise<string> =>
      (await kubectl(['get', 'orb', '-n', NAMESPACE, `--field-selector=${selector}`, '-o', 'name'])).trim();
    expect(await select('spec.orb_id=acme.one@1.0.0')).to.equal('orb.orbs.dev/one');
    expect(await select('spec.provider=other')).to.equal('orb.orbs.dev/two');
    const { spec } = orb('one');
    const publication = { ...orb('pub'), kind: 'OrbPublication', spec: { manifest: spec ?? {}, test_results: {} } };
    await apply(publication);
    const found = await kubectl([
      'get',
      'opub',
      '-n',
      NAMESPACE,
      '--field-selector=spec.manifest.orb_id=acme.one@1.0.0',
      '-o',
      'name',
    ]);
    expect(found.trim()).to.equal('orbpublication.orbs.dev/pub');
  });

  it('show decisions first, and the rest with -o wide', async () => {
    await apply({ ...orb('set'), kind: 'Orbiset', spec: {} });
    expect(await columns('orb')).to.equal('NAME PROVIDER SINCE READY REASON AGE');
    const wide = 'NAME PROVIDER SINCE READY REASON AGE ORB SWAP-REASON DIGEST';
    expect(await columns('orb', '-o', 'wide')).to.equal(wide);
    expect(await columns('opub')).to.equal('NAME PROVIDER TIER SCORE READY REASON AGE');
    expect(await columns('oset')).to.equal('NAME READY REASON SUSPENDED AGE');
    await apply({ ...orb('policy'), kind: 'OrbPolicy', spec: {} });
    expect(await columns('opol')).to.equal('NAME MODE EFFECTIVE TESTS READY REASON AGE');
  });

  it('keep conditions of two writers apart, and status out of the reach of the main resource', async () => {
    const at = { observedGeneration: 1, lastTransitionTime: '2026-01-31T12:00:00Z', message: '' };
    const status = (type: string, reason: string): JsonObject => ({
      ...orb('three'),
      spec: {},
      status: { conditions: [{ type, status: 'True', reason, ...at }] },
    });
    await apply(orb('three'));
    const { spec: _, ...ready } = status('Ready', 'Ready');
    const { spec: __, ...pin } = status('PinValid', 'PinFollowed');
    await apply(ready, '--subresource=status', '--field-manager=orb-operator');
    await apply(pin, '--subresource=status', '--field-manager=another');
    await apply({ ...orb('three'), status: { validDigest: 'x' } });
    const stored = parsed(await kubectl(['get', 'orb', 'three', '-n', NAMESPACE, '-o', 'json']));
    expect(stored['status']).to.deep.equal({
      observedGeneration: 0,
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Ready', ...at },
        { type: 'PinValid', status: 'True', reason: 'PinFollowed', ...at },
      ],
    });
  });

  it('judge a pin when it is set, and not again when somebody removes its provider', async () => {
    const pin = { provider: 'other', expires_at: '2030-01-31T12:00:00Z' };
    expect(await refusal(orb('pinned', { pin }))).to.include('pin.provider is no provider of this manifest');
    await apply(orb('pinned', { pin, providers: PROVIDERS }));
    expect(await refusal(orb('pinned', { pin, description: 'The provider is gone.' }))).to.equal('accepted');
    expect(await refusal(orb('pinned', { pin: { ...pin, provider: 'nobody' } }))).to.include(
      'pin.provider is no provider',
    );
  });

  it('drop what they do not know from a plain POST: the digest is of what is stored', async () => {
    const sent = orb('loose', { unknown: 1, description: 'x' });
    const created = parsed(await kubectl(['create', '--validate=ignore', '-o', 'json', '-f', '-'], sent));
    expect(specDigest(created)).to.equal(specDigest(orb('loose', { description: 'x' })));
    expect(await refusal(orb('strict', { unknown: 1 }))).to.include('.spec.unknown: field not declared in schema');
  });

  it('take the examples as they are, and store what our digest is over', async () => {
    const base = join(root, 'manifests/kubernetes/base');
    const built = await kubectl(['kustomize', base]);
    const documents = parseDocuments(built, 'yaml').map((result) => (result.ok ? result.value : null));
    expect(documents.length).to.be.greaterThan(4);
    for (const document of documents) {
      if (!isJsonObject(document) || document['kind'] === 'Secret') continue;
      const stored = parsed(await apply(document, '--dry-run=server', '-n', NAMESPACE));
      expect(specDigest(stored)).to.equal(specDigest(document));
    }
  });

  it('take the example policies, and refuse what no policy can mean', async () => {
    const folder = join(root, 'manifests/kubernetes/policies');
    const applied = await kubectl(['apply', '--server-side', '--dry-run=server', '-n', NAMESPACE, '-f', folder]);
    expect(applied.trim().split('\n')).to.have.length(5);
    const rule = { name: 'one', effect: 'deny', when: 'true' };
    const variable = { name: 'one', expression: '1' };
    expect(await refusal(policy('a.b', {}))).to.include('Write a name without a dot');
    expect(await refusal(policy('twice', { rules: [rule, rule] }))).to.include('duplicate entries');
    expect(await refusal(policy('same', { variables: [variable, variable] }))).to.include('a name of its own');
    expect(await refusal(policy('engine', { engine: 'rego' }))).to.include('Unsupported value');
    expect(
      await refusal(
        policy('tested', { tests: [{ name: 'one', input: { orb: { score: 1 } }, expect: { decision: 'none' } }] }),
      ),
    ).to.equal('accepted');
  });

  it('take the overlay, which lowers the limits', async () => {
    const overlay = join(root, 'manifests/kubernetes/overlays/staging');
    await kubectl(['create', 'namespace', 'staging']);
    const applied = await kubectl(['apply', '--server-side', '-k', overlay]);
    const limits = await kubectl([
      'get',
      'oset',
      'default',
      '-n',
      'staging',
      '-o',
      'jsonpath={.spec.limits.in_flight}',
    ]);
    await kubectl(['delete', 'namespace', 'staging', '--wait=false']);
    // Namespace, Orbiset, eight Secrets, seven Orbs.
    expect(applied.trim().split('\n')).to.have.length(17);
    expect(limits).to.equal('4');
  });
});
