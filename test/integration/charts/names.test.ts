import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import {
  at,
  CI_FOLDER,
  objectsIn,
  openHelm,
  PLATFORM_CHART,
  textAt,
  titleOf,
  type Helm,
} from '../../support/cluster/platform-chart.ts';

const EVERYTHING = ['-f', join(CI_FOLDER, 'everything-values.yaml'), '-a', 'monitoring.coreos.com/v1'];
const INSTALLATION = readFileSync(resolve(import.meta.dirname, '../../../docs/installation.md'), 'utf8');

/** Kinds whose text is no name of an object: rules, dashboards and definitions. */
const OTHER_TEXT = new Set(['PrometheusRule', 'CustomResourceDefinition']);

/** What keeps its name under every override, and where it stands. */
const FIXED: Readonly<Record<string, RegExp>> = {
  'orb-platform': /labels\/app\.kubernetes\.io~part-of$|labels\/helm\.sh~chart$|\/image$/,
  'orb-platform-keys': /secretName$|args\/\d+$|resourceNames/,
  'orb-vault-reader': /metadata\/name$|resourceNames\/\d+$|expression$|message$/,
  'orb-api-pin-only': /metadata\/name$|policyName$/,
  'orb-pin-actor': /metadata\/name$|policyName$/,
  'orb-rolebindings': /metadata\/name$|policyName$/,
  'orb-vault-keys': /metadata\/name$|policyName$/,
  'orb-policy-hosts': /metadata\/name$|policyName$/,
  'orb-api-pin': /expression$|message$/,
  'orb-log-head': /resourceNames\/\d+$/,
  'orb-operator': /resourceNames\/\d+$|relabelings\/\d+\/replacement$/,
  'orb-api': /audience$|relabelings\/\d+\/replacement$/,
  'orb-status-prober': /relabelings\/\d+\/replacement$/,
  'orb-canary': /resourceNames\/\d+$|metadata\/name$|args\/\d+$/,
  // Names of the values in ci/everything-values.yaml, and namespaces.
  ...Object.fromEntries(['system', 'example', 'extra', 'extra-text', 'manifests'].map((name) => [`orb-${name}`, /./])),
};

/** Titles of objects that keep their names. */
const KEPT =
  /^(?:Namespace|CustomResourceDefinition|ValidatingAdmissionPolicy(?:Binding)?|Orb|Orbiset|OrbSignalSource|Lease) |\/orb-(?:vault-reader|extra|extra-text)$/;

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** Each text below an object with its path. */
function* textsOf(value: JsonValue | undefined, path = ''): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (isList(value)) for (const [index, item] of value.entries()) yield* textsOf(item, `${path}/${index}`);
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) yield* textsOf(item, `${path}/${name.replaceAll('/', '~')}`);
}

const isLease = (object: JsonObject): boolean => textAt(object, 'kind') === 'Lease';

const isDashboard = (object: JsonObject): boolean => textAt(object, 'metadata', 'name').includes('-dashboard-');

/** `path: word` of each word of the platform's own that stands where it is not expected. */
function leftovers(object: JsonObject): readonly string[] {
  return [...textsOf(object)].flatMap(([path, text]) =>
    [...text.matchAll(/\borb(?:-[a-z]+)+/g)]
      .map(([word]) => word)
      .filter((word) => FIXED[word]?.test(path) !== true && !(isLease(object) && word === 'orb-operator'))
      .map((word) => `${titleOf(object)} ${path}: ${word}`),
  );
}

