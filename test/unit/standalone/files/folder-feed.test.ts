import { expect } from 'chai';
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { specOf } from '../../../../core/reconcile/read-object.ts';
import {
  aFolderFeed,
  manifestFile,
  nameOf,
  orbFile,
  orbNames,
  type AFolderFeed,
} from '../../../support/a-folder-feed.ts';
import { ledgerAway } from '../../../support/object-rows.ts';

const BROKEN = '{"orb_id": ';
const findingsOf = ({ said }: AFolderFeed): readonly unknown[] =>
  said('error').map(({ fields: { file, line, column, code } }) => ({ file, line, column, code }));
const secretFile = (value: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { TOKEN: value } });
describe('FolderFeed', () => {
  let feed: AFolderFeed;
  beforeEach(async () => {
    feed = await aFolderFeed();
  });
  afterEach(() => feed.dispose());

  const described = async (name: string): Promise<unknown> =>
    specOf((await feed.get(KINDS.orb, nameOf(name))) ?? { apiVersion: '', kind: '', metadata: { name } })[
      'description'
    ];
  const restart = async (): Promise<void> => {
    feed = await feed.restart();
  };

  it('follows a file that comes, changes and goes', async () => {
    await feed.scan();
    feed.write('a.json', manifestFile('a'));
    await feed.scan();
    const made = await feed.get(KINDS.orb, nameOf('a'));
    feed.write('a.json', manifestFile('a', { description: 'another' }));
    await feed.scan();
    expect(await described('a')).to.equal('another');
    expect((await feed.get(KINDS.orb, nameOf('a')))?.metadata).to.include({ uid: made?.metadata.uid, generation: 2 });
    feed.remove('a.json');
    await feed.scan();
    expect(await orbNames(feed)).to.deep.equal([]);
    expect(feed.said('Orb removed').map(({ fields }) => fields)).to.deep.equal([
      { object: `default/${nameOf('a')}`, file: 'a.json' },
    ]);
  });

  it('writes nothing over files that did not change, also after a restart', async () => {
    feed.write('a.json', manifestFile('a'));
    feed.write('b.json', orbFile('b', { provider: 'main', expires_at: '2026-06-01T00:00:00Z' }));
    feed.write('c.yaml', 'apiVersion: orbs.dev/v1alpha1\nkind: Orbiset\nmetadata: { name: c }\nspec: {}\n');
    feed.write('d.json', secretFile('x'));
    await feed.scan();
    const { writes } = feed.store.rows;
    const before = writes.length;
    await feed.scan();
    await restart();
    await feed.scan();
    expect(writes.length).to.equal(before);
    expect(await feed.names(KINDS.secret)).to.deep.equal(['s']);
  });

  it('makes the objects of one scan equally old', async () => {
    feed.write('a.json', manifestFile('a'));
    feed.write('b.json', manifestFile('b'));
    await feed.scan();
    const born = await Promise.all(['a', 'b'].map(async (name) => (await feed.get(KINDS.orb, nameOf(name)))?.metadata));
    expect(born[0]?.creationTimestamp)
      .to.equal(born[1]?.creationTimestamp)
      .and.match(/\.250Z$/);
  });

  for (const isStart of [false, true])
    it(`keeps what a broken file held until it is mended${isStart ? ', also at the first scan of a start' : ''}`, async () => {
      feed.write('a.json', manifestFile('a'));
      feed.write('b.json', manifestFile('b'));
      await feed.scan();
      feed.write('a.json', BROKEN);
      feed.remove('b.json');
      if (isStart) await restart();
      await feed.scan();
      expect(await orbNames(feed)).to.deep.equal([nameOf('a')]);
      expect(feed.said('stays in use').map(({ fields }) => fields)).to.deep.equal([
        { file: 'a.json', object: `Orb default/${nameOf('a')}` },
      ]);
      feed.write('a.json', manifestFile('a', { description: 'mended' }));
      await feed.scan();
      expect(await described('a')).to.equal('mended');
      feed.write('a.json', manifestFile('c'));
      await feed.scan();
      expect(await orbNames(feed)).to.deep.equal([nameOf('c')]);
    });

  it('does not say that an Orbiset stays in use whose invalid spec was applied', async () => {
    feed.write('a.yaml', 'apiVersion: orbs.dev/v1alpha1\nkind: Orbiset\nmetadata: { name: a }\nspec: { nope: 1 }\n');
    await feed.scan();
    expect(await feed.names(KINDS.orbiset)).to.deep.equal(['a', 'default']);
    expect(feed.said('stays in use')).to.deep.equal([]);
    feed.write('a.yaml', BROKEN);
    await feed.scan();
    expect(feed.said('stays in use').map(({ fields }) => fields)).to.deep.equal([
      { file: 'a.yaml', object: 'Orbiset default/a' },
    ]);
  });

  it('applies the documents that can be read of a file that is broken, and removes none', async () => {
    feed.write('a.yaml', `${manifestFile('a')}\n---\n${manifestFile('b')}\n`);
    await feed.scan();
    feed.write('a.yaml', `${manifestFile('a', { description: 'new' })}\n---\n: : :\n---\n${manifestFile('c')}\n`);
    await feed.scan();
    expect(await orbNames(feed)).to.deep.equal([nameOf('a'), nameOf('b'), nameOf('c')]);
    expect(await described('a')).to.equal('new');
  });

  it('leaves everything as it is while the folder is away, says so once, and goes on', async () => {
    feed.write('a.json', manifestFile('a'));
    await feed.scan();
    renameSync(feed.folder, `${feed.folder}-away`);
    await feed.scan();
    await feed.scan();
    expect(await orbNames(feed)).to.deep.equal([nameOf('a')]);
    expect(feed.said('the resources could not be read')).to.have.length(1);
    renameSync(`${feed.folder}-away`, feed.folder);
    feed.write('a.json', manifestFile('b'));
    await feed.scan();
    expect(await orbNames(feed)).to.deep.equal([nameOf('b')]);
  });

  it('keeps what a file held that can not be opened any more', async () => {
    feed.write('a.json', manifestFile('a'));
    feed.write('b.json', manifestFile('b'));
    await feed.scan();
    feed.remove('a.json');
    symlinkSync('a.json', join(feed.folder, 'a.json'));
    feed.write('b.json', manifestFile('c'));
    await feed.scan();
    await feed.scan();
    expect(await orbNames(feed)).to.deep.equal([nameOf('a'), nameOf('c')]);
    expect(feed.said("The file can't be read: ELOOP.")).to.have.length(1);
  });

  it('keeps what a file held in whose place something stands that can not be read', async () => {
    feed.write('a.json', manifestFile('a'));
    await feed.scan();
    feed.write('a.json', '');
    await feed.scan();
    expect(await orbNames(feed)).to.deep.equal([nameOf('a')]);
    expect(feed.said('The file is empty')).to.have.length(1);
  });

  it('takes the swap of a volume as one change: nothing is removed that both have', async () => {
    await feed.swapVolume({ 'a.json': manifestFile('a'), 'b.json': manifestFile('b') });
    await feed.scan();
    const before = await feed.get(KINDS.orb, nameOf('a'));
    const { writes } = feed.store.rows;
    const count = writes.length;
    await feed.swapVolume({ 'a.json': manifestFile('a'), 'b.json': manifestFile('b', { description: 'new' }) });
    await feed.scan();
    expect(writes.slice(count)).to.deep.equal([`put Orb default/${nameOf('b')}`]);
    expect(await feed.get(KINDS.orb, nameOf('a'))).to.equal(before);
    expect(await described('b')).to.equal('new');
  });

  it('takes an Orb whose file gets another name along: uid, generation and pin stay', async () => {
    const text = orbFile('a', { provider: 'main', expires_at: '2026-06-01T00:00:00Z' });
    feed.write('a.json', text);
    await feed.scan();
    const before = await feed.get(KINDS.orb, 'a');
    renameSync(join(feed.folder, 'a.json'), join(feed.folder, 'z.json'));
    await feed.scan();
    const after = await feed.get(KINDS.orb, 'a');
    expect([after?.metadata.uid, after?.metadata.generation, after?.spec]).to.deep.equal([
      before?.metadata.uid,
      before?.metadata.generation,
      before?.spec,
    ]);
    expect(after?.metadata.annotations).to.include({ 'orbs.dev/file': 'z.json' });
  });

  it('uses the first of two documents of one name, reports the other, and uses it when the first goes', async () => {
    feed.write('a.json', manifestFile('a', { description: 'first' }));
    feed.write('b.json', manifestFile('a', { description: 'second' }));
    await feed.scan();
    expect(await described('a')).to.equal('first');
    const [reported, ...others] = feed.said('a.json also has');
    expect(others).to.deep.equal([]);
    expect(reported?.fields).to.deep.equal({
      file: 'b.json',
      line: 1,
      column: 11,
      pointer: '/orb_id',
      code: 'resource-duplicate',
    });
    feed.remove('a.json');
    await feed.scan();
    expect(await described('a')).to.equal('second');
  });

  it('reports a document that a file got before it, although its own file is as it was', async () => {
    feed.write('b.json', manifestFile('a'));
    await feed.scan();
    feed.write('a.json', manifestFile('a', { description: 'first' }));
    await feed.scan();
    const said = feed.said('also has acme.a@1.0.0');
    expect(said.map(({ fields }) => fields['file'])).to.deep.equal(['b.json']);
  });

  describe('reports findings', () => {
    const text = `orb_id: acme.a@1.0.0
provider: main
inputs: { text: { type: string } }
outputs: { text: { type: string } }
execution:
  type: http
  method: GET
  url: https://api.example.com/echo
  retries: 3
`;
    it('by file, line and column, once a content, and again at the next start', async () => {
      feed.write('a.yaml', text);
      await feed.scan();
      const reported = findingsOf(feed);
      expect(reported).to.have.length.greaterThan(0);
      expect(reported[0]).to.include({ file: 'a.yaml', line: 9 });
      expect(reported[0]).to.have.property('column').that.is.a('number');
      feed.write('b.json', manifestFile('b'));
      feed.write('a.yaml', text);
      await feed.scan();
      expect(findingsOf(feed)).to.deep.equal(reported);
      await restart();
      await feed.scan();
      expect(findingsOf(feed)).to.deep.equal(reported);
    });

    it('once, also while the ledger is away', async () => {
      feed.write('a.yaml', text);
      feed.write('b.yaml', ': : :');
      let isAway = true;
      feed.store.rows.before = () => {
        if (isAway) throw ledgerAway();
      };
      await feed.scan();
      await feed.scan();
      isAway = false;
      await feed.scan();
      await feed.scan();
      const reported = feed.said('error').map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
      expect(reported).to.have.length.greaterThan(2);
      expect(new Set(reported).size).to.equal(reported.length);
      expect(feed.said('the resources could not be read')).to.have.length(1);
    });
  });

  it('applies a manifest that does not compile as well', async () => {
    feed.write('a.json', manifestFile('a', { execution: { type: 'ftp' } }));
    await feed.scan();
    expect(await orbNames(feed)).to.deep.equal([nameOf('a')]);
  });

  it('says nothing of a Secret that did not change, and never its value', async () => {
    feed.write('a.json', secretFile('top-secret'));
    await feed.scan();
    feed.write('b.json', manifestFile('b'));
    await feed.scan();
    expect(feed.said('Secret applied')).to.have.length(1);
    feed.write('a.json', secretFile('another-secret'));
    await feed.scan();
    expect(feed.said('Secret applied')).to.have.length(2);
    expect(JSON.stringify([feed.lines, [...feed.store.rows.rows]])).not.to.match(/top-secret|dG9wLXNlY3JldA|another/);
  });

  it('makes, changes and removes a thousand Orbs, each with as few rows as it needs', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `orb-${index}`);
    for (const name of names) feed.write(`${name}.json`, manifestFile(name));
    await feed.scan();
    expect(await orbNames(feed)).to.have.length(1000);
    const { writes } = feed.store.rows;
    expect(writes.length).to.equal(1001);
    await restart();
    await feed.scan();
    expect(writes.length).to.equal(1001);
    feed.remove('orb-7.json');
    await feed.scan();
    expect(writes.slice(1001)).to.deep.equal([`delete Orb default/${nameOf('orb-7')}`]);
  }).timeout(20_000);
});
