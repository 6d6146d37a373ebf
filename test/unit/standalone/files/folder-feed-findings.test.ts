import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { aFolderFeed, manifestFile, type AFolderFeed } from '../../../support/a-folder-feed.ts';

const findingsOf = ({ said }: AFolderFeed): readonly unknown[] =>
  said('error').map(({ fields: { file, line, column, code } }) => ({ file, line, column, code }));
const sourceFile = (title: string): string =>
  `apiVersion: orbs.dev/v1alpha1\nkind: OrbSignalSource\nmetadata: { name: grafana }\nspec:\n  type: grafana\n  auth: { secretRefs: [{ name: hook, key: current }] }\n  mapping:\n    fields: { title: '${title}' }\n`;

describe('FolderFeed, files that are not as they should be', () => {
  let feed: AFolderFeed;
  beforeEach(async () => {
    feed = await aFolderFeed();
  });
  afterEach(() => feed.dispose());

  it('tells which files can not be read, with place, fault and what they seem to define', async () => {
    feed.write('a.json', manifestFile('a'));
    feed.write('mail.yaml', 'orb_id: acme.mail@1.0.0\nurl: {{input.x}}\n');
    await feed.scan();
    expect(feed.invalid()).to.have.lengthOf(1);
    expect(feed.invalid()[0]).to.deep.include({
      namespace: 'default',
      place: 'mail.yaml:2',
      ids: ['acme.mail@1.0.0'],
    });
    expect(feed.invalid()[0]?.fault).to.not.equal('');
    feed.remove('mail.yaml');
    await feed.scan();
    expect(feed.invalid()).to.deep.equal([]);
  });

  it('makes a signal source of its document, and shows where one does not compile', async () => {
    feed.write('grafana.yaml', sourceFile('item.name'));
    await feed.scan();
    expect(findingsOf(feed)).to.deep.equal([]);
    feed.write('grafana.yaml', sourceFile('item.'));
    await feed.scan();
    expect(findingsOf(feed)).to.deep.equal([{ file: 'grafana.yaml', line: 8, column: 23, code: 'parse-error' }]);
    // The broken edit is stored, as on a cluster; what receives is decided by the feed of sources.
    expect((await feed.get(KINDS.orbsignalsource, 'grafana'))?.metadata.generation).to.equal(2);
    feed.remove('grafana.yaml');
    await feed.scan();
    expect(await feed.get(KINDS.orbsignalsource, 'grafana')).to.equal(undefined);
  });

  it('names a folder inside that holds manifests, once', async () => {
    mkdirSync(join(feed.folder, 'team'));
    mkdirSync(join(feed.folder, 'notes'));
    writeFileSync(join(feed.folder, 'team', 'a.json'), manifestFile('a'));
    await feed.scan();
    feed.write('b.json', manifestFile('b'));
    await feed.scan();
    expect(feed.said('info Folders inside').map(({ fields }) => fields)).to.deep.equal([
      { file: 'team', pointer: '', code: 'folder-skipped' },
    ]);
  });
});
