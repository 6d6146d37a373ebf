import { expect } from 'chai';
import { JournalWriter, type Journal } from '../../../chaos/rig/journal.ts';
import { parseKubeRequest } from '../../../chaos/rig/kube-request.ts';
import { compareEndState, takeSnapshot, type Snapshot } from '../../../chaos/rig/oracles/end-state.ts';
import { checkExplained } from '../../../chaos/rig/oracles/explained.ts';
import { checkMonotony, checkPreconditions } from '../../../chaos/rig/oracles/monotony.ts';
import { checkProcess, type EndedProcess } from '../../../chaos/rig/oracles/process-health.ts';
import { checkIdle } from '../../../chaos/rig/oracles/steady-state.ts';
import { compareWriteCounts, countWrites } from '../../../chaos/rig/oracles/write-counts.ts';

const ORBS = '/apis/orbs.dev/v1alpha1/namespaces/n/orbs';

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly t?: number;
  readonly status?: number;
  readonly rv?: string;
  readonly upon?: string;
}

function journalOf(requests: readonly Asked[]): Journal {
  let now = 0;
  const journal = new JournalWriter(() => now);
  for (const { method = 'PATCH', path = `${ORBS}/a`, t = 0, status = 200, rv = '1', upon } of requests) {
    now = t;
    const request = parseKubeRequest(method, path);
    const sent = upon === undefined ? {} : { metadata: { resourceVersion: upon } };
    const got = { metadata: { name: request.name ?? 'made', namespace: 'n', uid: 'u', resourceVersion: rv } };
    journal.answered(request, journal.arrived(request), { status, shown: status, sent, got });
  }
  return journal;
}

const anOrb = (members: Record<string, unknown>, meta: Record<string, unknown> = {}): unknown => ({
  kind: 'Orb',
  metadata: { name: 'a', namespace: 'n', uid: 'u1', ...meta },
  ...members,
});

const by = (manager: string): string => `${ORBS}/a/status?fieldManager=${manager}`;
const receipt = (digit: string): string => `rcpt_0193a1c2-8a02-7b11-8f53-0c1d2e3f4a5${digit}`;
const withIds = (...ids: string[]): Snapshot => takeSnapshot([anOrb({ ids })]);
const status = (members: Record<string, unknown>, uid = 'u1'): unknown => anOrb({ status: members }, { uid });
const withCondition = (type: string, value: string, reason: string): unknown =>
  anOrb({ status: { conditions: [{ type, status: value, reason }] } });

describe('oracle a: end state', () => {
  const reference = takeSnapshot([anOrb({ status: { ready: true } }), anOrb({}, { name: 'b' })]);

  it('takes objects that differ in uid, version, managed fields and times for equal', () => {
    const one = anOrb({ status: { at: '2026-01-01T00:00:00Z' } }, { resourceVersion: '1', managedFields: [1] });
    const other = anOrb({ status: { at: '2027-05-05T00:00:00.123Z' } }, { uid: 'u2', resourceVersion: '9' });
    expect(compareEndState(takeSnapshot([one]), takeSnapshot([other]))).to.deep.equal([]);
  });

  it('does not take a time that is missing for one that is there', () => {
    const one = anOrb({ status: { at: '2026-01-01T00:00:00Z' } });
    expect(compareEndState(takeSnapshot([one]), takeSnapshot([anOrb({ status: {} })]))).to.have.length(1);
  });

  it('names receipts by order', () => {
    expect(compareEndState(withIds(receipt('a'), receipt('b')), withIds(receipt('c'), receipt('d')))).to.deep.equal([]);
    expect(compareEndState(withIds(receipt('a'), receipt('b')), withIds(receipt('c'), receipt('c')))).to.have.length(1);
  });

  it('does not depend on the order of objects and members', () => {
    const other = takeSnapshot([
      anOrb({}, { name: 'b' }),
      { status: { ready: true }, metadata: { uid: 'x', namespace: 'n', name: 'a' }, kind: 'Orb' },
    ]);
    expect(compareEndState(reference, other)).to.deep.equal([]);
  });

  it('finds what is missing, left over and different', () => {
    const found = takeSnapshot([anOrb({ status: { ready: false } }), anOrb({}, { name: 'c' })]);
    expect(compareEndState(reference, found)).to.deep.equal([
      'Orb n/a /status/ready: true without the fault, false with it',
      'Orb n/b is missing',
      'Orb n/c is left over',
    ]);
  });
});

/** Journal of so many deletes of one object, counted. */
const deleted = (times: number, path: string): ReturnType<typeof countWrites> =>
  countWrites([
    journalOf(Array.from({ length: times }, (_, index) => ({ method: 'DELETE', path, rv: String(index) }))),
  ]);

