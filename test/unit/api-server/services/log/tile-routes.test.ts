import { expect } from 'chai';
import { tileRoutes } from '../../../../../api-server/services/log/tile-routes.ts';
import { openEntryBundle, tileLayout, tilePath, type TilePlace } from '../../../../../core/merkle/tiles.ts';
import { startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const entry = (number: number): string =>
  `{"at":"2026-11-20T10:00:00.000Z","id":"n${number}","kind":"algorithm","v":1}`;
const ENTRIES = Array.from({ length: 1200 }, (_, number) => entry(number));

/** Sizes at which a checkpoint is signed; the last entries of the log are not covered. */
const SIGNED = [300, 700, 1100];

/** Tiles of hashes of a tree of this size. */
const tilesOf = (size: number): readonly TilePlace[] =>
  tileLayout(size).flatMap(({ level, full, partialWidth }) => [
    ...Array.from({ length: full }, (_, index) => ({ level, index, width: 256 })),
    ...(partialWidth === 0 ? [] : [{ level, index: full, width: partialWidth }]),
  ]);

describe('tileRoutes', () => {
  let fixture: SqliteFixture;
  let app: TestApp;
  before(async () => {
    fixture = await openSqliteFixture();
    const { ledger, clock } = fixture;
    let from = 0;
    for (const size of SIGNED) {
      await ledger.appendEntries(ENTRIES.slice(from, size));
      await clock.advance(1000);
      await ledger.putState('test', 'signed', '1');
      from = size;
    }
    await ledger.appendEntries(ENTRIES.slice(from));
    app = await startApp(tileRoutes(ledger));
  });
  after(async () => {
    await app.close();
    await fixture.dispose();
  });

  const get = (path: string, encoding = 'identity'): Promise<Called> =>
    app.call('GET', `/log/${path}`, { key: null, headers: { 'accept-encoding': encoding } });

  it('serves every tile of every signed checkpoint, without a key and for ever', async () => {
    for (const place of SIGNED.flatMap(tilesOf)) {
      const answer = await get(tilePath(place));
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal(Uint8Array.from(await fixture.ledger.tile(place)));
      expect(answer.headers.get('content-type')).to.equal('application/octet-stream');
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    }
  });

  it('serves the entries of every signed checkpoint in bundles', async () => {
    for (const size of SIGNED) {
      const read: string[] = [];
      for (let index = 0; index * 256 < size; index += 1) {
        const width = Math.min(256, size - index * 256);
        const { body } = await get(tilePath({ level: 'entries', index, width }));
        for (const bytes of openEntryBundle(body) ?? []) read.push(Buffer.from(bytes).toString());
      }
      expect(read).to.deep.equal(ENTRIES.slice(0, size));
    }
  });

  const missing: readonly (readonly [why: string, path: string])[] = [
    ['a partial tile of a size that was never signed', 'tile/0/001.p/45'],
    ['a partial bundle of such a size', 'tile/entries/000.p/255'],
    ['a partial tile beyond the signed size', 'tile/0/004.p/100'],
    ['a full tile beyond the signed size', 'tile/0/004'],
    ['a level that is not reached', 'tile/2/000'],
    ['an empty partial tile', 'tile/0/000.p/0'],
    ['a path that is not in its shortest form', 'tile/0/x000/001'],
    ['digits that are not in groups', 'tile/0/1'],
    ['an encoded slash', 'tile/0/x000%2F001'],
    ['a word in the place of the level', 'tile/data/000'],
    ['an index that no log has', 'tile/0/x999/x999/x999/999'],
    ['a level that no log has', 'tile/63/000.p/1'],
  ];
  for (const [why, path] of missing) {
    it(`does not serve ${why}`, async () => {
      const { status, code, headers } = await get(path);
      expect([status, code]).to.deep.equal([404, 'entry-not-found']);
      expect(headers.get('cache-control')).to.equal('private, no-store');
    });
  }

  it('compresses bundles for a client that wants it, and never tiles of hashes', async () => {
    const raw = await app.raw(
      'GET /log/tile/entries/000 HTTP/1.1\r\nHost: orbs.example\r\nAccept-Encoding: br, gzip;q=0.5\r\nConnection: close\r\n\r\n',
    );
    const head = raw.slice(0, raw.indexOf('\r\n\r\n')).toLowerCase();
    expect(head).to.include('content-encoding: gzip').and.to.include('vary: accept-encoding');
    const { body, headers } = await get('tile/entries/000', 'gzip');
    expect(headers.get('content-encoding')).to.equal('gzip');
    expect(openEntryBundle(body)).to.have.lengthOf(256); // fetch decompresses
    expect((await get('tile/entries/000')).headers.get('content-encoding')).to.equal(null);
    expect((await get('tile/entries/000', 'gzip;q=0')).headers.get('content-encoding')).to.equal(null);
    expect((await get('tile/0/000', 'gzip')).headers.get('content-encoding')).to.equal(null);
  });

  it('serves nothing before the first checkpoint', async () => {
    const empty = await openSqliteFixture();
    await empty.ledger.appendEntries(ENTRIES.slice(0, 300));
    const other = await startApp(tileRoutes(empty.ledger));
    const { status, code } = await other.call('GET', '/log/tile/0/000', { key: null });
    expect([status, code]).to.deep.equal([404, 'checkpoint-pending']);
    await other.close();
    await empty.dispose();
  });
});
