import { expect } from 'chai';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { readFailoverStatus, newStatus, writeFailoverStatus } from '../../../core/failover/status-codec.ts';
import { jcs } from '../../../core/json/jcs.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import { digestOfText } from '../../../core/manifest/digest.ts';
import { specOf, statusOf } from '../../../core/reconcile/read-object.ts';
import { openObjectStore, type ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { takeOverOlderRows } from '../../../standalone/take-over.ts';
import { FolderFeed } from '../../../standalone/files/folder-feed.ts';
import { createCompileOnce } from '../../../core/orb/compile-once.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestFile, orbFile } from '../../support/a-folder-feed.ts';
import { recordingLogger, type RecordedLine } from '../../support/kube/recorders.ts';
import { openSqliteFixture, type SqliteFixture } from '../../support/sqlite-ledger.ts';

const never = new AbortController().signal;
const NOW = Date.parse('2026-01-01T00:00:00Z');
const SINCE = Date.parse('2025-12-01T10:00:00.123Z');
const UID = '00000000-0000-4000-8000-000000000001';
const EXPIRES = '2026-06-01T00:00:00Z';
const parsed = readJson(Buffer.from(manifestFile('a')));
const manifest = parsed.ok ? parsed.value : {};
const API_PIN = {
  provider: 'main',
  mode: 'once',
  expires_at: EXPIRES,
  id: 'swp_00000000-0000-0000-0000-000000000001',
  actor: 'key:key_1',
  reason: 'a test',
};
const FILE_PIN = {
  provider: 'main',
  mode: 'hard',
  expires_at: EXPIRES,
  id: 'swp_00000000-0000-0000-0000-000000000002',
};

const pinIn = (orb: KubeObject | undefined): unknown => (orb === undefined ? 'no Orb' : specOf(orb)['pin']);

describe('takeOverOlderRows', () => {
  let fixture: SqliteFixture;
  let folder: string;
  let lines: RecordedLine[];
  let writes: string[];
  /** Number of the write that the process does not live to see. */
  let killedAt: number;

  beforeEach(async () => {
    fixture = await openSqliteFixture();
    folder = mkdtempSync(join(tmpdir(), 'orb-files-'));
    [lines, writes, killedAt] = [[], [], 0];
  });
  afterEach(async () => {
    await fixture.dispose();
    rmSync(folder, { recursive: true });
  });

  /** What the rows of an Orb `default/a` were in the file `a.json`, as standalone wrote them before. */
  async function olderOrb(rows: { readonly pin?: object; readonly swaps?: number } = {}): Promise<void> {
    const { ledger } = fixture;
    const text = jcs(manifest);
    await ledger.putManifest('default', digestOfText(text), text);
    const state = { digest: digestOfText(text), file: 'a.json', since: SINCE };
    await ledger.putState('valid-orb', 'default/a', JSON.stringify(state));
    const { pin, swaps } = rows;
    if (pin !== undefined) await ledger.putState('pin', 'default/acme.a@1.0.0', JSON.stringify(pin));
    if (swaps === undefined) return;
    const status = writeFailoverStatus({ ...newStatus('main', SINCE, 'manual'), swapSeq: swaps });
    await ledger.putState('failover', 'default/acme.a@1.0.0', JSON.stringify({ uid: UID, ...status }));
  }

  interface Process {
    readonly store: ObjectStore;
    readonly get: () => Promise<KubeObject | undefined>;
    readonly scan: () => Promise<void>;
  }

  const counted = async (write: string, act: () => Promise<void>): Promise<void> => {
    writes.push(write);
    if (killedAt > 0 && writes.length >= killedAt) throw new TypeError('killed');
    await act();
  };

  /** A start of the process, with or without a first scan at the files. */
  async function start(): Promise<Process> {
    const { ledger } = fixture;
    const rows = {
      states: ledger.states,
      manifest: ledger.manifest,
      putState: (kind: string, key: string, json: string) =>
        counted(`put ${kind} ${key}`, () => ledger.putState(kind, key, json)),
      deleteState: (kind: string, key: string) => counted(`delete ${kind} ${key}`, () => ledger.deleteState(kind, key)),
    };
    const clock = createFakeClock(NOW);
    const logger = recordingLogger(lines);
    const store = await openObjectStore({ ledger: rows, clock, logger, newUid: () => crypto.randomUUID() });
    const { client } = store;
    await takeOverOlderRows({ ledger: rows, client, clock, logger });
    const feed = new FolderFeed({
      folder,
      client,
      compiled: createCompileOnce([]),
      clock,
      logger,
      platformNamespace: 'orb-system',
      onInvalid: () => undefined,
    });
    return {
      store,
      get: () => client.get(KINDS.orb, { namespace: 'default', name: 'a' }, never),
      scan: () => feed.scan(),
    };
  }

  const result = async (): Promise<unknown> => {
    const process = await start();
    await process.scan();
    const { metadata, spec, status } = (await process.get()) ?? { metadata: { name: '' }, spec: {}, status: {} };
    const kinds = ['pin', 'failover', 'valid-orb'];
    const left = await Promise.all(kinds.map((kind) => fixture.ledger.states(kind)));
    return { uid: metadata.uid, annotations: metadata.annotations, spec, status, left };
  };

  const file = (pin?: object): void => writeFileSync(join(folder, 'a.json'), orbFile('a', pin));
  it('makes the object that the swaps of an Orb were counted under, as old as it was', async () => {
    await olderOrb({ swaps: 3 });
    const orb = await (await start()).get();
    expect(orb?.metadata).to.include({ uid: UID, creationTimestamp: '2025-12-01T10:00:00.123Z' });
    const status = orb === undefined ? {} : statusOf(orb);
    expect(readFailoverStatus(status['failover'])).to.include({ swapSeq: 3, activeProvider: 'main', reason: 'manual' });
    expect(status['validDigest']).to.equal(digestOfText(jcs(manifest)));
  });

  it('does it once: the rows of an older version are gone, those of today stay', async () => {
    await olderOrb({ swaps: 1, pin: { pin: API_PIN } });
    await fixture.ledger.putState(
      'valid-orbiset',
      'default.default',
      JSON.stringify({
        document: { kind: 'Orbiset', namespace: 'default', name: 'default', spec: { suspended: true } },
        file: 'o.json',
      }),
    );
    const before = await (await start()).get();
    for (const kind of ['pin', 'failover']) expect(await fixture.ledger.states(kind)).to.deep.equal([]);
    const first = writes.length;
    const again = await start();
    expect([writes.length, await again.get()]).to.deep.equal([first, before]);
    expect(lines.filter(({ message }) => message.startsWith('taken over'))).to.have.length(1);
    const orbiset = await again.store.client.get(KINDS.orbiset, { namespace: 'default', name: 'default' }, never);
    expect(orbiset?.spec).to.deep.equal({ suspended: true });
    expect(orbiset?.metadata.annotations).to.deep.equal({ 'orbs.dev/file': 'o.json' });
  });

  it('gives an Orb without swaps a uid that stays', async () => {
    await olderOrb();
    const uid = (await (await start()).get())?.metadata.uid;
    expect(uid).to.be.a('string').and.not.equal('');
    expect((await (await start()).get())?.metadata.uid).to.equal(uid);
  });

  it('leaves an Orb out whose manifest the ledger does not have, and says so once', async () => {
    await olderOrb();
    const digest = digestOfText('another');
    await fixture.ledger.putState('valid-orb', 'default/b', JSON.stringify({ digest, file: 'b.json', since: SINCE }));
    const { store } = await start();
    expect((await store.client.list(KINDS.orb, {}, never)).items.map(({ metadata }) => metadata.name)).to.deep.equal([
      'a',
    ]);
    await start();
    expect(lines.filter(({ message }) => message.includes('no manifest any more'))).to.have.length(1);
  });

  const rows: readonly (readonly [string, object | undefined, object | undefined, object | undefined])[] = [
    ['keeps a pin of the API', { pin: API_PIN }, undefined, API_PIN],
    ['keeps a pin of the API before that of the file', { pin: API_PIN }, FILE_PIN, API_PIN],
    ['sets the pin of the file', undefined, FILE_PIN, FILE_PIN],
    ['lets the pin of the file stay away that the API removed', { hidden: FILE_PIN.id }, FILE_PIN, undefined],
    ['sets another pin of the file than the API removed', { hidden: API_PIN.id }, FILE_PIN, FILE_PIN],
    [
      'sets the pin of the file where that of the API has ended',
      { pin: { ...API_PIN, expires_at: '2025-12-31T00:00:00Z' } },
      FILE_PIN,
      FILE_PIN,
    ],
  ];
  for (const [why, pin, inFile, wanted] of rows)
    it(`${why}, at the first scan and after a restart`, async () => {
      await olderOrb(pin === undefined ? {} : { pin });
      file(inFile);
      const first = await start();
      await first.scan();
      expect(pinIn(await first.get())).to.deep.equal(wanted);
      const second = await start();
      await second.scan();
      expect(await second.get()).to.deep.equal(await first.get());
      expect(pinIn(await second.get())).to.deep.equal(wanted);
    });

  it('knows who pinned: what the API had set is its own', async () => {
    await olderOrb({ pin: { pin: API_PIN } });
    const orb = await (await start()).get();
    const managers = (orb?.metadata.managedFields ?? []).map((entry) => JSON.stringify(entry));
    expect(managers).to.have.length(1);
    expect(managers[0]).to.include('"orb-api-pin"').and.include('f:actor');
  });

  it('keeps an Orb whose file is broken, removes one whose file is gone', async () => {
    await olderOrb({ swaps: 1 });
    writeFileSync(join(folder, 'a.json'), '{ broken');
    const broken = await start();
    await broken.scan();
    expect((await broken.get())?.metadata.uid).to.equal(UID);
    rmSync(join(folder, 'a.json'));
    const gone = await start();
    await gone.scan();
    expect(await gone.get()).to.equal(undefined);
  });

  it('comes to the same wherever it is killed, and however often', async () => {
    file(FILE_PIN);
    await olderOrb({ swaps: 2, pin: { hidden: FILE_PIN.id } });
    const wanted = await result();
    const steps = writes.length;
    expect(steps).to.be.greaterThan(5);
    for (let step = 1; step <= steps; step += 1) {
      await fixture.dispose();
      fixture = await openSqliteFixture();
      await olderOrb({ swaps: 2, pin: { hidden: FILE_PIN.id } });
      [writes, killedAt] = [[], step];
      await start()
        .then(({ scan }) => scan())
        .catch(() => undefined);
      killedAt = 0;
      expect(await result()).to.deep.equal(wanted);
    }
  }).timeout(20_000);
});
