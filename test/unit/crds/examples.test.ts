import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { jcs } from '../../../core/json/jcs.ts';
import { checkDocument, type Resource } from '../../../core/manifest/documents.ts';
import { digestOfText } from '../../../core/manifest/digest.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { compileOrb } from '../../../core/orb/compile-orb.ts';
import { compileOrbiset } from '../../../core/orb/compile-orbiset.ts';
import { eligibility } from '../../../core/run/eligibility.ts';

const manifests = new URL('../../../manifests/', import.meta.url);
const base = new URL('kubernetes/base/', manifests);

async function resources(folder: URL, name: string): Promise<readonly Resource[]> {
  const parsed = parseDocuments(await readFile(new URL(name, folder), 'utf8'), 'yaml');
  return parsed.flatMap((result) => {
    const checked = result.ok ? checkDocument(result.value) : undefined;
    return checked?.ok === true ? [checked.value] : [];
  });
}

const yamls = async (folder: URL): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted();

async function all(folder: URL): Promise<readonly Resource[]> {
  const names = (await yamls(folder)).filter((name) => name !== 'kustomization.yaml');
  return (await Promise.all(names.map((name) => resources(folder, name)))).flat();
}

const orbs = (documents: readonly Resource[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    documents.flatMap((item) => (item.kind === 'Orb' ? [[item.name, digestOfText(jcs(item.manifest))]] : [])),
  );

/** Its providers run inside `npm start` only. */
const LOCAL = 'example.lookup-1.0.0';

describe('manifests/kubernetes/base', () => {
  it('holds each manifest of manifests/ under its name, with the same digest, but for the one of `npm start`', async () => {
    const { [LOCAL]: local, ...bare } = orbs(await all(manifests));
    expect(local).to.match(/^sha256:/);
    expect(Object.keys(bare).length).to.be.at.least(6);
    expect(orbs(await all(base))).to.deep.equal(bare);
  });

  it('names every file in its kustomization', async () => {
    const [parsed] = parseDocuments(await readFile(new URL('kustomization.yaml', base), 'utf8'), 'yaml');
    const names = (await yamls(base)).filter((name) => name !== 'kustomization.yaml');
    expect(parsed?.ok === true ? parsed.value : undefined).to.deep.equal({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['orbiset.yaml', 'secrets.yaml', ...names.filter((name) => !/^(orbiset|secrets)/.test(name))],
    });
  });

  it('gives every provider of the examples the entries and hosts that it needs, and no real value', async () => {
    const documents = await all(base);
    const secrets = new Map(
      documents.flatMap((item) => (item.kind === 'Secret' ? [[item.name, item.data] as const] : [])),
    );
    const values = [...secrets.values()].flatMap((data) =>
      [...data.values()].map((value) => Buffer.from(value).toString()),
    );
    expect([...new Set(values)]).to.deep.equal(['replace-me']);
    const found = documents.flatMap((item) => (item.kind === 'Orbiset' ? [item.spec] : []));
    expect(found).to.have.length(1);
    const compiled = compileOrbiset({
      namespace: 'default',
      name: 'default',
      spec: found[0] ?? {},
      secret: (name) => secrets.get(name),
      extra: [],
    });
    expect(compiled.findings).to.deep.equal([]);
    for (const item of documents) {
      if (item.kind !== 'Orb') continue;
      const orb = compileOrb(item.manifest, { namespace: 'default', allowedOrigins: [] });
      const providers = orb.ok ? [...orb.value.providers.values()] : [];
      const inputs = { text: 'x', recipient: 'a@b.example', subject: 's', body: 'b', channel: 'c', payment: 'p' };
      const given = Object.fromEntries(
        Object.entries(inputs).filter(([name]) => orb.ok && Object.hasOwn(orb.value.manifest.inputs, name)),
      );
      const context = { inputs: given, vault: compiled.orbiset.vault, cleartextOrigins: new Set<string>() };
      expect([...new Set(providers.map((provider) => eligibility(provider, context).kind))], item.name).to.deep.equal([
        'eligible',
      ]);
    }
  });
});
