import { expect } from 'chai';
import type { DialResult } from '../../../adapters/egress/port.ts';
import { publicationChanged } from '../../../api-server/feeds/kill-feeds.ts';
import { KillSwitches } from '../../../api-server/runtime/kill-switches.ts';
import { RunsInFlight } from '../../../api-server/runtime/runs-in-flight.ts';
import { parseOrbId } from '../../../core/manifest/orb-id.ts';
import { publishedDigest, withoutReports } from '../../../core/publication/stored-publication.ts';
import { planPublication } from '../../../core/publication/plan-publication.ts';
import { compiledOrb, compiledOrbiset, type Compiled } from '../../support/crds/compiled-view.ts';
import {
  KEYS,
  MANIFEST_ROWS,
  ONLY_VALUE,
  ORB,
  ORBISET,
  ORBISET_ROWS,
  PIN_ROWS,
  type MemberRow,
} from '../../support/crds/member-rows.ts';
import { specMembers, withMember, type SpecMember } from '../../support/crds/spec-members.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { answered, createTestRuntime } from '../../support/a-runtime.ts';
import { aPublication } from '../../support/kube-objects.ts';
import { recordLog } from '../../support/kube/runtime-recorders.ts';
import { openSqliteFixture } from '../../support/sqlite-ledger.ts';

type Spec = Readonly<Record<string, unknown>>;

const NO_DIALER = { halt: () => Promise.resolve(), resume: () => undefined };
const NOW = Date.parse('2026-02-01T10:00:00Z');

/** `/providers/{}/outputs/{}/from` → `providers`, `other`, `outputs`, `id`, `from`. */
const keysOf = (path: string): readonly string[] => {
  const steps = path.slice(1).split('/');
  return steps.map((step, index) => (step === '{}' || step === '[]' ? (KEYS[steps[index - 1] ?? ''] ?? step) : step));
};

const pointerOf = (path: string): string => `/spec/${keysOf(path).join('/')}`;
const leaves = (members: readonly SpecMember[]): readonly string[] =>
  members.filter(({ isLeaf }) => isLeaf).map(({ path }) => path);
const pathsOf = (rows: readonly MemberRow[]): readonly string[] => rows.map(([path]) => path);

const around = (base: Spec, also: Spec): Spec =>
  Object.entries(also).reduce((spec, [path, value]) => withMember(spec, keysOf(path), value), base);

function checkRow(base: Spec, compile: (spec: Spec) => Compiled, [path, counts, value, also = {}]: MemberRow): void {
  const start = around(base, also);
  const before = compile(start);
  const after = compile(withMember(start, keysOf(path), value));
  const reserved = after.findings.filter(({ pointer }) => pointer === pointerOf(path)).map(({ code }) => code);
  if (counts === 'read') {
    expect(after.behaviour).to.not.equal(before.behaviour);
    return;
  }
  expect(after.behaviour).to.equal(before.behaviour);
  if (counts === 'described') expect(after.digest).to.not.equal(before.digest);
  else expect(reserved).to.include(counts);
}

/** Answers after 60 ms, unless the run is over before. */
const slowly = async (_request: unknown, signal: AbortSignal): Promise<DialResult> => {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 60);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  if (!signal.aborted) return answered({ id: 'x1' });
  const failure = { kind: 'timeout', code: 'deadline' } as const;
  return { kind: 'failed', failure, sent: true, status: null, ms: 1, exception: false };
};

/** One run, and another one while the first is at the provider. */
async function runsUnder(limits: Spec): Promise<readonly number[]> {
  const fixture = await openSqliteFixture();
  try {
    const { execute, addOrbiset } = createTestRuntime({
      ledger: fixture.ledger,
      clock: createFakeClock(NOW),
      answer: slowly,
    });
    addOrbiset('limited', { limits });
    const first = execute({ orbiset: 'limited' });
    const second = execute({ orbiset: 'limited' });
    return [(await first).status, (await second).status];
  } finally {
    await fixture.dispose();
  }
}

