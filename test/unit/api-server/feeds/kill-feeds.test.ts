import { expect } from 'chai';
import { egressSwitchChanged, publicationChanged, type KillFeedDeps } from '../../../../api-server/feeds/kill-feeds.ts';
import { KillSwitches } from '../../../../api-server/runtime/kill-switches.ts';
import { RunsInFlight, type LiveRun } from '../../../../api-server/runtime/runs-in-flight.ts';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { aPublication, manifestOf } from '../../../support/kube-objects.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';

const idOf = (text: string): OrbId => {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
};
const ECHO = idOf('acme.echo@1.0.0');
const NEXT = idOf('acme.echo@1.0.1');

interface Started extends KillFeedDeps {
  readonly inFlight: RunsInFlight;
  readonly dialer: KillFeedDeps['dialer'] & { readonly calls: string[] };
}

function start(): Started {
  const inFlight = new RunsInFlight();
  const calls: string[] = [];
  const dialer = { calls, halt: async () => void calls.push('halt'), resume: () => void calls.push('resume') };
  return { switches: new KillSwitches(inFlight), dialer, logger: recordLog().logger, inFlight };
}

const begin = ({ inFlight }: Started, orbId: OrbId, namespace = 'acme'): LiveRun =>
  inFlight.begin('team.support', { namespace, orbId }, 60_000);

const configMap = (members: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'orb-egress', namespace: 'orb-system' },
  ...members,
});

const suspended = (spec: object = {}): KubeObject =>
  aPublication('echo', { spec: { manifest: manifestOf(), suspended: true, ...spec } });

describe('a suspended publication (security.md S30)', () => {
  it('refuses new runs of that Orb of that namespace and ends those in flight, in whatever Orbiset', () => {
    const started = start();
    const runs = [begin(started, ECHO), begin(started, NEXT), begin(started, ECHO, 'other')];
    publicationChanged(started, 'acme/echo', suspended());
    expect(runs.map((run) => run.killed())).to.deep.equal(['orb-suspended', undefined, undefined]);
    const { switches } = started;
    expect([
      switches.refusal('acme', ECHO),
      switches.refusal('acme', NEXT),
      switches.refusal('other', ECHO),
    ]).to.deep.equal(['orb-suspended', undefined, undefined]);
    for (const run of runs) run.end();
  });

  it('lets go when it says so, when it is deleted, and not while another one suspends the same Orb', () => {
    const started = start();
    const { switches } = started;
    publicationChanged(started, 'acme/echo', suspended());
    publicationChanged(started, 'acme/twin', suspended());
    publicationChanged(started, 'acme/echo', undefined);
    expect(switches.refusal('acme', ECHO)).to.equal('orb-suspended');
    publicationChanged(started, 'acme/twin', suspended({ suspended: false }));
    expect(switches.refusal('acme', ECHO)).to.equal(undefined);
  });

  it('follows its manifest to another Orb', () => {
    const started = start();
    publicationChanged(started, 'acme/echo', suspended());
    publicationChanged(started, 'acme/echo', suspended({ manifest: manifestOf({ orb_id: NEXT }) }));
    expect([started.switches.refusal('acme', ECHO), started.switches.refusal('acme', NEXT)]).to.deep.equal([
      undefined,
      'orb-suspended',
    ]);
  });

  it('suspends when it is not clear, and by its name when its Orb can not be read', () => {
    for (const value of ['false', 0, null, 'true', {}]) {
      const started = start();
      publicationChanged(started, 'acme/echo', suspended({ suspended: value }));
      expect([value, started.switches.refusal('acme', ECHO)]).to.deep.equal([value, 'orb-suspended']);
    }
    const started = start();
    const nameless = aPublication('acme.echo-1.0.0', { spec: { manifest: 7, suspended: true } });
    publicationChanged(started, 'acme/acme.echo-1.0.0', nameless);
    expect([started.switches.refusal('acme', ECHO), started.switches.refusal('acme', NEXT)]).to.deep.equal([
      'orb-suspended',
      undefined,
    ]);
  });
});

describe('the ConfigMap orb-egress (security.md S30)', () => {
  it('ends every run, breaks the connections and refuses all, until it is deleted', () => {
    const started = start();
    const runs = [begin(started, ECHO), begin(started, NEXT, 'other')];
    egressSwitchChanged(started, configMap({ data: { stop: 'true' } }));
    expect(runs.map((run) => run.killed())).to.deep.equal(['egress-stopped', 'egress-stopped']);
    expect(started.switches.refusal('acme', ECHO)).to.equal('egress-stopped');
    egressSwitchChanged(started, configMap({ data: { stop: 'true', note: 'still' } }));
    expect(started.dialer.calls).to.deep.equal(['halt']);
    egressSwitchChanged(started, undefined);
    expect([started.switches.refusal('acme', ECHO), started.dialer.calls]).to.deep.equal([
      undefined,
      ['halt', 'resume'],
    ]);
    for (const run of runs) run.end();
  });

  const rows: readonly (readonly [stops: boolean, members: object])[] = [
    [false, {}],
    [false, { data: {} }],
    [false, { data: { stop: 'false' } }],
    [false, { data: { other: 'true' } }],
    [true, { data: { stop: 'TRUE' } }],
    [true, { data: { stop: 'yes' } }],
    [true, { data: { stop: '' } }],
    [true, { binaryData: { stop: 'dHJ1ZQ==' } }],
  ];
  for (const [stops, members] of rows) {
    it(`${stops ? 'stops' : 'does not stop'} with ${JSON.stringify(members)}`, () => {
      const started = start();
      egressSwitchChanged(started, configMap(members));
      expect(started.switches.egressStopped).to.equal(stops);
    });
  }
});
