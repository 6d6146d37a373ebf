import { expect } from 'chai';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA_VERSION } from '../../../adapters/ledger/sqlite-writer/schema.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { listAt } from '../../../core/json/members.ts';
import { policySet } from '../../../core/policy/decision/policy-set.ts';
import { ledgerFileOf } from '../../support/data-ledger.ts';
import { at, objectAt, payloadOf, textAt } from '../../support/members.ts';
import { anOrbProcess } from '../../support/orb-process.ts';
import { unpackData } from '../../support/packed-data.ts';
import type { TestProvider } from '../../support/provider.ts';
import { startWalkProvider, walkManifest } from '../../support/published-walk.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { jsonOf } from '../../support/suites.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const PING = 't.ping@1.0.0';
const HELD = 't.held@1.0.0';
const BUNDLE = 'application/vnd.orb.bundle+json';
const CLOSED = 3;
const OLD_RUNS = CLOSED + 1;
/** The runs of the older program, and no later one. */
const OLD_WINDOW = { from: '2026-11-28T00:00:00Z', to: '2026-11-28T08:55:00Z' };
const HOUR_MS = 3_600_000;
/** The sweeper looks for lost runs every 15 s. */
const SWEPT_MS = 60_000;

const POLICY = {
  metadata: { name: 'limits' },
  spec: { mode: 'Audit', rules: [{ name: 'low', effect: 'deny', when: 'orb.score < 50', message: 'low score' }] },
};

function versionIn(file: string): { readonly version: number; readonly policyTables: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  const version = Number(db.prepare('SELECT version FROM schema_version').get()?.['version']);
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table' AND name GLOB 'policy_*'");
  const policyTables = Number(tables.get()?.['n']);
  db.close();
  return { version, policyTables };
}

describe('a ledger of the last version without policies', function suite() {
  this.timeout(180_000);
  const { folder, run } = anOrbProcess();
  let provider: TestProvider;
  let standalone: Standalone;

  const jsonAt = async (path: string, body?: object): Promise<JsonObject> => {
    const response = await (body === undefined ? standalone.get(path) : standalone.post(path, body));
    const value = jsonOf(await response.json());
    if (!isJsonObject(value) || response.status > 202) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  const itemsAt = async (path: string): Promise<readonly JsonObject[]> =>
    listAt(await jsonAt(path), 'items').filter(isJsonObject);
  const execute = (): Promise<JsonObject> =>
    jsonAt('/orbisets/default/execute', { orb_id: PING, inputs: { text: 'hi' } });
  /** A replay of the policy over these receipts. */
  async function replay(window: object): Promise<JsonObject> {
    const id = textAt(await jsonAt('/policies/replay', { policy: POLICY, window }), 'replay_id');
    return lastAnswer(
      () => jsonAt(`/replays/${id}`),
      (found) => found['status'] !== 'running',
    );
  }

  before(async () => {
    unpackData('before-policies', folder);
    const file = ledgerFileOf(join(folder, 'data'));
    expect(versionIn(file)).to.deep.equal({ version: 4, policyTables: 0 });
    const walk = await startWalkProvider(folder);
    ({ provider } = walk);
    const resources = { 'ping.json': walkManifest(PING), 'held.json': walkManifest(HELD).replace('/ok', '/held') };
    standalone = await startStandalone({ data: folder, resources, flags: walk.flags });
    const { version, policyTables } = versionIn(file);
    expect([version, policyTables > 5]).to.deep.equal([SCHEMA_VERSION, true]);
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(folder, { recursive: true });
  });

  it('opens: the run that was cut off is closed, and all receipts verify', async () => {
    const env = { ORB_SERVER: standalone.ready.url };
    const jwk = readFileSync(join(standalone.data, 'keys', 'root.jwk'), 'utf8').trim();
    expect((await run(['trust', 'add', 'https://orbs.localhost', '--root', jwk], { env })).status).to.equal(0);
    const receipts = await lastAnswer(
      () => itemsAt('/receipts'),
      ({ length }) => length === OLD_RUNS,
      SWEPT_MS,
    );
    expect(receipts).to.have.length(OLD_RUNS);
    const closedBy: string[] = [];
    for (const receipt of receipts) {
      const path = `/receipts/${textAt(receipt, 'receipt_id')}`;
      const read = async (): Promise<string> => (await standalone.get(path, { accept: BUNDLE })).text();
      const bundle = await lastAnswer(read, (text) => text.includes('"jws"') && !text.includes('"tlog_proof":null'));
      const file = join(folder, 'bundle.json');
      writeFileSync(file, bundle);
      const verified = await run(['verify', file], { env });
      expect([verified.status, verified.out.split(':', 1).join('')], verified.err).to.deep.equal([0, 'valid']);
      const record = payloadOf(await (await standalone.get(path, { accept: 'application/jose' })).text());
      closedBy.push(textAt(record, 'execution', 'closed_by'));
      expect(at(record, 'policy', 'set_digest')).to.equal(policySet([], []).digest);
    }
    expect(closedBy.toSorted()).to.deep.equal([...Array.from({ length: CLOSED }, () => 'runtime'), 'sweeper']);
  });

  it('has no facts to replay: each of its runs is indeterminate, and says so', async () => {
    const found = await replay(OLD_WINDOW);
    expect(found['status']).to.equal('completed');
    expect(objectAt(found, 'counts')['indeterminate']).to.equal(CLOSED);
    expect(at(found, 'indeterminate')).to.deep.equal([{ reason: 'facts_not_recorded', count: CLOSED }]);
  });

  it('records facts from the first policy on, which a replay then decides by', async () => {
    await execute();
    expect(await itemsAt('/decisions')).to.deep.equal([]);
    await jsonAt('/policies', POLICY);
    const began = Date.now();
    const decisions = await lastAnswer(
      async () => {
        await execute();
        return itemsAt('/decisions');
      },
      ({ length }) => length > 0,
    );
    expect(decisions[0]?.['shadow']).to.deep.equal({ decision: 'would_deny', differs: true });
    const window = { from: new Date(began - HOUR_MS).toISOString(), to: new Date(Date.now() + 1000).toISOString() };
    const found = await replay(window);
    const counts = objectAt(found, 'counts');
    expect([found['status'], counts['allow_to_deny']]).to.deep.equal(['completed', decisions.length]);
  });
});