describe('names of objects', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const rendered = async (args: readonly string[]): Promise<readonly JsonObject[]> =>
    objectsIn(await helm.render(args));

  const labelled = async (release: string): Promise<readonly [name: string, label: string, selector: string]> => {
    const { stdout, code, stderr } = await helm.run([
      'template',
      release,
      PLATFORM_CHART,
      '-n',
      'orb-system',
      '--set',
      'nameOverride=acme',
    ]);
    expect(code, stderr).to.equal(0);
    const service = objectsIn(stdout).find(
      (object) => textAt(object, 'kind') === 'Service' && textAt(object, 'metadata', 'name').endsWith('-api'),
    );
    const label = 'app.kubernetes.io/name';
    return [
      textAt(service, 'metadata', 'name'),
      textAt(service, 'metadata', 'labels', label),
      textAt(service, 'spec', 'selector', label),
    ];
  };
  const refused = async (release: string, set: string): Promise<string> => {
    const { code, stderr } = await helm.run(['template', release, PLATFORM_CHART, '--set', set]);
    expect(code, set).not.to.equal(0);
    return stderr;
  };
  const pattern = async (...args: readonly string[]): Promise<readonly string[]> =>
    [...(await helm.render([...EVERYTHING, ...args])).matchAll(/persistentvolumeclaim=~"([^"]+)"/g)].map(
      ([, found = '']) => found,
    );

  it('are those of before, byte for byte, without an override', async () => {
    const plain = await helm.render();
    expect(await helm.render(['--set', 'fullnameOverride=orb'])).to.equal(plain);
    expect(plain).not.to.include('--api-service-account');
    const names = objectsIn(plain).map(titleOf);
    expect(names).to.include.members([
      'Deployment orb-system/orb-api',
      'Service orb-system/orb-api',
      'PersistentVolumeClaim orb-system/orb-ledger',
      'ServiceAccount orb-system/orb-operator',
      'ClusterRole /orb-platform-view',
      'Job orb-system/orb-ledger-init',
    ]);
  });

  it('begin with fullnameOverride, and with them every reference; the rest is what the documents name', async () => {
    const objects = await rendered([...EVERYTHING, '--set', 'fullnameOverride=acme,nameOverride=acme']);
    const checked = objects.filter((object) => !OTHER_TEXT.has(textAt(object, 'kind')) && !isDashboard(object));
    expect(checked).to.have.length.above(60);
    expect(checked.flatMap(leftovers)).to.deep.equal([]);
    for (const name of ['orb-vault-reader', 'orb-log-head', 'orb-egress', 'orb-canary', 'orb-api-pin-only'])
      expect(INSTALLATION, name).to.include(`\`${name}\``);
  });

  it('are all those of the default under another beginning, and none is too long for a Service', async () => {
    const long = 'a'.repeat(40);
    const [plain, named] = [
      await rendered(EVERYTHING),
      await rendered([...EVERYTHING, '--set', `fullnameOverride=${long}`]),
    ];
    const wanted = plain.map(titleOf).map((title) => (KEPT.test(title) ? title : title.replace(/\/orb-/, `/${long}-`)));
    expect(named.map(titleOf)).to.have.members(wanted);
    for (const object of named) expect(textAt(object, 'metadata', 'name').length, titleOf(object)).to.be.most(63);
  });

  it('lead the operator and the admission policies to the ServiceAccounts of that name', async () => {
    const objects = await rendered(['--set', 'fullnameOverride=acme', '-n', 'place']);
    const text = JSON.stringify(objects.filter((object) => textAt(object, 'kind') === 'ValidatingAdmissionPolicy'));
    for (const said of [
      "'system:serviceaccount:place:acme-api'",
      "'system:serviceaccount:place:acme-operator'",
      "object.subjects[0].name == 'acme-api'",
      'only to the ServiceAccount acme-api of place',
    ])
      expect(text).to.include(said);
    const operator = objects.find((object) => titleOf(object) === 'Deployment place/acme-operator');
    expect(JSON.stringify(operator)).to.include('"--api-service-account=acme-api"');
    expect(textAt(operator, 'spec', 'template', 'spec', 'serviceAccountName')).to.equal('acme-operator');
  });

  it('follow nameOverride as those of other charts do, in labels and selectors too', async () => {
    expect(await labelled('blue')).to.deep.equal(['blue-acme-api', 'acme', 'acme']);
    expect(await labelled('acme-blue')).to.deep.equal(['acme-blue-api', 'acme', 'acme']);
    const both = await rendered(['--set', 'nameOverride=on,fullnameOverride=yes']);
    const labels = both.map((object) => at(object, 'metadata', 'labels', 'app.kubernetes.io/name'));
    expect(new Set(labels.filter((label) => label !== undefined))).to.deep.equal(new Set(['on']));
  });

  it('are refused where a Service could not have them', async () => {
    expect(await refused('orb', 'fullnameOverride=Acme')).to.include('fullnameOverride');
    expect(await refused('orb', `fullnameOverride=${'a'.repeat(41)}`)).to.include('fullnameOverride');
    expect(await refused('orb', 'nameOverride=a.b')).to.include('nameOverride');
    expect(await refused('7up', 'nameOverride=acme'))
      .to.include('"7up-acme"')
      .and.to.include('set fullnameOverride');
  });

  it('find the claim of the ledger in the alerts, by every name that it has', async () => {
    expect(new Set(await pattern('--set', 'fullnameOverride=acme'))).to.deep.equal(new Set(['acme-.+|.+-acme-.+']));
    const claim = await pattern('--set', 'ledger.persistence.existingClaim=data.mine');
    expect(new Set(claim)).to.deep.equal(new Set(['orb-.+|.+-orb-.+|data[.]mine']));
    for (const found of claim) expect(new RegExp(`^(?:${found})$`).test('data.mine')).to.equal(true);
  });
});
