import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../../../../adapters/ledger/sqlite-ledger.ts';
import { packRecord } from '../../../../../adapters/ledger/sqlite/packed-record.ts';
import type { ToWriter } from '../../../../../adapters/ledger/sqlite/protocol.ts';
import type { StartWriter } from '../../../../../adapters/ledger/sqlite/writer-handle.ts';
import { HOLE } from '../../../../../core/json/shared-text.ts';
import { aFinish, aStart, runIdOf } from '../../../../support/ledger-rows.ts';
import { aFinishPolicy, aStartPolicy, decisionIdOf, someFacts } from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import { testLedgerOptions, writerOnThisThread } from '../../../../support/sqlite-ledger.ts';

const POLICY_TABLES = ['policy_decisions', 'policy_counts', 'policy_violations', 'policy_grants'];

describe('policy part of a run', () => {
  let folder: string;
  let file: string;
  let ledger: Ledger;
  let rows: ToWriter[1][];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'orb-run-policy-'));
    file = join(folder, 'ledger.sqlite');
    rows = [];
    const startWriter: StartWriter = (handlers) => {
      const thread = writerOnThisThread(handlers);
      return {
        ...thread,
        post: (message) => {
          if (message[0] === 'group') rows.push(message[1]);
          thread.post(message);
        },
      };
    };
    ledger = await openSqliteLedger(testLedgerOptions(file, { startWriter }));
  });
  afterEach(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });

  it('is no column of a run without policies, on its way to the writer', async () => {
    await ledger.startRun(aStart(1));
    await ledger.finishRun(aFinish(1));
    await ledger.recordRun(aStart(2), aFinish(2));
    const sent = rows.flat().filter((row) => Array.isArray(row) && row[0] !== 'checkpoint');
    const { seed, owner, startedAt, deadlineAt } = aStart(1);
    const start = ['start', runIdOf(1), 'acme', startedAt, deadlineAt, owner, seed, null, '', '', 0];
    const { receipt } = aFinish(1);
    const { receiptId, orbId, outcome, issuedAt, jws, entry } = receipt;
    const finish = ['finish', runIdOf(1), 'acme', receiptId, orbId, outcome, issuedAt, jws, entry, null, null];
    expect(sent.slice(0, 2)).to.deep.equal([start, finish]);
    expect(sent[2]).to.have.nested.property('[1].length', 11);
    expect(sent[2]).to.have.nested.property('[2].length', 11);
  });

  it('writes no row of a run without policies', async () => {
    await ledger.startRun(aStart(1));
    await ledger.finishRun(aFinish(1));
    const db = new DatabaseSync(file, { readOnly: true });
    for (const table of POLICY_TABLES) {
      const row = db.prepare(`SELECT count(*) AS rows FROM ${table}`).get();
      expect(row, table).to.deep.include({ rows: 0 });
    }
    db.close();
  });

  it('reads and finishes a run that a program without shared texts began', async () => {
    await ledger.startRun(aStart(1, { policy: aStartPolicy(1, { facts: [someFacts()] }) }));
    const { phase, provider, schema, salt, facts } = someFacts();
    const columns = [phase, provider, schema, Buffer.from(salt).toString('base64'), facts] as const;
    const earlier = packRecord({ json: '{"decision":"allow"}', facts: [columns] }, 1);
    const db = new DatabaseSync(file);
    db.prepare('UPDATE policy_decisions SET packing = 1, record = ?').run(earlier);
    db.close();
    expect((await ledger.decisionOfRun('acme', runIdOf(1)))?.json).to.equal('{"decision":"allow"}');
    expect(await ledger.runFacts('acme', runIdOf(1))).to.deep.equal([someFacts()]);
    const json = { shared: `{"decision":${HOLE}}`, own: ['"deny"'] };
    const response = { decision: 'deny', shadow: 'would_deny', shadowDiffers: false, policies: [], json } as const;
    const added = someFacts({ phase: 'Response', facts: '{"response":{"status":200}}' });
    await ledger.finishRun(aFinish(1, { policy: aFinishPolicy({ response, facts: [added] }) }));
    expect((await ledger.decisionOfRun('acme', runIdOf(1)))?.json).to.equal('{"decision":"deny"}');
    expect(await ledger.runFacts('acme', runIdOf(1))).to.deep.equal([someFacts(), added]);
  });

  it('shows that facts are damaged, and no others in their place', async () => {
    await ledger.startRun(aStart(1, { policy: aStartPolicy(1, { facts: [someFacts()] }) }));
    await ledger.finishRun(aFinish(1, { policy: aFinishPolicy({ facts: [someFacts({ phase: 'Response' })] }) }));
    await ledger.startRun(aStart(2, { policy: aStartPolicy(2, { facts: [someFacts()] }) }));
    const db = new DatabaseSync(file);
    db.exec(`UPDATE policy_decisions SET record = x'ffff' WHERE decision_id = '${decisionIdOf(1)}'`);
    db.exec(`UPDATE policy_decisions SET packing = 99 WHERE decision_id = '${decisionIdOf(2)}'`);
    db.close();
    const damaged = { ...someFacts(), schema: '', salt: new Uint8Array(16), facts: '' };
    expect(await ledger.runFacts('acme', runIdOf(1))).to.deep.equal([damaged, someFacts({ phase: 'Response' })]);
    expect(await ledger.runFacts('acme', runIdOf(2))).to.deep.equal([damaged]);
    expect(await refusal(ledger.decisionOfRun('acme', runIdOf(2)))).to.match(/can not be read/);
  });
});
