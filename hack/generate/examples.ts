import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { checkDocument } from '../../core/manifest/documents.ts';
import { parseDocuments } from '../../core/manifest/parse-text.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';

/** A Secret that an example needs. */
interface Need {
  /** Name of the Secret. */
  readonly secret: string;
  readonly hosts: readonly string[];
  readonly entries: readonly string[];
}

/** One file of `manifests/`, with the objects that a cluster also needs. */
interface Example {
  /** File name without `.yaml`. */
  readonly stem: string;
  readonly text: string;
  /** Name of the Orb as a resource. */
  readonly name: string;
  readonly needs: readonly Need[];
}

const FOLDER = 'manifests/kubernetes/base';
const API = 'orbs.dev/v1alpha1';
// At least eight bytes, so that answers can be searched for it (security.md §5); it is not a real secret.
const PLACEHOLDER = 'replace-me';
const ORBISET = 'default';

/**
 * Vault entries that the providers need when a caller gives no input, and the hosts that they go to: a Secret for each
 * provider, so that no provider gets the credential of another one.
 */
function needsOf({ providers }: CompiledOrb, stem: string): readonly Need[] {
  return [...providers.values()].flatMap(({ name, request }) => {
    const entries = request.secretsFor({}).toSorted();
    if (entries.length === 0 || request.literalHost === undefined) return [];
    return [{ secret: providers.size === 1 ? stem : `${stem}-${name}`, hosts: [request.literalHost], entries }];
  });
}

async function readExample(root: string, file: string): Promise<Example> {
  const text = await readFile(join(root, 'manifests', file), 'utf8');
  const [parsed] = parseDocuments(text, 'yaml');
  const document = parsed?.ok === true ? checkDocument(parsed.value) : undefined;
  const orb = document?.ok === true && document.value.kind === 'Orb' ? document.value : undefined;
  const compiled =
    orb === undefined ? undefined : compileOrb(orb.manifest, { namespace: orb.namespace, allowedOrigins: [] });
  if (orb === undefined || compiled?.ok !== true) throw new Error(`manifests/${file} is no valid manifest`);
  const stem = file.replace(/[.]yaml$/, '');
  return { stem, text, name: orb.name, needs: needsOf(compiled.value, stem) };
}

/** The manifest as written, including comments, as the spec of an Orb. */
function orbText({ text, name }: Example): string {
  const lines = text.trimEnd().split('\n');
  const first = lines.findIndex((line) => !line.startsWith('#'));
  const spec = lines.slice(first).map((line) => (line === '' ? '' : `  ${line}`));
  const head = [`apiVersion: ${API}`, 'kind: Orb', 'metadata:', `  name: ${name}`, 'spec:'];
  return [...lines.slice(0, first), ...head, ...spec, ''].join('\n');
}

function orbisetText(examples: readonly Example[]): string {
  const secrets = examples
    .flatMap(({ needs }) => needs)
    .map(({ secret, hosts, entries }) => ({ name: secret, allowedHosts: hosts, keys: entries }));
  const note = '# Where the examples are executed: which Secrets they may use, and which hosts may get the values.\n';
  return (
    note + stringify({ apiVersion: API, kind: 'Orbiset', metadata: { name: ORBISET }, spec: { vault: { secrets } } })
  );
}

function secretsText(examples: readonly Example[]): string {
  const note = '# Values of the vault. Nothing here is real: put your own values in, and keep them out of Git.\n';
  const secrets = examples
    .flatMap(({ needs }) => needs)
    .map(({ secret, entries }) =>
      stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secret },
        type: 'Opaque',
        stringData: Object.fromEntries(entries.map((entry) => [entry, PLACEHOLDER])),
      }),
    );
  return note + secrets.join('---\n');
}

const kustomization = (examples: readonly Example[]): string =>
  stringify({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['orbiset.yaml', 'secrets.yaml', ...examples.map(({ stem }) => `${stem}.yaml`)],
  });

/** Not an example for clusters: its providers, which simulate faults on command, run only inside `npm start`. */
const LOCAL = 'lookup.yaml';

/**
 * The examples as resources: manifests/NAME.yaml → manifests/kubernetes/base/NAME.yaml, with an Orbiset and Secrets.
 */
export async function exampleArtefacts(root: string): Promise<readonly Artefact[]> {
  const files = (await readdir(join(root, 'manifests')))
    .filter((file) => file.endsWith('.yaml') && file !== LOCAL)
    .toSorted();
  const examples = await Promise.all(files.map((file) => readExample(root, file)));
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['kustomization.yaml', kustomization(examples)],
    ['orbiset.yaml', orbisetText(examples)],
    ['secrets.yaml', secretsText(examples)],
    ...examples.map((example) => [`${example.stem}.yaml`, orbText(example)] as const),
  ];
  const banner = '# generated from manifests/ by hack/generate.ts: do not edit\n';
  return Promise.all(
    texts.map(async ([name, text]) => ({
      path: `${FOLDER}/${name}`,
      text: await formatted(root, name, banner + text),
    })),
  );
}
