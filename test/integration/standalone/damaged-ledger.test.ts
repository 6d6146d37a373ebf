import { DatabaseSync } from 'node:sqlite';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { blobOf } from '../../../adapters/ledger/sqlite/columns.ts';
import { codeOf, outputWith, startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

/** Status of a run, with the code of its problem. */
async function run(platform: Standalone): Promise<string> {
  const { orbiset, orb_id, inputs } = platform.ready;
  const answer = await platform.post(`/orbisets/${orbiset}/execute`, { orb_id, inputs });
  const body: unknown = await answer.json();
  return `${answer.status} ${codeOf(body)}`.trim();
}

async function metric(platform: Standalone, name: string): Promise<string | undefined> {
  const text = await (await fetch(platform.ready.metrics_url)).text();
  return text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

const statusOf = async (platform: Standalone, path: string): Promise<number> => (await platform.get(path)).status;

describe('a standalone ledger that its disk has changed', function suite() {
  this.timeout(120_000);
  let folder: string;
  let running: Standalone | undefined;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await running?.stop('SIGKILL');
    running = undefined;
    rmSync(folder, { recursive: true });
  });

  const file = (): string => join(folder, 'data', 'ledger', 'ledger.sqlite');

  async function start(): Promise<Standalone> {
    running = await startStandalone({ data: folder });
    return running;
  }

  /** Flips one bit in the middle of a blob. */
  function flip(table: string, column: string, row: string): void {
    const db = new DatabaseSync(file(), { timeout: 5000 });
    try {
      const found = db.prepare(`SELECT rowid AS id, ${column} AS bytes FROM ${table} ${row}`).get() ?? {};
      const bytes = Buffer.from(blobOf(found, 'bytes'));
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`).run(bytes, found['id'] ?? 0);
    } finally {
      db.close();
    }
  }

  /** Three runs, and an ordinary end. @returns the newest checkpoint */
  async function afterRuns(): Promise<string> {
    const first = await start();
    for (let number = 0; number < 3; number += 1) expect(await run(first)).to.equal('200');
    await lastAnswer(
      async () => (await first.get('/log/checkpoint')).text(),
      (text) => text.includes('\n'),
    );
    expect(await first.stop()).to.equal(0);
    const db = new DatabaseSync(file(), { readOnly: true });
    const { note } = db.prepare('SELECT note FROM log_checkpoints ORDER BY size DESC LIMIT 1').get() ?? {};
    db.close();
    return String(note);
  }

  const places: readonly (readonly [string, string, string, string])[] = [
    ['an entry', 'log_entries', 'entry', 'ORDER BY idx LIMIT 1 OFFSET 1'],
    ['a tile', 'log_tiles', 'hashes', 'WHERE level = 0'],
    ['the edge of the head', 'log_head', 'edge', ''],
  ];
  for (const [what, table, column, row] of places)
    it(`signs nothing over a flipped bit in ${what}, and goes on reading`, async () => {
      const kept = await afterRuns();
      flip(table, column, row);
      const platform = await start();
      expect(await outputWith(platform, 'nothing is signed')).to.include('contradicts itself');
      expect(await run(platform)).to.equal('503 ledger-forked');
      expect(await metric(platform, 'orb_log_consistent')).to.equal('0');
      expect(await (await platform.get('/log/checkpoint')).text()).to.equal(kept);
      expect([await statusOf(platform, '/readyz'), await statusOf(platform, '/receipts')]).to.deep.equal([200, 200]);
      expect(await platform.stop()).to.equal(0);
    });

  it('finds a changed receipt by itself, and tells it as a metric', async () => {
    await afterRuns();
    flip('receipts', 'payload', 'LIMIT 1');
    const platform = await start();
    expect(await run(platform)).to.equal('200');
    expect(await outputWith(platform, 'the ledger is damaged')).to.include('differs from its digest');
    expect(await metric(platform, 'orb_ledger_faults{part="receipts"}')).to.equal('1');
    expect(await run(platform)).to.equal('200');
  });

  it('stops signing when an entry changes while it runs, also after a restart', async () => {
    const platform = await start();
    expect(await run(platform)).to.equal('200');
    flip('log_entries', 'entry', 'ORDER BY idx LIMIT 1 OFFSET 1');
    await outputWith(platform, 'nothing is signed');
    expect(await run(platform)).to.equal('503 ledger-forked');
    expect(await metric(platform, 'orb_ledger_faults{part="log"}')).to.not.equal('0');
    expect(await platform.stop()).to.equal(0);
    expect(await run(await start())).to.equal('503 ledger-forked');
  });

  it('notices that its WAL was deleted after a kill', async () => {
    const first = await start();
    expect(await run(first)).to.equal('200');
    await lastAnswer(
      async () => existsSync(join(folder, 'data.log-head')),
      (isThere) => isThere,
    );
    await first.stop('SIGKILL');
    rmSync(`${file()}-wal`);
    expect(await run(await start())).to.equal('503 ledger-forked');
  });

  it('acknowledges nothing after its WAL was deleted under it, and has lost nothing after a restart', async () => {
    const first = await start();
    expect(await run(first)).to.equal('200');
    rmSync(`${file()}-wal`);
    expect(await run(first)).to.equal('503 ledger-unavailable');
    await first.stop('SIGKILL');
    const second = await start();
    expect(await run(second)).to.equal('200');
    const listed: unknown = await (await second.get('/receipts')).json();
    expect(listed).to.have.property('items').with.length(2);
  });
});
