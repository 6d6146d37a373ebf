import { createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA_VERSION } from '../../../adapters/ledger/sqlite-writer/schema.ts';
import { checkLog } from '../../support/check-log.ts';
import { ledgerFileOf, openDataLedger } from '../../support/data-ledger.ts';
import { textAt } from '../../support/members.ts';
import { makeOlder } from '../../support/older-ledger.ts';
import { anOrbProcess, type OrbEnded } from '../../support/orb-process.ts';
import type { TestProvider } from '../../support/provider.ts';
import { startWalkProvider, walkManifest, walkSuite } from '../../support/published-walk.ts';
import { codeOf, runStandalone, startStandalone, type Standalone } from '../../support/standalone.ts';
import { jsonOf } from '../../support/suites.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ORB = 't.ping@1.0.0';
const RUNS = 3;
/** Of the release before: it knows neither publications nor reputation. */
const OLDER_VERSION = 3;
/** What its log holds. */
const OLDER_KINDS = ['key_event', 'key_event', 'key_event', ...Array.from({ length: RUNS }, () => 'receipt_private')];

/** Every statement and every row of a ledger that no process uses. */
function contentOf(file: string): readonly string[] {
  const db = new DatabaseSync(file, { readOnly: true });
  const schema = db.prepare('SELECT name, type, sql FROM sqlite_schema ORDER BY name').all();
  const rows = schema
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => db.prepare(`SELECT '${String(name)}' AS of_table, * FROM "${String(name)}"`).all());
  db.close();
  return [...schema, ...rows].map((row) => JSON.stringify(row));
}

describe('a ledger of the release before', function suite() {
  this.timeout(120_000);
  const { folder, run } = anOrbProcess();
  const backup = join(folder, 'backup.sqlite');
  let provider: TestProvider;
  let flags: readonly string[];
  let standalone: Standalone;
  /** Receipts of the older program, each with the bundle that it served. */
  const receipts = new Map<string, string>();
  let older: readonly string[];

  const start = async (): Promise<Standalone> => {
    standalone = await startStandalone({ data: folder, resources: { 'ping.json': walkManifest(ORB) }, flags });
    return standalone;
  };
  const orb = (...argv: readonly string[]): Promise<OrbEnded> =>
    run(argv, { env: { ORB_SERVER: standalone.ready.url } });
  const edit = (change: (db: DatabaseSync) => void): void => {
    const db = new DatabaseSync(ledgerFileOf(standalone.data));
    change(db);
    db.close();
  };
  const entries = (): readonly string[] => {
    const db = new DatabaseSync(ledgerFileOf(standalone.data), { readOnly: true });
    const rows = db.prepare('SELECT CAST(entry AS TEXT) AS text FROM log_entries ORDER BY idx').all();
    db.close();
    return rows.map(({ text }) => String(text));
  };
  const kinds = (): readonly string[] => entries().map((entry) => textAt(jsonOf(JSON.parse(entry)), 'kind'));
  const execute = (): Promise<Response> =>
    standalone.post('/orbisets/default/execute', { orb_id: ORB, inputs: { text: 'hi' } });
  const bundleOf = (receiptId: string): Promise<string> =>
    lastAnswer(
      async () =>
        (await standalone.get(`/receipts/${receiptId}`, { accept: 'application/vnd.orb.bundle+json' })).text(),
      (text) => !text.includes('"tlog_proof":null'),
    );
  const verdictOn = async (bundle: string): Promise<string> => {
    const file = join(folder, 'bundle.json');
    writeFileSync(file, bundle);
    return (await orb('verify', file)).out.split(':', 1).join('');
  };

  before(async () => {
    ({ provider, flags } = await startWalkProvider(folder));
    await start();
    while (receipts.size < RUNS) {
      const receiptId = textAt(jsonOf(await (await execute()).json()), 'receipt', 'receipt_id');
      receipts.set(receiptId, await bundleOf(receiptId));
    }
    expect(await standalone.stop()).to.equal(0);
    expect(kinds()).to.deep.equal(OLDER_KINDS);
    edit((db) => makeOlder(db, OLDER_VERSION));
    older = contentOf(ledgerFileOf(standalone.data));
    const made = await orb('ledger', 'backup', backup, '--data', standalone.data);
    expect(made.status, made.err).to.equal(0);
    const jwk = readFileSync(join(standalone.data, 'keys', 'root.jwk'), 'utf8').trim();
    expect((await orb('trust', 'add', 'https://orbs.localhost', '--root', jwk)).status).to.equal(0);
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(folder, { recursive: true });
  });

  it('opens in this one: its log only grows, and its receipts verify, those served now and those of before', async () => {
    const before = entries();
    await start();
    for (const [receiptId, bundle] of receipts) {
      expect(await verdictOn(bundle)).to.equal('valid');
      expect(await verdictOn(await bundleOf(receiptId))).to.equal('valid');
    }
    expect(entries().slice(0, before.length)).to.deep.equal(before);
  });

  it('publishes the version that it ran, whose earlier runs stay private', async () => {
    const files = join(folder, 'orb');
    mkdirSync(files);
    writeFileSync(join(files, 'ping.json'), walkManifest(ORB));
    writeFileSync(join(files, 'ping.orbtest.json'), JSON.stringify(walkSuite('t.ping')));
    const published = await orb('publish', join(files, 'ping.json'), '--data', standalone.data);
    expect(published.out, published.err).to.match(/bronze, score 40/);
    expect((await execute()).status).to.equal(200);
    expect(kinds().slice(0, OLDER_KINDS.length)).to.deep.equal(OLDER_KINDS);
    expect(kinds().at(-1)).to.equal('receipt');
    for (const receiptId of receipts.keys())
      expect((await fetch(`${standalone.ready.url}/receipts/${receiptId}`)).status).to.equal(401);
    expect(await standalone.stop()).to.equal(0);
    const { ledger, keys } = await openDataLedger(standalone.data);
    await checkLog(ledger, { logKey: createPublicKey(keys.log.privateKey), tenants: ['default'] });
    await ledger.close();
  });

  it('is refused by a program that does not know its schema, which says what to do and changes nothing', async () => {
    edit((db) => db.prepare('UPDATE schema_version SET version = ?').run(SCHEMA_VERSION + 1));
    const file = ledgerFileOf(standalone.data);
    const before = contentOf(file);
    const refused = await runStandalone(['--data', standalone.data, '--listen', '127.0.0.1:0']);
    expect([refused.code, contentOf(file)]).to.deep.equal([1, before]);
    expect(refused.stderr).to.match(
      new RegExp(
        String.raw`version ${SCHEMA_VERSION + 1}, this program knows versions up to ${SCHEMA_VERSION}: .*restore a backup from before the upgrade`,
      ),
    );
  });

  it('is again what the older program left when its backup is restored, and signs nothing beside what came after', async () => {
    const restored = await orb('ledger', 'restore', backup, '--data', standalone.data, '--force');
    expect(restored.status, restored.err).to.equal(0);
    expect(contentOf(ledgerFileOf(standalone.data))).to.deep.equal(older);
    await start();
    for (const receiptId of receipts.keys()) expect(await verdictOn(await bundleOf(receiptId))).to.equal('valid');
    const refused = await execute();
    expect([refused.status, codeOf(await refused.json())]).to.deep.equal([503, 'ledger-forked']);
  });
});
