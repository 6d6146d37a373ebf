import { expect } from 'chai';
import {
  createGroupCommit,
  type GroupCommit,
  type GroupCommitOptions,
} from '../../../../adapters/ledger/group-commit.ts';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import { seededRandom } from '../../../chaos/seeded-random.ts';
import { refusal } from '../../../support/refusal.ts';

interface Database {
  readonly queue: GroupCommit<number, string>;
  /** Groups that reached it, in order. */
  readonly groups: (readonly number[])[];
  /** Ends the oldest open commit, well or with an error; resolves when its callers were woken. */
  readonly finish: (error?: Error) => Promise<void>;
  /** Ends the oldest open commit, in this turn. */
  readonly commit: () => void;
  now: number;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A database that commits when the test says so. */
function aDatabase(change: { maxRows?: number } = {}): Database {
  const groups: (readonly number[])[] = [];
  const open: ((error?: Error) => void)[] = [];
  const flush: GroupCommitOptions<number, string>['flush'] = (rows, { committed, failed }) => {
    groups.push(rows);
    open.push((error) => (error === undefined ? committed(rows.map((row) => `row ${row}`)) : failed(error)));
  };
  const database: Database = {
    groups,
    now: 0,
    queue: createGroupCommit({
      flush,
      maxRows: change.maxRows ?? 512,
      monotonic: () => database.now,
      defer: setImmediate,
    }),
    commit: () => open.shift()?.(),
    finish: async (error) => {
      open.shift()?.(error);
      await turn();
    },
  };
  return database;
}

describe('createGroupCommit', () => {
  it('joins the rows of one turn in one group, in their order, and gives each its own result', async () => {
    const { queue, groups, finish } = aDatabase();
    const rows = Promise.all([3, 1, 2].map((row) => queue.add(row)));
    await turn();
    await finish();
    expect(groups).to.deep.equal([[3, 1, 2]]);
    expect(await rows).to.deep.equal(['row 3', 'row 1', 'row 2']);
  });

  it('makes what arrives while a commit runs the next group', async () => {
    const { queue, groups, finish } = aDatabase();
    const rows = [queue.add(1)];
    await turn();
    rows.push(queue.add(2));
    await turn();
    rows.push(queue.add(3));
    await turn();
    expect(groups).to.deep.equal([[1]]);
    await finish();
    expect(groups).to.deep.equal([[1], [2, 3]]);
    await finish();
    expect(await Promise.all(rows)).to.deep.equal(['row 1', 'row 2', 'row 3']);
  });

  it('sends the next group before it wakes the callers of the last', async () => {
    const { queue, groups, finish } = aDatabase();
    let seen = 0;
    const first = queue.add(1).then(() => void (seen = groups.length));
    await turn();
    const second = queue.add(2);
    await finish();
    await first;
    expect(seen).to.equal(2);
    await finish();
    expect(await second).to.equal('row 2');
  });

  it('splits a long queue at the largest group', async () => {
    const { queue, groups, finish } = aDatabase({ maxRows: 2 });
    const rows = [1, 2, 3, 4, 5].map((row) => queue.add(row));
    await turn();
    for (let group = 0; group < 3; group += 1) await finish();
    expect(groups).to.deep.equal([[1, 2], [3, 4], [5]]);
    expect((await Promise.all(rows)).length).to.equal(5);
  });

  it('commits a row that takes long by itself, behind rows that came later', async () => {
    const { queue, groups, finish } = aDatabase();
    const rows = [queue.addLong(9), queue.addLong(8), queue.add(1), queue.add(2)];
    await turn();
    await finish();
    rows.push(queue.add(3));
    for (let group = 0; group < 4; group += 1) await finish();
    expect(groups).to.deep.equal([[1, 2], [9], [3], [8]]);
    expect(await Promise.all(rows)).to.deep.equal([9, 8, 1, 2, 3].map((row) => `row ${row}`));
  });

  it('lets a long row go first when it has waited for 50 ms', async () => {
    const database = aDatabase();
    const { queue, groups, finish } = database;
    const rows = [queue.add(1), queue.addLong(9)];
    for (const [at, next] of [
      [0, 2],
      [49, 3],
      [50, 4],
    ] as const) {
      await turn();
      database.now = at;
      rows.push(queue.add(next));
      await finish();
    }
    await finish();
    await finish();
    await Promise.all(rows);
    expect(groups).to.deep.equal([[1], [2], [3], [9], [4]]);
  });

  it('settles long rows before a drain ends, and does not count them while they wait', async () => {
    const database = aDatabase();
    const { queue, finish } = database;
    const rows = [queue.add(1), queue.addLong(9)];
    await turn();
    database.now = 5;
    expect(queue.load()).to.deep.equal({ queuedRows: 1, oldestMs: 5 });
    const drained = queue.drain();
    await finish();
    expect(queue.load().queuedRows).to.equal(1);
    await finish();
    await drained;
    expect(await Promise.all(rows)).to.deep.equal(['row 1', 'row 9']);
  });

  it('has one group in flight, however many rows wait', async () => {
    const { queue, groups, finish } = aDatabase({ maxRows: 1 });
    const rows = [1, 2].map((row) => queue.add(row));
    await turn();
    await turn();
    rows.push(queue.add(3));
    await turn();
    expect(groups).to.deep.equal([[1]]);
    for (let group = 0; group < 3; group += 1) await finish();
    expect(await Promise.all(rows)).to.deep.equal(['row 1', 'row 2', 'row 3']);
  });

  it('wakes all callers of a group in the turn of its commit', async () => {
    const { queue, commit } = aDatabase();
    const woken: number[] = [];
    const rows = [1, 2, 3].map((row) => queue.add(row).then(() => woken.push(row)));
    await turn();
    commit();
    await Promise.resolve();
    expect(woken).to.deep.equal([1, 2, 3]);
    await Promise.all(rows);
  });

  it('gives each row one outcome, in whatever order rows and commits come', async () => {
    const random = seededRandom(7);
    const { queue, groups, finish } = aDatabase({ maxRows: 5 });
    const added: number[] = [];
    const outcomes: Promise<string>[] = [];
    for (let step = 0; step < 400; step += 1) {
      if (random() < 0.7) {
        const row = added.push(added.length);
        outcomes.push(queue.add(row).catch((error: unknown) => `${row} ${String(error)}`));
      } else if (random() < 0.5) await turn();
      else await finish(random() < 0.3 ? new Error('failed') : undefined);
    }
    const drained = queue.drain();
    while (queue.load().queuedRows > 0) {
      await turn();
      await finish();
    }
    await drained;
    const settled = await Promise.all(outcomes);
    expect(groups.flat()).to.deep.equal(added.map((row) => row + 1));
    expect(groups.every((group) => group.length >= 1 && group.length <= 5)).to.equal(true);
    expect(settled.every((text, at) => text === `row ${at + 1}` || text === `${at + 1} Error: failed`)).to.equal(true);
  });

  it('fails every row of a failed group with its reason, and commits the next', async () => {
    const { queue, finish } = aDatabase();
    const failed = [1, 2].map((row) => refusal(queue.add(row)));
    await turn();
    const next = queue.add(3);
    const reason = new Error('disk full');
    await finish(reason);
    expect(await Promise.all(failed)).to.deep.equal([reason, reason]);
    await finish();
    expect(await next).to.equal('row 3');
  });

  it('takes the first result of a group, and no second one for the next group', async () => {
    const outcomes: Parameters<GroupCommitOptions<number, string>['flush']>[1][] = [];
    const queue = createGroupCommit<number, string>({
      flush: (_rows, outcome) => void outcomes.push(outcome),
      maxRows: 1,
      monotonic: () => 0,
      defer: setImmediate,
    });
    const rows = [queue.add(1), queue.add(2)];
    await turn();
    outcomes[0]?.committed(['first']);
    outcomes[0]?.committed(['again']);
    outcomes[0]?.failed(new Error('again'));
    expect([await rows[0], queue.load().queuedRows]).to.deep.equal(['first', 1]);
    outcomes[1]?.committed(['second']);
    expect([await rows[1], queue.commits()]).to.deep.equal(['second', { groups: 2, rows: 2 }]);
  });

  it('fails the rows of a group that could not be sent, and goes on', async () => {
    let broken = true;
    const queue = createGroupCommit<number, string>({
      flush: (rows, { committed }) => {
        if (broken) throw new Error('not sent');
        committed(rows.map(String));
      },
      maxRows: 1,
      monotonic: () => 0,
      defer: setImmediate,
    });
    const told = await Promise.all([1, 2].map((row) => queue.add(row).catch(String)));
    expect([told, queue.load().queuedRows]).to.deep.equal([['Error: not sent', 'Error: not sent'], 0]);
    broken = false;
    expect(await queue.add(3)).to.equal('3');
    await queue.drain();
  });

  it('fails a row that its database gave no result', async () => {
    const queue = createGroupCommit<number, string>({
      flush: (_rows, { committed }) => committed(['only one']),
      maxRows: 9,
      monotonic: () => 0,
      defer: setImmediate,
    });
    const [first, second] = await Promise.all([queue.add(1), refusal(queue.add(2))]);
    expect(first).to.equal('only one');
    expect(second).to.be.instanceOf(LedgerError);
  });

  it('counts rows that wait and rows in flight, and the age of the oldest of all', async () => {
    const database = aDatabase();
    const rows = [database.queue.add(1), database.queue.add(2)];
    await turn();
    database.now = 5;
    rows.push(database.queue.add(3));
    database.now = 12;
    expect(database.queue.load()).to.deep.equal({ queuedRows: 3, oldestMs: 12 });
    await database.finish();
    expect(database.queue.load()).to.deep.equal({ queuedRows: 1, oldestMs: 7 });
    await database.finish();
    expect(database.queue.load()).to.deep.equal({ queuedRows: 0, oldestMs: 0 });
    await Promise.all(rows);
  });

  it('counts committed groups and their rows, not what failed or waits', async () => {
    const { queue, finish } = aDatabase({ maxRows: 2 });
    const rows = [queue.add(1), queue.add(2), refusal(queue.add(3))];
    await turn();
    expect(queue.commits()).to.deep.equal({ groups: 0, rows: 0 });
    await finish();
    expect(queue.commits()).to.deep.equal({ groups: 1, rows: 2 });
    await finish(new Error('the disk is full'));
    expect(queue.commits()).to.deep.equal({ groups: 1, rows: 2 });
    await Promise.all(rows);
  });

  it('settles what it has before a drain ends, and takes nothing more', async () => {
    const { queue, finish } = aDatabase({ maxRows: 1 });
    const rows = [1, 2].map((row) => queue.add(row));
    let drained = false;
    const drain = queue.drain().then(() => void (drained = true));
    expect(await refusal(queue.add(3)))
      .to.be.instanceOf(LedgerError)
      .with.property('code', 'ledger-closed');
    await turn();
    await finish();
    expect(drained).to.equal(false);
    await finish();
    await drain;
    expect(await Promise.all(rows)).to.deep.equal(['row 1', 'row 2']);
  });

  it('drains at once when nothing waits, however often', async () => {
    const { queue } = aDatabase();
    await Promise.all([queue.drain(), queue.drain()]);
    expect(queue.load().queuedRows).to.equal(0);
  });
});
