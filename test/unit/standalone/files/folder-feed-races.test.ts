import { expect } from 'chai';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createCompileOnce } from '../../../../core/orb/compile-once.ts';
import { API_MANAGER, pinOf } from '../../../../core/orb/plan-pin.ts';
import { FolderFeed } from '../../../../standalone/files/folder-feed.ts';
import { anObjectStore, type AnObjectStore } from '../../../support/an-object-store.ts';
import { manifestOf } from '../../../support/kube-objects.ts';
import { recordingLogger, type RecordedLine } from '../../../support/kube/recorders.ts';
import { ledgerAway } from '../../../support/object-rows.ts';

const never = new AbortController().signal;
const END = '2030-01-01T00:00:00Z';

const pinTo = (provider: string): object => ({ provider, expires_at: END });

const orbDocument = (members: object = {}): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name: 'echo', namespace: 'acme' },
  spec: { ...manifestOf(), ...members },
});

describe('a folder feed', () => {
  let folder: string;
  let store: AnObjectStore;
  let lines: RecordedLine[];
  let feed: FolderFeed;

  const open = (): FolderFeed => {
    const { client, clock } = store;
    return new FolderFeed({
      folder,
      client,
      clock,
      compiled: createCompileOnce([]),
      logger: recordingLogger(lines),
      platformNamespace: 'orb-system',
      onInvalid: () => undefined,
    });
  };
  const write = (file: string, ...documents: readonly object[]): void =>
    writeFileSync(join(folder, file), documents.map((each) => JSON.stringify(each)).join('\n---\n'));
  const pinned = async (): Promise<string | undefined> => {
    const orb = await store.orb('echo');
    return orb === undefined ? undefined : pinOf(orb)?.provider;
  };
  const errors = (): readonly string[] => lines.filter(({ level }) => level === 'error').map(({ message }) => message);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-feed-'));
    store = await anObjectStore();
    lines = [];
    feed = open();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('sets the pin of a new Orb at the next scan when its write failed', async () => {
    write('a.yaml', orbDocument({ pin: pinTo('main') }));
    let writes = 0;
    store.rows.before = () => {
      writes += 1;
      if (store.rows.writes.filter((each) => each.endsWith('acme/echo')).length === 1 && writes < 10)
        throw ledgerAway();
    };
    await feed.scan();
    store.rows.before = () => undefined;
    await feed.scan();
    expect(await pinned()).to.equal('main');
  });

  it('sets the pin after a start when the process before was killed between the two writes', async () => {
    write('a.yaml', orbDocument());
    await feed.scan();
    write('a.yaml', orbDocument({ pin: pinTo('main') }));
    let left = 1;
    store.rows.before = () => {
      left -= 1;
      if (left < 0) throw ledgerAway();
    };
    await feed.scan();
    store.rows.before = () => undefined;
    store = await store.reopen();
    await open().scan();
    expect(await pinned()).to.equal('main');
  });

  it('keeps a pin that the API removed away when the file is applied again', async () => {
    write('a.yaml', orbDocument({ pin: pinTo('main') }));
    await feed.scan();
    const body = [{ op: 'remove', path: '/spec/pin' }];
    const ref = { namespace: 'acme', name: 'echo' };
    await store.client.patch(KINDS.orb, ref, { type: 'json', body, fieldManager: API_MANAGER }, never);
    write('b.yaml', orbDocument({ pin: pinTo('main') }));
    rmSync(join(folder, 'a.yaml'));
    await feed.scan();
    expect(await pinned()).to.equal(undefined);
    write('b.yaml', orbDocument());
    await feed.scan();
    write('b.yaml', orbDocument({ pin: pinTo('main') }));
    await feed.scan();
    expect(await pinned()).to.equal('main');
  });

  it('reports findings once while the ledger takes no writes', async () => {
    write('a.yaml', orbDocument());
    writeFileSync(join(folder, 'bad.yaml'), 'kind: [');
    store.rows.before = () => {
      throw ledgerAway();
    };
    await feed.scan();
    const first = errors();
    await feed.scan();
    expect(first).not.to.deep.equal([]);
    expect(errors()).to.deep.equal(first);
  });

  it('reports each time that the folder goes', async () => {
    write('a.yaml', orbDocument());
    await feed.scan();
    for (let times = 0; times < 2; times += 1) {
      renameSync(folder, `${folder}-away`);
      await feed.scan();
      await feed.scan();
      renameSync(`${folder}-away`, folder);
      await feed.scan();
    }
    expect(errors()).to.have.length(2);
    expect(await store.orb('echo')).not.to.equal(undefined);
  });
});