describe('oracle b: write counts', () => {
  const reference = countWrites([
    journalOf([
      { status: 201, rv: '1' },
      { path: `${ORBS}/a/status`, rv: '2' },
    ]),
  ]);

  it('adds up the journals of all processes of a run', () => {
    const before = journalOf([{ status: 201, rv: '1' }]);
    const after = journalOf([{ path: `${ORBS}/a/status`, rv: '2' }]);
    expect(compareWriteCounts(reference, countWrites([before, after]))).to.deep.equal([]);
  });

  it('lists conflicts and writes without effect, and takes them for no fault', () => {
    const found = countWrites([
      journalOf([
        { status: 201, rv: '1' },
        { status: 409 },
        { path: `${ORBS}/a/status`, rv: '2' },
        { path: `${ORBS}/a/status`, rv: '2' },
      ]),
    ]);
    expect(found.get('orbs n/a')).to.include({ creates: 1, conflicts: 1 });
    expect(found.get('orbs n/a/status')).to.include({ updates: 1, noops: 1 });
    expect(compareWriteCounts(reference, found)).to.deep.equal([]);
  });

  it('finds a write that was done twice', () => {
    const found = countWrites([
      journalOf([
        { status: 201, rv: '1' },
        { path: `${ORBS}/a/status`, rv: '2' },
        { path: `${ORBS}/a/status`, rv: '3' },
      ]),
    ]);
    expect(compareWriteCounts(reference, found)).to.deep.equal([
      'orbs n/a/status: 1 updates without the fault, 2 with it',
    ]);
  });

  it('lets either the operator or the garbage collector delete a RoleBinding, but nobody delete it again and again', () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/n/rolebindings/vault';
    expect(compareWriteCounts(deleted(1, path), deleted(0, path))).to.deep.equal([]);
    expect(compareWriteCounts(deleted(0, path), deleted(3, path))).to.have.length(1);
    expect(compareWriteCounts(deleted(1, `${ORBS}/a`), deleted(0, `${ORBS}/a`))).to.have.length(1);
  });

  it('allows fewer status updates where states may be seen as one, but neither more nor none', () => {
    const path = `${ORBS}/a/status`;
    const of = (...versions: readonly string[]): Journal => journalOf(versions.map((rv) => ({ path, rv })));
    const two = countWrites([of('1', '2')]);
    const allowed = { statusUpdates: 'fewer' } as const;
    expect(compareWriteCounts(two, countWrites([of('1')]), allowed)).to.deep.equal([]);
    expect(compareWriteCounts(two, countWrites([of('1')]))).to.have.length(1);
    expect(compareWriteCounts(two, countWrites([of('1', '2', '3')]), allowed)).to.have.length(1);
    expect(compareWriteCounts(two, countWrites([]), allowed)).to.have.length(1);
    expect(compareWriteCounts(two, countWrites([of('1', '2', '3')]), { statusUpdates: 'any' })).to.deep.equal([]);
    expect(compareWriteCounts(two, countWrites([]), { statusUpdates: 'any' })).to.have.length(1);
  });

  it('finds a write that was left out and a delete that nobody asked for', () => {
    const found = countWrites([
      journalOf([
        { status: 201, rv: '1' },
        { method: 'DELETE', rv: '4' },
      ]),
    ]);
    expect(compareWriteCounts(reference, found)).to.deep.equal([
      'orbs n/a: 0 deletes without the fault, 1 with it',
      'orbs n/a/status: 1 updates without the fault, 0 with it',
    ]);
  });

  it('counts a write that failed nowhere, and one whose answer was lost', () => {
    expect(countWrites([journalOf([{ status: 500 }])]).size).to.equal(0);
    const journal = new JournalWriter(() => 0);
    const request = parseKubeRequest('PATCH', `${ORBS}/a`);
    journal.answered(request, journal.arrived(request), {
      status: 200,
      shown: 0,
      sent: {},
      got: { metadata: { resourceVersion: '5' } },
    });
    expect(countWrites([journal]).get('orbs n/a')).to.include({ updates: 1 });
  });
});

describe('oracle c: steady state', () => {
  const window = { from: 1000, to: 11_000 };
  const lease = '/apis/coordination.k8s.io/v1/namespaces/n/leases/l';

  it('allows the lease and one call a second, watches of Secrets apart', () => {
    const secret = { method: 'GET', path: '/api/v1/namespaces/n/secrets?watch=true', t: 2000 };
    const journal = journalOf([
      { t: 500 },
      ...Array.from({ length: 10 }, () => ({ path: lease, t: 2000 })),
      secret,
      secret,
    ]);
    expect(checkIdle(journal, window)).to.deep.include({ writes: 0, calls: 10, secretWatches: 2, faults: [] });
  });

  it('finds a single write and names it', () => {
    expect(checkIdle(journalOf([{ t: 5000 }]), window).faults).to.deep.equal(['patch orbs n/a (200) while idle']);
  });

  it('finds a write that was refused, and an Event', () => {
    const event = { method: 'POST', path: '/apis/events.k8s.io/v1/namespaces/n/events', t: 3000, status: 201 };
    expect(checkIdle(journalOf([{ t: 5000, status: 409 }, event]), window).writes).to.equal(2);
  });

  it('finds more than one call a second, and names them', () => {
    const busy = journalOf(Array.from({ length: 11 }, () => ({ method: 'GET', t: 2000 })));
    expect(checkIdle(busy, window).faults).to.deep.equal(['1.10 calls/s, at most 1: 11 get orbs']);
  });
});

