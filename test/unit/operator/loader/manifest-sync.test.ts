import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { LOADED_BY_LABEL, LOADED_FROM_ANNOTATION, LOADER } from '../../../../core/loader/own-orb.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';
import { aManifestSync, manifestText, type SyncRig } from './a-manifest-sync.ts';

const A = manifestText('acme.a@1.0.0');
const NAME = 'acme.a-1.0.0';
const B = manifestText('acme.b@1.0.0');
const NAME_B = 'acme.b-1.0.0';
const REF = { namespace: 'team', name: NAME };

describe('ManifestSync', () => {
  const root = mkdtempSync(join(tmpdir(), 'orb-loader-'));
  after(() => rmSync(root, { recursive: true }));
  let count = 0;
  let its: SyncRig;
  beforeEach(() => {
    count += 1;
    its = aManifestSync(join(root, String(count)));
  });

  const put = (labels: Readonly<Record<string, string>>): void =>
    void its.client.put(KINDS.orb, {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orb',
      metadata: { ...REF, labels },
      spec: { orb_id: 'acme.a@1.0.0' },
    });

  it('makes a labelled Orb that holds the manifest and names its file', async () => {
    its.write({ 'a.json': A });
    await its.sync();
    const [orb] = its.client.objects(KINDS.orb);
    expect(orb?.metadata).to.include(REF);
    expect(orb?.metadata.labels).to.deep.equal({ [LOADED_BY_LABEL]: LOADER });
    expect(orb?.metadata.annotations).to.deep.equal({ [LOADED_FROM_ANNOTATION]: 'a.json' });
    expect(orb?.spec).to.deep.equal(JSON.parse(A));
    expect(its.counted).to.include.members(['files 1 0', 'apply success']);
  });

  it('names a folder inside that holds manifests, once, and makes no Event of it', async () => {
    mkdirSync(join(root, String(count), 'team'));
    its.write({ 'a.json': A, 'team/b.json': B });
    await its.settle();
    its.write({ 'a.json': manifestText('acme.a@1.0.0', 'two') });
    await its.settle();
    expect(its.names()).to.deep.equal([NAME]);
    expect(its.lines.filter(({ fields }) => fields['code'] === 'folder-skipped')).to.have.lengthOf(1);
    expect(its.events).to.deep.equal([]);
  });

  it('writes nothing while nothing changes', async () => {
    its.write({ 'a.json': A });
    for (let times = 0; times < 5; times += 1) await its.settle();
    expect(its.writes()).to.deep.equal([`apply ${NAME}`]);
  });

  it('changes the Orb when the file changes, and makes it anew when somebody deletes it', async () => {
    its.write({ 'a.json': A });
    await its.sync();
    its.write({ 'a.json': manifestText('acme.a@1.0.0', 'two') });
    await its.sync();
    expect(its.client.objects(KINDS.orb)[0]?.spec).to.include({ description: 'two' });
    its.client.remove(KINDS.orb, REF);
    await its.sync();
    expect(its.names()).to.deep.equal([NAME]);
  });

  it('deletes the Orb of a file that has been gone for a second, by uid', async () => {
    its.write({ 'a.json': A, 'b.json': B });
    await its.sync();
    its.write({ 'a.json': undefined });
    await its.sync();
    expect(its.names()).to.deep.equal([NAME, NAME_B]);
    await its.clock.advance(1000);
    await its.sync();
    expect(its.names()).to.deep.equal([NAME_B]);
    expect(its.counted).to.include('delete success');
  });

  it('deletes nothing when a file comes back within the second', async () => {
    its.write({ 'a.json': A, 'b.json': B });
    await its.sync();
    its.write({ 'a.json': undefined });
    await its.sync();
    its.write({ 'a.json': A });
    await its.settle();
    expect(its.writes()).to.deep.equal([`apply ${NAME}`, `apply ${NAME_B}`]);
  });

  const next = manifestText('acme.a@1.1.0');
  const bumps: readonly (readonly [string, string, string])[] = [
    ['in its file', 'a.json', next.replace('https:', 'http:')],
    ['in a file of another name', 'c.json', next.replace('https:', 'http:')],
    ['in a file of another name that can’t be parsed', 'c.json', next.slice(1)],
  ];
  for (const [where, file, text] of bumps)
    it(`keeps the running version until the next one is valid, ${where}`, async () => {
      its.write({ 'a.json': A, 'b.json': B });
      await its.sync();
      its.write({ 'a.json': undefined });
      its.write({ [file]: text });
      for (let times = 0; times < 3; times += 1) await its.settle();
      expect(its.names()).to.deep.equal([NAME, NAME_B]);
      expect(its.events.join()).to.match(new RegExp(`^Pod ManifestRefused ${file}`));
      expect(its.lines.filter(({ fields }) => fields['code'] === 'loader-removal-held')).to.have.length(1);
      its.write({ [file]: next });
      for (let times = 0; times < 3; times += 1) await its.settle();
      expect(its.names()).to.have.members(['acme.a-1.1.0', NAME_B]);
    });

  it('keeps the running version while the API server does not take the next one', async () => {
    its.write({ 'a.json': A });
    await its.sync();
    its.write({ 'a.json': manifestText('acme.a@1.1.0') });
    for (const status of [422, 503]) {
      its.client.before = ({ verb }) => {
        if (verb === 'apply') throw kubeError(status, 'No');
      };
      for (let times = 0; times < 3; times += 1) await its.settle();
      expect(its.names()).to.deep.equal([NAME]);
    }
    its.client.before = () => undefined;
    await its.clock.advance(60_000);
    for (let times = 0; times < 3; times += 1) await its.settle();
    expect(its.names()).to.deep.equal(['acme.a-1.1.0']);
  });

  it('deletes nothing when the folder has no file any more, and says so once with what to do', async () => {
    its.write({ 'a.json': A, 'b.json': B });
    await its.sync();
    its.write({ 'a.json': undefined, 'b.json': undefined });
    for (let times = 0; times < 3; times += 1) await its.settle();
    expect(its.names()).to.deep.equal([NAME, NAME_B]);
    expect(its.counted.at(-1)).to.equal('readable false');
    expect(its.events).to.have.length(1);
    expect(its.events[0]).to.match(/kubectl delete orbs -n team -l orbs\.dev\/loaded-by=orb-manifest-loader/);
    its.write({ 'b.json': B });
    await its.settle();
    expect(its.names()).to.deep.equal([NAME_B]);
    expect(its.counted).to.include('readable true');
  });

  it('deletes the Orb of the last manifest when a file of comments stays', async () => {
    its.write({ 'a.json': A, 'readme.yaml': '# Orbs of the team\n' });
    await its.sync();
    its.write({ 'a.json': undefined });
    await its.settle();
    expect(its.names()).to.deep.equal([]);
  });

  it('deletes nothing when it starts before its volume is filled', async () => {
    put({ [LOADED_BY_LABEL]: LOADER });
    for (let times = 0; times < 3; times += 1) await its.settle();
    expect(its.client.requests).to.deep.equal([]);
    expect(its.counted.at(-1)).to.equal('readable false');
    its.client.remove(KINDS.orb, REF);
    await its.sync();
    expect(its.counted.at(-1)).to.not.equal('readable false');
  });

  it('keeps an Orb whose label was copied from another: it did not make it', async () => {
    put({ [LOADED_BY_LABEL]: LOADER });
    its.write({ 'b.json': B });
    for (let times = 0; times < 3; times += 1) await its.settle();
    expect(its.names()).to.deep.equal([NAME, NAME_B]);
    expect(its.client.requests.map(({ verb }) => verb)).to.deep.equal(['apply', 'get']);
    const warned = its.lines.filter(({ level }) => level === 'warn');
    expect(warned.map(({ fields }) => fields['code'])).to.deep.equal(['loader-label-copied']);
  });

  it('does not overwrite an Orb that somebody else applied, and says so once', async () => {
    put({});
    its.write({ 'a.json': A });
    await its.settle();
    await its.settle();
    expect(its.writes()).to.deep.equal([]);
    expect(its.events).to.deep.equal([
      `Pod ManifestConflict a.json /orb_id: Orb ${NAME} was applied by another writer, so it stays unchanged. Remove this file, or delete that Orb.`,
    ]);
    expect(its.counted.at(-1)).to.equal('files 0 1');
  });

  it('does not overwrite one that is made at the same moment', async () => {
    its.write({ 'a.json': A });
    its.client.before = ({ verb }) => {
      if (verb === 'apply' && its.names().length === 0) put({});
    };
    await its.sync();
    expect(its.client.objects(KINDS.orb).map(({ spec }) => spec)).to.deep.equal([{ orb_id: 'acme.a@1.0.0' }]);
  });

  it('leaves everything as it is while the folder is gone, and says so once', async () => {
    its.write({ 'a.json': A });
    await its.sync();
    rmSync(join(root, String(count)), { recursive: true });
    for (let times = 0; times < 3; times += 1) await its.settle();
    expect(its.names()).to.deep.equal([NAME]);
    expect(its.counted.at(-1)).to.equal('readable false');
    expect(its.events).to.have.length(1);
    expect(its.events[0]).to.match(/can't be read \(ENOENT\); every Orb stays unchanged/);
  });

  it('keeps the last valid version of a file that breaks, and tells where it is broken', async () => {
    its.write({ 'a.yaml': `${A}\n`, 'b.json': manifestText('acme.b@1.0.0') });
    await its.sync();
    its.write({ 'a.yaml': 'orb_id: acme.a@1.0.0\nprovider: [\n' });
    await its.settle();
    expect(its.names()).to.deep.equal([NAME, 'acme.b-1.0.0']);
    expect(its.events.join()).to.match(/^Pod ManifestRefused a\.yaml:\d/);
    its.write({ 'a.yaml': `${manifestText('acme.a@1.0.0', 'two')}\n` });
    await its.sync();
    expect(its.client.objects(KINDS.orb)[0]?.spec).to.include({ description: 'two' });
    expect(its.counted.at(-1)).to.equal('files 2 0');
  });

  it('keeps the Orb of a file that was broken before the start', async () => {
    its.write({ 'a.yaml': `${A}\n` });
    await its.sync();
    its.write({ 'a.yaml': 'provider: [\n' });
    const restarted = aManifestSync(join(root, `${count}-again`));
    for (const orb of its.client.objects(KINDS.orb))
      restarted.client.put(KINDS.orb, { ...orb, metadata: { ...orb.metadata } });
    restarted.write({ 'a.yaml': 'provider: [\n' });
    await restarted.settle();
    expect(restarted.names()).to.deep.equal([NAME]);
  });

  it('reports what the API server refuses, tries again later, and goes on with the others', async () => {
    its.write({ 'a.json': A, 'b.json': manifestText('acme.b@1.0.0') });
    its.client.before = ({ verb, key }) => {
      if (verb === 'apply' && key === `team/${NAME}`) throw kubeError(422, 'Invalid');
    };
    await its.sync();
    expect(its.names()).to.deep.equal(['acme.b-1.0.0']);
    for (let times = 0; times < 4; times += 1) await its.sync();
    expect(its.writes().filter((write) => write === `apply ${NAME}`)).to.have.length(1);
    expect(its.events).to.deep.equal([`Pod ManifestRefused a.json: The API server refused Orb ${NAME}: 422 Invalid`]);
    its.client.before = () => undefined;
    await its.clock.advance(2000);
    await its.sync();
    expect(its.names()).to.include(NAME);
  });

  it('blames no file for an Orb that was made anew at the same moment', async () => {
    its.write({ 'a.json': A });
    await its.sync();
    its.write({ 'a.json': manifestText('acme.a@1.0.0', 'two') });
    its.client.before = ({ verb }) => {
      if (verb !== 'apply') return;
      its.client.remove(KINDS.orb, REF);
      put({ theirs: 'yes' });
      throw kubeError(422, 'Invalid');
    };
    await its.sync();
    expect(its.events).to.deep.equal([]);
    its.client.before = () => undefined;
    await its.sync();
    expect(its.events.join()).to.match(/^Pod ManifestConflict/);
    expect(its.client.objects(KINDS.orb)[0]?.metadata.labels).to.deep.equal({ theirs: 'yes' });
  });

  it('takes no Event for an API server that is away, and tries again', async () => {
    its.write({ 'a.json': A });
    its.client.before = () => {
      throw kubeError(503, 'ServiceUnavailable');
    };
    await its.sync();
    its.client.before = () => undefined;
    await its.clock.advance(2000);
    await its.sync();
    expect([its.names(), its.events]).to.deep.equal([[NAME], []]);
  });

  it('writes nothing when it does not lead', async () => {
    its.write({ 'a.json': A });
    its.leading = false;
    const refused = await its.sync().catch((error: unknown) => String(error));
    expect(refused).to.equal('Error: does not lead');
    expect(its.writes()).to.deep.equal([]);
  });
});
