import { expect } from 'chai';
import { RunsInFlight, type RunningOrb } from '../../../../api-server/runtime/runs-in-flight.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';

const orbId = parseOrbId('acme.echo@1.0.0');
if (!orbId.ok) throw new TypeError('no id');
const of = (orbiset: string, namespace = 'a'): readonly [string, RunningOrb] => [
  orbiset,
  { namespace, orbId: orbId.value },
];
const reasonOf = (signal: AbortSignal): string => (signal.reason instanceof DOMException ? signal.reason.name : '');

describe('RunsInFlight (security.md S30)', () => {
  it('counts the runs of each Orbiset until they end', () => {
    const runs = new RunsInFlight();
    const [one, two, elsewhere] = [
      runs.begin(...of('a.x'), 1000),
      runs.begin(...of('a.x'), 1000),
      runs.begin(...of('a.y'), 1000),
    ];
    const counts = [runs.count('a.x'), runs.count('a.y'), runs.count('a.z')];
    one.end();
    one.end();
    const after = [runs.count('a.x'), runs.count('a.y')];
    two.end();
    elsewhere.end();
    expect([counts, after, [runs.count('a.x'), runs.count('a.y')]]).to.deep.equal([
      [2, 1, 0],
      [1, 1],
      [0, 0],
    ]);
  });

  it('aborts a run at its deadline with a TimeoutError, and knows no kill', async () => {
    const run = new RunsInFlight().begin(...of('a.x'), 1);
    if (!run.signal.aborted) await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
    expect([reasonOf(run.signal), run.killed()]).to.deep.equal(['TimeoutError', undefined]);
    run.end();
  });

  it('stops every run of one Orbiset and leaves those of others', () => {
    const runs = new RunsInFlight();
    const [one, two, other] = [
      runs.begin(...of('a.x'), 1000),
      runs.begin(...of('a.x'), 1000),
      runs.begin(...of('a.y'), 1000),
    ];
    expect(runs.kill('a.x', 'orbiset-suspended')).to.equal(2);
    expect([one, two, other].map(({ signal }) => reasonOf(signal))).to.deep.equal(['AbortError', 'AbortError', '']);
    expect([one.killed(), other.killed()]).to.deep.equal(['orbiset-suspended', undefined]);
    for (const run of [one, two, other]) run.end();
  });

  it('keeps the first reason of two', () => {
    const runs = new RunsInFlight();
    const run = runs.begin(...of('a.x'), 1000);
    runs.kill('a.x', 'egress-stopped');
    runs.kill('a.x', 'orbiset-suspended');
    expect(run.killed()).to.equal('egress-stopped');
    run.end();
  });

  it('stops the runs that match, of whichever Orbiset', () => {
    const runs = new RunsInFlight();
    const [one, two, other] = [
      runs.begin(...of('a.x'), 1000),
      runs.begin(...of('b.y'), 1000),
      runs.begin(...of('b.y', 'b'), 1000),
    ];
    expect(runs.killWhere(({ namespace }) => namespace === 'a', 'orb-suspended')).to.equal(2);
    expect([one, two, other].map((run) => run.killed())).to.deep.equal(['orb-suspended', 'orb-suspended', undefined]);
    for (const run of [one, two, other]) run.end();
  });

  it('stops nobody when nobody runs', () => {
    expect(new RunsInFlight().kill('a.x', 'egress-stopped')).to.equal(0);
  });
});