describe('oracle d: monotony', () => {
  it('finds a write upon an older version than one before, as integers', () => {
    expect(checkPreconditions(journalOf([{ upon: '9' }, { upon: '10' }, { upon: '10' }]))).to.deep.equal([]);
    expect(checkPreconditions(journalOf([{ upon: '10' }, { upon: '9' }]))).to.have.length(1);
    expect(checkPreconditions(journalOf([{ upon: '9007199254740993' }, { upon: '9007199254740992' }]))).to.have.length(
      1,
    );
  });

  it('lets two writers of one object know it at different versions, each of them going forward', () => {
    const beside = [
      { upon: '10', path: by('one') },
      { upon: '9', path: by('two') },
    ];
    expect(checkPreconditions(journalOf(beside))).to.deep.equal([]);
    expect(checkPreconditions(journalOf([...beside, { upon: '8', path: by('two') }]))).to.have.length(1);
  });

  it('compares versions of one object only', () => {
    expect(checkPreconditions(journalOf([{ upon: '10' }, { upon: '9', path: `${ORBS}/b` }]))).to.deep.equal([]);
  });

  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ['observedGeneration that goes back', status({ observedGeneration: 3 }), status({ observedGeneration: 2 })],
    ['observedGeneration that vanishes', status({ observedGeneration: 3 }), status({})],
    ['a swap count that goes back', status({ failover: { swapSeq: 2 } }), status({ failover: { swapSeq: 1 } })],
    [
      'a provider that was active before the last change',
      status({ failover: { since: '2026-01-02T00:00:00Z' } }),
      status({ failover: { since: '2026-01-01T00:00:00Z' } }),
    ],
  ];
  for (const [why, before, after] of rows)
    it(`finds ${why}`, () => {
      expect(checkMonotony([before, after])).to.have.length(1);
      expect(checkMonotony([after, before])).to.deep.equal([]);
    });

  it('starts anew with a re-created object', () => {
    expect(checkMonotony([status({ observedGeneration: 3 }), status({ observedGeneration: 1 }, 'u2')])).to.deep.equal(
      [],
    );
  });
});

describe('oracle i: process', () => {
  const good: EndedProcess = { output: '{"level":"info"}', exitCode: 0, stopMs: 900 };
  const rows: readonly (readonly [string, Partial<EndedProcess>])[] = [
    ['an unhandled rejection', { output: '[UnhandledPromiseRejection: it was rejected]' }],
    ['a listener leak', { output: '(node:1) MaxListenersExceededWarning: Possible' }],
    ['another exit code', { exitCode: 1 }],
    ['an end by a signal', { exitCode: null }],
    ['an end after 10 s', { stopMs: 10_001 }],
  ];
  it('accepts a clean end', () => expect(checkProcess(good)).to.deep.equal([]));
  for (const [why, change] of rows)
    it(`finds ${why}`, () => expect(checkProcess({ ...good, ...change })).to.have.length(1));
});

describe('oracle j: explained', () => {
  const documented = new Set(['ManifestInvalid', 'Progressing']);
  const rows: readonly (readonly [string, string, string, number])[] = [
    ['Ready', 'True', 'AnyThing', 0],
    ['Ready', 'False', 'ManifestInvalid', 0],
    ['Ready', 'False', 'Whatever', 1],
    ['Ready', 'Unknown', '', 1],
    ['Stalled', 'True', 'Whatever', 1],
    ['Stalled', 'False', 'Whatever', 0],
    ['Reconciling', 'True', 'Progressing', 0],
    ['Reconciling', 'Unknown', 'Whatever', 1],
  ];
  for (const [type, value, reason, faults] of rows)
    it(`${faults === 0 ? 'accepts' : 'refuses'} ${type}=${value} for "${reason}"`, () =>
      expect(checkExplained([withCondition(type, value, reason)], documented)).to.have.length(faults));

  it('survives objects of any shape', () => {
    const shapes = [
      null,
      1,
      'x',
      [],
      {},
      anOrb({ status: [] }),
      anOrb({ status: { conditions: {} } }),
      anOrb({ status: { conditions: [null, 1] } }),
    ];
    expect(checkExplained(shapes, documented)).to.deep.equal([]);
  });
});