describe('every member of a spec', () => {
  it('of an Orb is in the table, and the table has no other', async () => {
    const paths = leaves(await specMembers('orb'));
    expect(paths.length).to.be.greaterThan(90);
    expect([...pathsOf(MANIFEST_ROWS), ...pathsOf(PIN_ROWS), ...ONLY_VALUE].toSorted()).to.deep.equal(paths.toSorted());
  });

  it('of an Orbiset is in the table, and the table has no other', async () => {
    expect(pathsOf(ORBISET_ROWS).toSorted()).to.deep.equal(leaves(await specMembers('orbiset')).toSorted());
  });

  it('of an OrbPublication is one of the manifest, or named here', async () => {
    const manifest = [...pathsOf(MANIFEST_ROWS), ...ONLY_VALUE].map((path) => `/manifest${path}`);
    const named = [...manifest, '/test_results', '/test_suites', '/suspended'];
    expect(named.toSorted()).to.deep.equal(leaves(await specMembers('orbpublication')).toSorted());
  });

  it('that has no reader has one value', async () => {
    const known = await specMembers('orb');
    const only = known.filter((member) => 'only' in member).map(({ path }) => path);
    expect(only.toSorted()).to.deep.equal(ONLY_VALUE.toSorted());
  });
});

describe('a member of an Orb', () => {
  for (const row of [...MANIFEST_ROWS, ...PIN_ROWS])
    it(`${row[0]} is ${row[1]}`, () => {
      expect(row).to.have.length.greaterThan(2);
      checkRow(ORB, compiledOrb, row);
    });
});

describe('a member of an Orbiset', () => {
  for (const row of ORBISET_ROWS.filter(([, counts]) => counts === 'read'))
    it(`${row[0]} is read`, () => {
      expect(row).to.have.length.greaterThan(2);
      checkRow(ORBISET, compiledOrbiset, row);
    });

  const runs: readonly (readonly [member: string, limits: Spec, statuses: readonly number[]])[] = [
    ['no limit', {}, [200, 200]],
    ['rate_per_second', { rate_per_second: 0.5 }, [200, 429]],
    ['in_flight', { in_flight: 1 }, [200, 429]],
    ['timeout_ms', { timeout_ms: 10 }, [504, 504]],
    ['request_bytes', { request_bytes: 10 }, [413, 413]],
  ];
  for (const [member, limits, statuses] of runs)
    it(`/limits/${member} bounds runs`, async () => {
      expect(await runsUnder(limits)).to.deep.equal(statuses);
    });

  it('/limits is bounded by each of its members', async () => {
    const members = (await specMembers('orbiset'))
      .map(({ path }) => path)
      .filter((path) => path.startsWith('/limits/'));
    const shown = runs.map(([member]) => `/limits/${member}`).slice(1);
    expect(shown.toSorted()).to.deep.equal(members.toSorted());
  });
});

describe('a member of an OrbPublication', () => {
  const planned = (spec: Spec): ReturnType<typeof planPublication> =>
    planPublication({ publication: aPublication('echo', { spec }), duplicates: [], allowedOrigins: [] }, NOW);
  const { pin: _pin, ...manifest } = ORB;
  const base: Spec = { manifest, test_results: {} };

  it('/manifest/… is published: each changes the digest', () => {
    for (const [path, , value, also = {}] of MANIFEST_ROWS) {
      const start = around(manifest, also);
      const digests = [start, withMember(start, keysOf(path), value)].map(
        (some) => planned({ ...base, manifest: some }).status?.['manifestDigest'],
      );
      expect(digests[0], path).to.match(/^sha256:/);
      expect(digests[1], path)
        .to.match(/^sha256:/)
        .and.not.equal(digests[0]);
    }
  });

  it('/suspended stops the version, and its status says so', () => {
    const switches = new KillSwitches(new RunsInFlight());
    const id = parseOrbId('acme.echo@1.0.0');
    const refusals = [false, true].map((suspended) => {
      const publication = aPublication('echo', { spec: { ...base, suspended } });
      publicationChanged({ switches, dialer: NO_DIALER, logger: recordLog().logger }, 'acme/echo', publication);
      return id.ok ? switches.refusal('acme', id.value) : undefined;
    });
    expect(refusals).to.deep.equal([undefined, 'orb-suspended']);
    const [ready] = planned({ ...base, suspended: true }).status?.conditions ?? [];
    expect(ready).to.include({ reason: 'Suspended', status: 'False' });
  });

  it('/test_results and /test_suites are published: each is part of what the pipeline is asked about', () => {
    const asked = [{}, { test_results: { tests: 1 } }, { test_suites: [{}] }].map((part) =>
      publishedDigest(withoutReports(aPublication('echo', { spec: { ...base, ...part } }))),
    );
    expect(new Set(asked)).to.have.lengthOf(asked.length);
    expect(asked).to.not.include(undefined);
  });
});
