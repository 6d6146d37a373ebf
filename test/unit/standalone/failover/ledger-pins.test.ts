import { expect } from 'chai';
import { MemoryCatalog } from '../../../../adapters/catalog/memory-catalog.ts';
import type { NewPin, OrbPlace, PinStore } from '../../../../api-server/providers/port.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { createLedgerPins } from '../../../../standalone/failover/ledger-pins.ts';
import type { Pin } from '../../../../crds/orb.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { orbManifest } from '../../../support/orbs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORB = 'acme.echo@1.0.0';
const HOUR_MS = 3_600_000;
const at = (ms: number): string => new Date(LEDGER_NOW + ms).toISOString();
const idOf = (last: string): string => `swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e1${last}`;
const [ID, FILE_ID, OTHER_ID] = [idOf('1'), idOf('2'), idOf('3')];
const KEY = `acme/${ORB}`;

function placeOf(orbId = ORB): OrbPlace {
  const parsed = parseOrbId(orbId);
  if (!parsed.ok) throw new TypeError(orbId);
  return { namespace: 'acme', name: 'echo', orbId: parsed.value.id };
}

const aPin = (change: Partial<NewPin> = {}): NewPin => ({
  provider: 'main',
  mode: 'soft',
  expires_at: at(HOUR_MS),
  id: ID,
  actor: 'key:a',
  ...change,
});

function aCatalog(pin?: Pin): MemoryCatalog {
  const catalog = new MemoryCatalog();
  const value: unknown = JSON.parse(orbManifest(ORB, { url: 'https://api.example.com/' }));
  if (!isJsonObject(value)) throw new TypeError('no manifest');
  const compiled = compileOrb(value, { namespace: 'acme', allowedOrigins: [], ...(pin === undefined ? {} : { pin }) });
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  catalog.setOrb({ ...placeOf(), compiled: compiled.value, createdAt: 0 });
  return catalog;
}

const shown = (catalog: MemoryCatalog): string | undefined => catalog.orb('acme', placeOf().orbId)?.compiled?.pin?.id;

describe('createLedgerPins', () => {
  let fixture: SqliteFixture;
  const open = (catalog: MemoryCatalog): Promise<PinStore> =>
    createLedgerPins({ ledger: fixture.ledger, catalog, clock: fixture.clock });
  const reopened = async (pin?: Pin): Promise<MemoryCatalog> => {
    const catalog = aCatalog(pin);
    await open(catalog);
    return catalog;
  };
  beforeEach(async () => (fixture = await openSqliteFixture()));
  afterEach(() => fixture.dispose());

  it('shows a pin at once, and to the next start', async () => {
    const catalog = aCatalog();
    const set = await (await open(catalog)).set(placeOf(), aPin());
    expect(set).to.deep.equal({ kind: 'set', replaced: undefined, owners: [] });
    expect([shown(catalog), shown(await reopened())]).to.deep.equal([ID, ID]);
  });

  it('puts its pin before that of the file, and names the one that it replaces', async () => {
    const catalog = aCatalog(aPin({ id: FILE_ID }));
    const pins = await open(catalog);
    const set = await pins.set(placeOf(), aPin());
    expect(set.kind === 'set' ? set.replaced?.id : set.kind).to.equal(FILE_ID);
    expect(shown(catalog)).to.equal(ID);
  });

  it('has a pin that is over stand before none that the file gets since', async () => {
    const catalog = aCatalog();
    await (await open(catalog)).set(placeOf(), aPin());
    await fixture.clock.advance(HOUR_MS);
    const later = aCatalog(aPin({ id: FILE_ID, expires_at: at(2 * HOUR_MS) }));
    catalog.setOrb({ ...placeOf(), createdAt: 0, compiled: later.bare('acme', placeOf().orbId) });
    expect(shown(catalog)).to.equal(FILE_ID);
  });

  it('hides the pin of a file that was removed, also after a start, until the file has another', async () => {
    const given = aPin({ id: FILE_ID });
    const catalog = aCatalog(given);
    const removed = await (await open(catalog)).remove(placeOf());
    expect(removed.kind === 'removed' ? removed.removed?.id : removed.kind).to.equal(FILE_ID);
    expect([shown(catalog), shown(await reopened(given))]).to.deep.equal([undefined, undefined]);
    expect(shown(await reopened(aPin({ id: OTHER_ID })))).to.equal(OTHER_ID);
  });

  it('keeps no row for a pin that was removed', async () => {
    const pins = await open(aCatalog());
    await pins.set(placeOf(), aPin());
    await pins.remove(placeOf());
    expect(await fixture.ledger.states('pin')).to.deep.equal([]);
  });

  const rows: readonly (readonly [why: string, key: string, json: string])[] = [
    ['a pin that has ended', KEY, JSON.stringify({ pin: aPin({ expires_at: at(0) }) })],
    ['a key of no Orb', 'acme/echo', JSON.stringify({ pin: aPin() })],
    ['no pin', KEY, '{"pin":{"provider":1}}'],
    ['no JSON', KEY, '{'],
  ];
  for (const [why, key, json] of rows)
    it(`forgets at the start a row that holds ${why}`, async () => {
      await fixture.ledger.putState('pin', key, json);
      expect(shown(await reopened())).to.equal(undefined);
      expect(await fixture.ledger.states('pin')).to.deep.equal([]);
    });

  it('tells that an Orb is gone', async () => {
    const pins = await open(aCatalog());
    const gone = placeOf('acme.none@1.0.0');
    expect([await pins.set(gone, aPin()), await pins.remove(gone)]).to.deep.equal([{ kind: 'gone' }, { kind: 'gone' }]);
  });
});
