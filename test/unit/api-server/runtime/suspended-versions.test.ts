import { expect } from 'chai';
import { KillSwitches } from '../../../../api-server/runtime/kill-switches.ts';
import { RunsInFlight, type LiveRun } from '../../../../api-server/runtime/runs-in-flight.ts';
import { followSuspensions } from '../../../../api-server/runtime/suspended-versions.ts';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import type { ListedOrb } from '../../../../core/publication/listed-orb.ts';
import { aListedOrb } from '../../../support/a-listed-orb.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';

const parsed = parseOrbId('acme.echo@1.0.0');
if (!parsed.ok) throw new TypeError('no id');
const ECHO: OrbId = parsed.value;
const { manifestDigest: PUBLISHED } = aListedOrb();
const OTHER = `sha256:${'1'.repeat(64)}`;

interface Started {
  readonly switches: KillSwitches;
  readonly begin: (digest: string, namespace?: string) => LiveRun;
  readonly set: (status: ListedOrb['status'], ofOrg?: 'of a suspended organisation') => void;
  readonly logged: readonly unknown[];
}

function start(status: ListedOrb['status']): Started {
  const inFlight = new RunsInFlight();
  const switches = new KillSwitches(inFlight);
  const { logger, lines } = recordLog();
  const listed = new Map([[String(ECHO), aListedOrb({ status, isSuspended: status === 'suspended' })]]);
  const listeners: ((change: { readonly orbs: Iterable<string> }) => void)[] = [];
  const listings = {
    all: () => listed.values(),
    orb: (orbId: string) => listed.get(orbId),
    watch: (listener: (typeof listeners)[number]) => {
      listeners.push(listener);
      return () => undefined;
    },
  };
  followSuspensions(listings, switches, logger);
  return {
    switches,
    begin: (digest, namespace = 'acme') => inFlight.begin('team.support', { namespace, orbId: ECHO, digest }, 60_000),
    set: (next, ofOrg) => {
      listed.set(ECHO, aListedOrb({ status: next, isSuspended: next === 'suspended' || ofOrg !== undefined }));
      for (const listener of listeners) listener({ orbs: [ECHO, 'acme.gone@1.0.0'] });
    },
    logged: lines,
  };
}

const refusals = ({ switches }: Started): readonly (string | undefined)[] => [
  switches.refusal('acme', ECHO, PUBLISHED),
  switches.refusal('elsewhere', ECHO, PUBLISHED),
  switches.refusal('acme', ECHO, OTHER),
  switches.refusal('acme', ECHO),
];

describe('versions that the platform suspends (trust.md §8.6)', () => {
  it('are refused by their bytes in every namespace, and runs of them in flight end', () => {
    const started = start('active');
    const [one, elsewhere, other] = [
      started.begin(PUBLISHED),
      started.begin(PUBLISHED, 'elsewhere'),
      started.begin(OTHER),
    ];
    started.set('suspended');
    expect(refusals(started)).to.deep.equal(['orb-suspended', 'orb-suspended', undefined, undefined]);
    expect([one.killed(), elsewhere.killed(), other.killed()]).to.deep.equal([
      'orb-suspended',
      'orb-suspended',
      undefined,
    ]);
    for (const run of [one, elsewhere, other]) run.end();
  });

  it('are refused too when their organisation is suspended, until both suspensions end', () => {
    const started = start('active');
    started.set('active', 'of a suspended organisation');
    expect(refusals(started)).to.deep.equal(['orb-suspended', 'orb-suspended', undefined, undefined]);
    started.set('suspended');
    expect(refusals(started)[0]).to.equal('orb-suspended');
    started.set('active');
    expect(refusals(started)[0]).to.equal(undefined);
  });

  it('run again after the end of the suspension', () => {
    const started = start('suspended');
    expect(refusals(started)[0]).to.equal('orb-suspended');
    started.set('deprecated');
    expect(refusals(started)).to.deep.equal([undefined, undefined, undefined, undefined]);
  });

  it('are refused from the start of a process, and reported once', () => {
    const started = start('suspended');
    started.set('suspended');
    expect(refusals(started)[0]).to.equal('orb-suspended');
    expect(started.logged).to.have.lengthOf(1);
  });

  it('are the only ones: a yanked version goes on where it runs', () => {
    const started = start('yanked');
    started.set('active');
    expect([refusals(started)[0], started.logged]).to.deep.equal([undefined, []]);
  });
});
