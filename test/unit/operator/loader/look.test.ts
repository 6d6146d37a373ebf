import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { LOADED_BY_LABEL, LOADED_FROM_ANNOTATION, LOADER } from '../../../../core/loader/plan.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';
import { aLook, manifestText, type ALook } from './a-look.ts';

const A = manifestText('acme.a@1.0.0');
const NAME = 'acme.a-1.0.0';
const REF = { namespace: 'team', name: NAME };

describe('ManifestLook', () => {
  const root = mkdtempSync(join(tmpdir(), 'orb-loader-'));
  after(() => rmSync(root, { recursive: true }));
  let count = 0;
  let its: ALook;
  beforeEach(() => {
    count += 1;
    its = aLook(join(root, String(count)));
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
    await its.look();
    const [orb] = its.client.objects(KINDS.orb);
    expect(orb?.metadata).to.include(REF);
    expect(orb?.metadata.labels).to.deep.equal({ [LOADED_BY_LABEL]: LOADER });
    expect(orb?.metadata.annotations).to.deep.equal({ [LOADED_FROM_ANNOTATION]: 'a.json' });
    expect(orb?.spec).to.deep.equal(JSON.parse(A));
    expect(its.counted).to.include.members(['files 1 0', 'apply success']);
  });

  it('writes nothing while nothing changes', async () => {
    its.write({ 'a.json': A });
    for (let looks = 0; looks < 5; looks += 1) await its.settle();
    expect(its.writes()).to.deep.equal([`apply ${NAME}`]);
  });

  it('changes the Orb when the file changes, and makes it anew when somebody deletes it', async () => {
    its.write({ 'a.json': A });
    await its.look();
    its.write({ 'a.json': manifestText('acme.a@1.0.0', 'two') });
    await its.look();
    expect(its.client.objects(KINDS.orb)[0]?.spec).to.include({ description: 'two' });
    its.client.remove(KINDS.orb, REF);
    await its.look();
    expect(its.names()).to.deep.equal([NAME]);
  });

  it('deletes the Orb of a file that has been gone for a second, by uid', async () => {
    its.write({ 'a.json': A });
    await its.look();
    its.write({ 'a.json': undefined });
    await its.look();
    expect(its.names()).to.deep.equal([NAME]);
    await its.clock.advance(1000);
    await its.look();
    expect(its.names()).to.deep.equal([]);
    expect(its.counted).to.include('delete success');
  });

  it('deletes nothing when a file comes back within the second', async () => {
    its.write({ 'a.json': A });
    await its.look();
    its.write({ 'a.json': undefined });
    await its.look();
    its.write({ 'a.json': A });
    await its.settle();
    expect(its.writes()).to.deep.equal([`apply ${NAME}`]);
  });

  it('keeps an Orb whose label was copied from another: it did not make it', async () => {
    put({ [LOADED_BY_LABEL]: LOADER });
    for (let looks = 0; looks < 3; looks += 1) await its.settle();
    expect(its.names()).to.deep.equal([NAME]);
    expect(its.client.requests.map(({ verb }) => verb)).to.deep.equal(['get']);
    expect(its.lines.map(({ fields }) => fields['code'])).to.deep.equal(['loader-label-copied']);
  });

  it('does not overwrite an Orb that somebody else applied, and says so once', async () => {
    put({});
    its.write({ 'a.json': A });
    await its.settle();
    await its.settle();
    expect(its.writes()).to.deep.equal([]);
    expect(its.events).to.deep.equal([
      `Pod ManifestConflict a.json /orb_id: Orb ${NAME} was applied by somebody else and stays as it is. Remove this file, or delete that Orb.`,
    ]);
    expect(its.counted.at(-1)).to.equal('files 0 1');
  });

  it('does not overwrite one that is made at the same moment', async () => {
    its.write({ 'a.json': A });
    its.client.before = ({ verb }) => {
      if (verb === 'apply' && its.names().length === 0) put({});
    };
    await its.look();
    expect(its.client.objects(KINDS.orb).map(({ spec }) => spec)).to.deep.equal([{ orb_id: 'acme.a@1.0.0' }]);
  });

  it('leaves everything as it is while the folder is gone, and says so once', async () => {
    its.write({ 'a.json': A });
    await its.look();
    rmSync(join(root, String(count)), { recursive: true });
    for (let looks = 0; looks < 3; looks += 1) await its.settle();
    expect(its.names()).to.deep.equal([NAME]);
    expect(its.counted.at(-1)).to.equal('readable false');
    expect(its.events).to.have.length(1);
    expect(its.events[0]).to.match(/can't be read \(ENOENT\); every Orb stays as it is/);
  });

  it('keeps the last valid version of a file that breaks, and tells where it is broken', async () => {
    its.write({ 'a.yaml': `${A}\n`, 'b.json': manifestText('acme.b@1.0.0') });
    await its.look();
    its.write({ 'a.yaml': 'orb_id: acme.a@1.0.0\nprovider: [\n' });
    await its.settle();
    expect(its.names()).to.deep.equal([NAME, 'acme.b-1.0.0']);
    expect(its.events.join()).to.match(/^Pod ManifestRefused a\.yaml:\d/);
    its.write({ 'a.yaml': `${manifestText('acme.a@1.0.0', 'two')}\n` });
    await its.look();
    expect(its.client.objects(KINDS.orb)[0]?.spec).to.include({ description: 'two' });
    expect(its.counted.at(-1)).to.equal('files 2 0');
  });

  it('keeps the Orb of a file that was broken before the start', async () => {
    its.write({ 'a.yaml': `${A}\n` });
    await its.look();
    its.write({ 'a.yaml': 'provider: [\n' });
    const restarted = aLook(join(root, `${count}-again`));
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
    await its.look();
    expect(its.names()).to.deep.equal(['acme.b-1.0.0']);
    for (let looks = 0; looks < 4; looks += 1) await its.look();
    expect(its.writes().filter((write) => write === `apply ${NAME}`)).to.have.length(1);
    expect(its.events).to.deep.equal([`Pod ManifestRefused a.json: The API server refused Orb ${NAME}: 422 Invalid`]);
    its.client.before = () => undefined;
    await its.clock.advance(2000);
    await its.look();
    expect(its.names()).to.include(NAME);
  });

  it('blames no file for an Orb that was made anew at the same moment', async () => {
    its.write({ 'a.json': A });
    await its.look();
    its.write({ 'a.json': manifestText('acme.a@1.0.0', 'two') });
    its.client.before = ({ verb }) => {
      if (verb !== 'apply') return;
      its.client.remove(KINDS.orb, REF);
      put({ theirs: 'yes' });
      throw kubeError(422, 'Invalid');
    };
    await its.look();
    expect(its.events).to.deep.equal([]);
    its.client.before = () => undefined;
    await its.look();
    expect(its.events.join()).to.match(/^Pod ManifestConflict/);
    expect(its.client.objects(KINDS.orb)[0]?.metadata.labels).to.deep.equal({ theirs: 'yes' });
  });

  it('takes no Event for an API server that is away, and tries again', async () => {
    its.write({ 'a.json': A });
    its.client.before = () => {
      throw kubeError(503, 'ServiceUnavailable');
    };
    await its.look();
    its.client.before = () => undefined;
    await its.clock.advance(2000);
    await its.look();
    expect([its.names(), its.events]).to.deep.equal([[NAME], []]);
  });

  it('writes nothing when it does not lead', async () => {
    its.write({ 'a.json': A });
    its.leading = false;
    const refused = await its.look().catch((error: unknown) => String(error));
    expect(refused).to.equal('Error: does not lead');
    expect(its.writes()).to.deep.equal([]);
  });
});
