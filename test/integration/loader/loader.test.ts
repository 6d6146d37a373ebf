import { expect } from 'chai';
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { KubeError } from '../../../adapters/kube/port.ts';
import { jcs } from '../../../core/json/jcs.ts';
import { digestOfText } from '../../../core/manifest/digest.ts';
import { createOrbWriter } from '../../../operator/loader/orb-writer.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { aManifest } from '../../unit/core/manifest/a-manifest.ts';
import { NAMESPACE, POD, startLoader, type ALoader } from './a-loader.ts';

const text = (orbId: string, description = 'one'): string =>
  JSON.stringify(aManifest({}, { orb_id: orbId, description }));

const mistaken = (orbId: string): string =>
  JSON.stringify(aManifest({ url: 'https://orbs.example/{{inputs.nope}}' }, { orb_id: orbId }));

/** Longer than the loader needs for anything: what has not happened then does not happen. */
const LONG_MS = 3200;

const member = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((at: unknown, name) => (isJsonObject(at) ? at[name] : undefined), value);

describe('the manifest loader on a real API server', () => {
  let plane: ControlPlane;
  let loader: ALoader;

  const orbs = async (): Promise<readonly JsonObject[]> => {
    const list: unknown = JSON.parse(await kubectlOk(plane, ['get', 'orbs', '-n', NAMESPACE, '-o', 'json']));
    const items = member(list, 'items');
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  };
  const names = async (): Promise<readonly unknown[]> => (await orbs()).map((orb) => member(orb, 'metadata', 'name'));
  const orb = async (name: string): Promise<JsonObject | undefined> =>
    (await orbs()).find((one) => member(one, 'metadata', 'name') === name);
  const uid = async (name: string): Promise<unknown> => member(await orb(name), 'metadata', 'uid');

  const events = (): Promise<string> =>
    kubectlOk(plane, [
      'get',
      'events',
      '-n',
      NAMESPACE,
      '--field-selector',
      `involvedObject.name=${POD.name}`,
      '-o',
      'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
    ]);

  async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const found = await waitFor(async () => ((await isSo()) ? true : undefined));
    if (found === undefined) expect.fail(`${what}\n${JSON.stringify(loader.lines, undefined, 1)}`);
  }
  const eventuallyNames = (...expected: readonly string[]): Promise<void> =>
    eventually(
      `the Orbs are never ${expected.join(', ')}`,
      async () => (await names()).map(String).toSorted().join() === expected.join(),
    );
  const eventuallySays = (name: string, description: string): Promise<void> =>
    eventually(
      `Orb ${name} never says ${description}`,
      async () => member(await orb(name), 'spec', 'description') === description,
    );

  before(async () => {
    plane = await sharedControlPlane();
  });
  beforeEach(async () => {
    loader = await startLoader(plane);
  });
  afterEach(async () => {
    await loader.stop();
    rmSync(loader.folder, { recursive: true, force: true });
    await kubectlOk(plane, ['delete', 'orbs', '--all', '-n', NAMESPACE]);
  });

  const file = (name: string): string => join(loader.folder, name);

  it('makes, changes and deletes Orbs as plain files come, change and go', async () => {
    writeFileSync(file('a.json'), text('acme.a@1.0.0'));
    writeFileSync(file('b.yaml'), `${text('acme.b@1.0.0')}\n`);
    await eventuallyNames('acme.a-1.0.0', 'acme.b-1.0.0');
    const before = await uid('acme.a-1.0.0');
    writeFileSync(file('a.json'), text('acme.a@1.0.0', 'two'));
    await eventuallySays('acme.a-1.0.0', 'two');
    expect(await uid('acme.a-1.0.0')).to.equal(before);
    unlinkSync(file('b.yaml'));
    await eventuallyNames('acme.a-1.0.0');
  });

  it('owns what it applied as orb-manifest-loader, and takes a removed member away', async () => {
    const manifest = aManifest({}, { orb_id: 'acme.a@1.0.0', effect: 'irreversible' });
    writeFileSync(file('a.json'), JSON.stringify(manifest));
    await eventuallyNames('acme.a-1.0.0');
    expect(member(await orb('acme.a-1.0.0'), 'metadata', 'labels')).to.deep.equal({
      'orbs.dev/loaded-by': 'orb-manifest-loader',
    });
    writeFileSync(file('a.json'), text('acme.a@1.0.0', 'two'));
    await eventuallySays('acme.a-1.0.0', 'two');
    expect(member(await orb('acme.a-1.0.0'), 'spec')).to.deep.equal(JSON.parse(text('acme.a@1.0.0', 'two')));
    const managers = await kubectlOk(plane, [
      'get',
      'orb',
      'acme.a-1.0.0',
      '-n',
      NAMESPACE,
      '--show-managed-fields',
      '-o',
      'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation};{end}',
    ]);
    expect(managers).to.equal('orb-manifest-loader Apply;');
  });

  it('writes nothing while nothing changes, also after a restart', async () => {
    writeFileSync(file('a.json'), text('acme.a@1.0.0'));
    await eventuallyNames('acme.a-1.0.0');
    await delay(LONG_MS);
    expect(loader.writes).to.deep.equal(['apply success']);
    await loader.stop();
    loader = await startLoader(plane, loader.folder);
    await delay(LONG_MS);
    expect(loader.writes).to.deep.equal([]);
  });

  /** As the kubelet writes a ConfigMap: a new folder, ..data swapped to it, then the links to files that came and went. */
  function publish(version: string, files: Readonly<Record<string, string>>, gone: readonly string[] = []): void {
    mkdirSync(file(version));
    for (const [name, content] of Object.entries(files)) writeFileSync(file(join(version, name)), content);
    symlinkSync(version, file('..data_tmp'));
    renameSync(file('..data_tmp'), file('..data'));
    for (const name of gone) unlinkSync(file(name));
    for (const name of Object.keys(files)) {
      rmSync(file(name), { force: true });
      symlinkSync(join('..data', name), file(name));
    }
  }

  it('takes a swap of ..data for one change: nothing that stays is deleted, also when its file is renamed', async () => {
    publish('..v1', { 'a.json': text('acme.a@1.0.0'), 'b.json': text('acme.b@1.0.0') });
    await eventuallyNames('acme.a-1.0.0', 'acme.b-1.0.0');
    const before = [await uid('acme.a-1.0.0'), await uid('acme.b-1.0.0')];
    publish('..v2', { 'a.json': text('acme.a@1.0.0', 'two'), 'c.json': text('acme.b@1.0.0', 'two') }, ['b.json']);
    await eventuallySays('acme.a-1.0.0', 'two');
    await eventuallySays('acme.b-1.0.0', 'two');
    expect([await uid('acme.a-1.0.0'), await uid('acme.b-1.0.0')]).to.deep.equal(before);
    publish('..v3', { 'a.json': text('acme.a@1.0.0', 'two') }, ['c.json']);
    await eventuallyNames('acme.a-1.0.0');
    expect(loader.writes.filter((write) => write === 'delete success')).to.have.length(1);
  });

  it('deletes nothing while the folder does not stand still: what is away may be on its way', async () => {
    const stays = { 'z.json': text('acme.z@1.0.0') };
    publish('..v0', { 'a.json': text('acme.a@1.0.0', '0'), ...stays });
    await eventuallyNames('acme.a-1.0.0', 'acme.z-1.0.0');
    const before = await uid('acme.a-1.0.0');
    for (let version = 1; version <= 20; version += 1) {
      unlinkSync(file('a.json'));
      await delay(150);
      publish(`..v${version}`, { 'a.json': text('acme.a@1.0.0', String(version)), ...stays });
      await delay(50);
    }
    await eventuallySays('acme.a-1.0.0', '20');
    expect(await uid('acme.a-1.0.0')).to.equal(before);
    expect(loader.writes).to.not.include('delete success');
  });

  it('keeps every Orb while the folder is away, unreadable, or its data are nowhere', async () => {
    publish('..v1', { 'a.json': text('acme.a@1.0.0') });
    await eventuallyNames('acme.a-1.0.0');
    renameSync(file('..v1'), file('..elsewhere'));
    await delay(LONG_MS);
    renameSync(file('..elsewhere'), file('..v1'));
    const aside = `${loader.folder}-aside`;
    renameSync(loader.folder, aside);
    await delay(LONG_MS);
    renameSync(aside, loader.folder);
    expect(await names()).to.deep.equal(['acme.a-1.0.0']);
    writeFileSync(file('b.json'), text('acme.b@1.0.0'));
    await eventuallyNames('acme.a-1.0.0', 'acme.b-1.0.0');
    const reported = loader.lines.filter(({ fields }) => fields['code'] === 'loader-folder-unreadable');
    expect(reported.map(({ level }) => level)).to.include('error');
  });

  it('keeps the Orb of a file that breaks, and reports it by an Event on the Pod', async () => {
    writeFileSync(file('a.yaml'), `${text('acme.a@1.0.0')}\n`);
    await eventuallyNames('acme.a-1.0.0');
    writeFileSync(file('a.yaml'), 'orb_id: acme.a@1.0.0\nprovider: yes\n');
    writeFileSync(file('b.json'), text('acme.b@1.0.0'));
    await eventuallyNames('acme.a-1.0.0', 'acme.b-1.0.0');
    await eventually('there is no Event', async () => (await events()) !== '');
    expect(await events()).to.match(/^ManifestRefused a\.yaml:2 \/provider: /m);
    expect(member(await orb('acme.a-1.0.0'), 'spec', 'description')).to.equal('one');
  });

  it('keeps the running version while the next one holds a mistake, in its file or in a renamed one', async () => {
    writeFileSync(file('a.json'), text('acme.a@1.0.0'));
    writeFileSync(file('b.json'), text('acme.b@1.0.0'));
    await eventuallyNames('acme.a-1.0.0', 'acme.b-1.0.0');
    const before = [await uid('acme.a-1.0.0'), await uid('acme.b-1.0.0')];
    writeFileSync(file('a.json'), mistaken('acme.a@1.1.0'));
    renameSync(file('b.json'), file('c.json'));
    writeFileSync(file('c.json'), mistaken('acme.b@1.1.0'));
    // Longer than the slowest removal: two slow scans and the second that an Orb must be away.
    await delay(2 * LONG_MS);
    expect([await uid('acme.a-1.0.0'), await uid('acme.b-1.0.0')]).to.deep.equal(before);
    writeFileSync(file('a.json'), text('acme.a@1.1.0'));
    writeFileSync(file('c.json'), text('acme.b@1.1.0'));
    await eventuallyNames('acme.a-1.1.0', 'acme.b-1.1.0');
    expect(loader.writes.toSorted()).to.deep.equal([
      ...Array.from({ length: 4 }, () => 'apply success'),
      ...Array.from({ length: 2 }, () => 'delete success'),
    ]);
  });

  it('deletes nothing when it starts with an empty folder, or the last file goes, and reports it by an Event', async () => {
    writeFileSync(file('a.json'), text('acme.a@1.0.0'));
    await eventuallyNames('acme.a-1.0.0');
    const before = await uid('acme.a-1.0.0');
    unlinkSync(file('a.json'));
    await delay(LONG_MS);
    await loader.stop();
    loader = await startLoader(plane, loader.folder);
    await delay(LONG_MS);
    expect(await uid('acme.a-1.0.0')).to.equal(before);
    await eventually('there is no Event', async () => (await events()).includes('holds no manifest file'));
    writeFileSync(file('b.json'), text('acme.b@1.0.0'));
    await eventuallyNames('acme.b-1.0.0');
  });

  it('overwrites and deletes no Orb that somebody else applied', async () => {
    writeFileSync(file('a.json'), text('acme.a@1.0.0'));
    const conflicting = {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orb',
      metadata: { name: 'acme.b-1.0.0', namespace: NAMESPACE },
      spec: aManifest({}, { orb_id: 'acme.b@1.0.0', description: 'theirs' }),
    };
    await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], JSON.stringify(conflicting));
    writeFileSync(file('b.json'), text('acme.b@1.0.0', 'ours'));
    await eventuallyNames('acme.a-1.0.0', 'acme.b-1.0.0');
    await eventually('no conflict is told', async () =>
      loader.lines.some(({ fields }) => fields['code'] === 'loader-conflict' && fields['file'] === 'b.json'),
    );
    await delay(LONG_MS);
    expect(member(await orb('acme.b-1.0.0'), 'spec', 'description')).to.equal('theirs');
    unlinkSync(file('b.json'));
    await delay(LONG_MS);
    expect(await names()).to.deep.equal(['acme.a-1.0.0', 'acme.b-1.0.0']);
  });

  it('makes an Orb only where none is, whatever the cache says', async () => {
    const manifest = aManifest({}, { orb_id: 'acme.a@1.0.0', description: 'ours' });
    const canonical = jcs(manifest);
    const { client } = loader;
    const writer = createOrbWriter({ client, namespace: NAMESPACE, assertLeading: () => undefined });
    const step = {
      name: 'acme.a-1.0.0',
      file: 'a.json',
      manifest: {
        name: 'acme.a-1.0.0',
        orbId: 'acme.a@1.0.0',
        manifest,
        digest: digestOfText(canonical),
        jcs: canonical,
      },
      existing: undefined,
    };
    const theirs = {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orb',
      metadata: { name: step.name, namespace: NAMESPACE },
      spec: { ...manifest, description: 'theirs' },
    };
    await kubectlOk(plane, ['create', '-f', '-'], JSON.stringify(theirs));
    const { signal } = new AbortController();
    const refused: unknown = await writer.apply(step, signal).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(KubeError).with.property('status', 409);
    expect(member(await orb(step.name), 'spec', 'description')).to.equal('theirs');
    await kubectlOk(plane, ['delete', 'orb', step.name, '-n', NAMESPACE]);
    expect((await writer.apply(step, signal)).metadata.generation).to.equal(1);
    const changed = { ...step, existing: { ...theirs, metadata: { ...theirs.metadata, uid: POD.uid } } };
    const again: unknown = await writer.apply(changed, signal).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(KubeError).with.property('status', 409);
  });

  it('keeps a copy of a loaded Orb under another name, label and all', async () => {
    writeFileSync(file('a.json'), text('acme.a@1.0.0'));
    await eventuallyNames('acme.a-1.0.0');
    const { apiVersion, kind, spec } = (await orb('acme.a-1.0.0')) ?? {};
    const labels = member(await orb('acme.a-1.0.0'), 'metadata', 'labels');
    const copy = { apiVersion, kind, metadata: { name: 'copy', namespace: NAMESPACE, labels }, spec };
    await kubectlOk(plane, ['create', '-f', '-'], JSON.stringify(copy));
    await eventually('the copied label is not told of', async () =>
      loader.lines.some(({ fields }) => fields['code'] === 'loader-label-copied'),
    );
    expect(await names()).to.deep.equal(['acme.a-1.0.0', 'copy']);
  });

  it('makes an Orb anew that somebody deletes, and mends one that somebody edits', async () => {
    writeFileSync(file('a.json'), text('acme.a@1.0.0'));
    await eventuallyNames('acme.a-1.0.0');
    const before = await uid('acme.a-1.0.0');
    await kubectlOk(plane, ['delete', 'orb', 'acme.a-1.0.0', '-n', NAMESPACE]);
    await eventually('the Orb never comes back', async () => {
      const now = await uid('acme.a-1.0.0');
      return now !== undefined && now !== before;
    });
    const edit = JSON.stringify({ spec: { description: 'edited' } });
    await kubectlOk(plane, ['patch', 'orb', 'acme.a-1.0.0', '-n', NAMESPACE, '--type=merge', '-p', edit]);
    await eventuallySays('acme.a-1.0.0', 'one');
    // The server shows a write before the loader has its answer.
    await eventually('the third write is not counted', async () => loader.writes.length >= 3);
    expect(loader.writes).to.deep.equal(['apply success', 'apply success', 'apply success']);
  });
});
