import { expect } from 'chai';
import { judgeManifest } from '../../../../core/orb/plan-manifest.ts';
import { claimOf } from '../../../../core/orb/plan-holder.ts';
import { planOrb } from '../../../../core/orb/plan-orb.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import type { Plan } from '../../../../core/reconcile/plan.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { settle } from '../../../support/check-plan.ts';
import { anOrb, anOrbiset, manifestOf, swappable } from '../../../support/kube-objects.ts';
import { kstatus } from '../../../support/kstatus.ts';

const NOW = Date.parse('2026-02-01T10:00:00Z');
const LATER = NOW + 60_000;

const plan =
  (
    duplicates: readonly KubeObject[] = [],
    now = NOW,
    orbisets: readonly KubeObject[] = [],
  ): ((orb: KubeObject) => Plan) =>
  (orb) => {
    const claims = duplicates.flatMap((twin) => claimOf(twin, true) ?? []);
    return planOrb({ orb, duplicates: claims, manifest: judgeManifest(orb, []), orbisets }, now);
  };

const edited = (orb: KubeObject, spec: unknown): KubeObject => ({
  ...orb,
  spec,
  metadata: { ...orb.metadata, generation: (orb.metadata.generation ?? 0) + 1 },
});

const created = (name: string, at: string): KubeObject => anOrb(name, { metadata: { creationTimestamp: at } });

const binding = (host: string): KubeObject =>
  anOrbiset('team', { spec: { vault: { secrets: [{ name: 's', allowedHosts: [host] }] } } });

describe('planOrb', () => {
  it('is not Current for kstatus after an edit before it is looked at', () => {
    const { object } = settle(anOrb('echo'), 'orb-operator', plan());
    expect(kstatus(edited(object, manifestOf()))).to.equal('InProgress');
  });

  it('makes a valid Orb Ready with the digest of its manifest', () => {
    const { object, plan: made, kstatus: verdict } = settle(anOrb('echo'), 'orb-operator', plan());
    expect(conditionOf(object, 'Ready')).to.include({ status: 'True', reason: 'Ready', observedGeneration: 1 });
    expect(statusOf(object)).to.include({ observedGeneration: 1 });
    expect(statusOf(object)['validDigest']).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(made.events).to.deep.equal([]);
    expect(verdict).to.equal('Current');
  });

  it('gives an Orb with and without a pin the same digest', () => {
    const pin = { provider: 'main', expires_at: '2026-02-02T10:00:00Z' };
    const pinned = settle(anOrb('echo', { spec: manifestOf({ pin }) }), 'orb-operator', plan()).object;
    const plain = settle(anOrb('echo'), 'orb-operator', plan()).object;
    expect(statusOf(pinned)['validDigest']).to.equal(statusOf(plain)['validDigest']);
  });

  it('says of a provider whose secrets no Orbiset sends to its host what to add, and goes on', () => {
    const execution = { url: 'https://api.example.com/', headers: { 'x-key': '{{orbiset.secrets.KEY}}' } };
    const orb = anOrb('echo', { spec: manifestOf({ inputs: {}, execution }) });
    const bad = settle(orb, 'orb-operator', plan([], NOW, [binding('other.example.com')]));
    expect(conditionOf(bad.object, 'SecretsBound')).to.include({ status: 'False', reason: 'HostNotBound' });
    expect(bad.plan.events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal(['Warning HostNotBound']);
    expect(bad.kstatus).to.equal('Current');
    const good = settle(bad.object, 'orb-operator', plan([], LATER, [binding('api.example.com')]));
    expect(conditionOf(good.object, 'SecretsBound')).to.include({ status: 'True', reason: 'HostsBound' });
    expect(good.plan.events).to.deep.equal([]);
    const gone = settle(good.object, 'orb-operator', plan([], LATER)).object;
    expect(conditionOf(gone, 'SecretsBound')).to.equal(undefined);
  });

  it('says in the condition and in an Event what to look at though it runs', () => {
    const spec = manifestOf({ swap_config: { fallbacks: ['mailgun'] } });
    const { object, plan: made, kstatus: verdict } = settle(anOrb('echo', { spec }), 'orb-operator', plan());
    expect(conditionOf(object, 'Ready')?.message).to.include('spec.swap_config.fallbacks[0]: ');
    expect(made.events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal(['Warning ManifestLint']);
    expect(verdict).to.equal('Current');
  });

  it('stalls a broken manifest, names the place, and has no digest before there was a valid one', () => {
    const execution = { type: 'http', method: 'POST', url: 'http://api.example.com/' };
    const broken = anOrb('echo', { spec: manifestOf({ execution, inputs: {} }) });
    const { object, plan: made, kstatus: verdict } = settle(broken, 'orb-operator', plan());
    const ready = conditionOf(object, 'Ready');
    expect(ready).to.include({ status: 'False', reason: 'ManifestInvalid' });
    expect(ready?.message).to.include('spec.execution.url: ').and.not.include('last valid version');
    expect(conditionOf(object, 'Stalled')).to.include({ status: 'True' });
    expect(statusOf(object)).not.to.have.property('validDigest');
    expect(made.outcome.kind).to.equal('stalled');
    expect(made.events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal(['Warning ManifestInvalid']);
    expect(verdict).to.equal('Failed');
  });

  it('makes one Event for each finding, each with an id of its generation', () => {
    const spec = manifestOf({ provider: 7, outputs: { a: { type: 'date' } } });
    const { plan: made, object } = settle(anOrb('echo', { spec }), 'orb-operator', plan());
    const notes = made.events.map(({ note }) => note.slice(0, note.indexOf(':')));
    expect(notes).to.include.members(['spec.provider', 'spec.outputs.a.type']);
    expect(new Set(notes).size).to.equal(notes.length);
    expect(new Set(made.events.map(({ id }) => id)).size).to.equal(notes.length);
    expect(made.events.every(({ reason, note }) => reason === 'ManifestInvalid' && !note.includes(' | '))).to.equal(
      true,
    );
    const again = settle(object, 'orb-operator', plan([], LATER));
    expect(again.plan.events).to.deep.equal([]);
  });

  it('says in the Event of a mended Orb that it runs, and each warning in one of its own', () => {
    const broken = settle(anOrb('echo', { spec: {} }), 'orb-operator', plan()).object;
    const spec = manifestOf({ swap_config: { fallbacks: ['mailgun'] } });
    const { plan: made } = settle(edited(broken, spec), 'orb-operator', plan([], LATER));
    expect(made.events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal([
      'Normal Ready',
      'Warning ManifestLint',
    ]);
    expect(made.events[0]?.note).to.equal('The manifest is valid and runs.');
  });

  it('keeps the digest of the last valid version while an edit is broken, and says that it runs on', () => {
    const valid = settle(anOrb('echo'), 'orb-operator', plan()).object;
    const broken = edited(valid, manifestOf({ provider: 7 }));
    const { object, kstatus: verdict } = settle(broken, 'orb-operator', plan([], LATER));
    expect(statusOf(object)['validDigest']).to.equal(statusOf(valid)['validDigest']);
    expect(conditionOf(object, 'Ready')?.message)
      .to.include('spec.provider: ')
      .and.include('last valid version keeps running');
    expect(statusOf(object)['observedGeneration']).to.equal(2);
    expect(verdict).to.equal('Failed');
  });

  it('takes Stalled away and moves the digest when the edit is mended', () => {
    const valid = settle(anOrb('echo'), 'orb-operator', plan()).object;
    const broken = settle(edited(valid, {}), 'orb-operator', plan([], LATER)).object;
    const mended = edited(broken, manifestOf({ description: 'Says it again.' }));
    const { object, kstatus: verdict } = settle(mended, 'orb-operator', plan([], LATER + 1000));
    expect(conditionOf(object, 'Stalled')).to.equal(undefined);
    expect(statusOf(object)['validDigest']).not.to.equal(statusOf(valid)['validDigest']);
    expect(conditionOf(object, 'Ready')?.lastTransitionTime).to.equal('2026-02-01T10:01:01Z');
    expect(verdict).to.equal('Current');
  });

  it('reports a second, other fault though Ready stays False', () => {
    const once = settle(anOrb('echo', { spec: manifestOf({ provider: 7 }) }), 'orb-operator', plan()).object;
    const { plan: made, object } = settle(edited(once, {}), 'orb-operator', plan([], LATER));
    expect(made.events.length).to.be.greaterThan(0);
    expect(made.events.every(({ reason }) => reason === 'ManifestInvalid')).to.equal(true);
    expect(conditionOf(object, 'Ready')?.lastTransitionTime).to.equal('2026-02-01T10:00:00Z');
    expect(kstatus(object)).to.equal('Failed');
  });

  const duplicates: readonly [string, KubeObject, KubeObject, string | undefined][] = [
    ['an older one', created('b', '2026-01-02T00:00:00Z'), created('z', '2026-01-01T00:00:00Z'), 'z'],
    ['an equally old one with a lower name', created('b', '2026-01-01T00:00:00Z'), anOrb('a'), 'a'],
    ['no younger one', created('b', '2026-01-01T00:00:00Z'), created('a', '2026-01-02T00:00:00Z'), undefined],
    ['no equally old one with a higher name', created('a', '2026-01-01T00:00:00Z'), anOrb('b'), undefined],
  ];
  for (const [why, orb, twin, holder] of duplicates) {
    it(`leaves the orb_id to ${why}`, () => {
      const { object, kstatus: verdict } = settle(orb, 'orb-operator', plan([twin]));
      const ready = conditionOf(object, 'Ready');
      if (holder === undefined) expect(ready?.reason).to.equal('Ready');
      else expect(ready?.message, ready?.reason).to.include(`The Orb ${holder} holds acme.echo@1.0.0`);
      expect(verdict).to.equal(holder === undefined ? 'Current' : 'Failed');
    });
  }

  it('names the oldest of several holders', () => {
    const older = [created('x', '2025-01-02T00:00:00Z'), created('y', '2025-01-01T00:00:00Z')];
    const { object } = settle(anOrb('echo'), 'orb-operator', plan(older));
    expect(conditionOf(object, 'Ready')?.message).to.include('The Orb y holds');
  });

  it('has no digest for an Orb that never held its id', () => {
    const { object, kstatus: verdict } = settle(anOrb('echo'), 'orb-operator', plan([anOrb('a')]));
    expect(conditionOf(object, 'Ready')?.reason).to.equal('OrbIdConflict');
    expect(statusOf(object)).not.to.have.property('validDigest');
    expect(verdict).to.equal('Failed');
  });

  it('takes the digest away from an Orb that lost its id to an older one: nothing of it runs', () => {
    const valid = settle(created('b', '2026-01-02T00:00:00Z'), 'orb-operator', plan()).object;
    const { object } = settle(valid, 'orb-operator', plan([created('z', '2026-01-01T00:00:00Z')], LATER));
    expect(conditionOf(object, 'Ready')?.message).to.include('Until then no version of this Orb runs.');
    expect(statusOf(object)).not.to.have.property('validDigest');
  });

  it('remembers the last valid version through a broken edit: digest, id, and the provider used without a pin first', () => {
    const spec = manifestOf({ ...swappable, swap_config: { primary: 'other', fallbacks: ['main'] } });
    const valid = settle(anOrb('echo', { spec }), 'orb-operator', plan()).object;
    const { lastValid } = statusOf(valid);
    expect(lastValid).to.deep.equal({
      digest: statusOf(valid)['validDigest'],
      orbId: 'acme.echo@1.0.0',
      providers: ['other', 'main'],
    });
    const broken = settle(edited(valid, manifestOf({ orb_id: 'acme.two@1.0.0', provider: 7 })), 'orb-operator', plan());
    expect(statusOf(broken.object)['lastValid']).to.deep.equal(lastValid);
  });

  it('gives its id up by no broken edit, and takes none', () => {
    const valid = settle(created('b', '2026-01-02T00:00:00Z'), 'orb-operator', plan()).object;
    const broken = edited(valid, manifestOf({ orb_id: 'acme.two@1.0.0', provider: 7 }));
    expect(claimOf(broken, false)).to.include({ orbId: 'acme.echo@1.0.0', isValid: true });
    const younger = created('c', '2026-01-03T00:00:00Z');
    const claim = claimOf(broken, false);
    const rivals = claim === undefined ? [] : [claim];
    const manifest = judgeManifest(younger, []);
    const { object } = settle(younger, 'orb-operator', (orb) =>
      planOrb({ orb, duplicates: rivals, manifest, orbisets: [] }, LATER),
    );
    expect(conditionOf(object, 'Ready')).to.include({ reason: 'OrbIdConflict' });
  });

  it('runs the last valid version again when the id is free again, whether anybody looked meanwhile or not', () => {
    const valid = settle(created('b', '2026-01-02T00:00:00Z'), 'orb-operator', plan()).object;
    const broken = edited(valid, manifestOf({ provider: 7 }));
    const holder = created('z', '2026-01-01T00:00:00Z');
    const lost = settle(broken, 'orb-operator', plan([holder])).object;
    expect(conditionOf(lost, 'Ready')?.reason).to.equal('OrbIdConflict');
    expect(statusOf(lost)).not.to.have.property('validDigest');
    const again = settle(lost, 'orb-operator', plan()).object;
    const never = settle(broken, 'orb-operator', plan()).object;
    expect(statusOf(again)).to.deep.equal(statusOf(never));
    expect(statusOf(again)['validDigest']).to.equal(statusOf(valid)['validDigest']);
  });

  it('refuses an integer that was rounded on its way, at its place', () => {
    const orb = { ...anOrb('echo'), unsafeIntegers: ['/spec/inputs/text/default', '/status/odd', '/spec/pin/x'] };
    const { object, kstatus: verdict } = settle(orb, 'orb-operator', plan());
    expect(conditionOf(object, 'Ready')).to.include({ reason: 'UnsafeInteger' });
    expect(conditionOf(object, 'Ready')?.message).to.match(/^spec\.inputs\.text\.default: .*string/);
    expect(verdict).to.equal('Failed');
  });

  it('does not mind a rounded integer outside the manifest', () => {
    const orb = { ...anOrb('echo'), unsafeIntegers: ['/status/odd'] };
    expect(settle(orb, 'orb-operator', plan()).kstatus).to.equal('Current');
  });

  it('echoes the annotation that asks for a reconcile, cut to 256 characters', () => {
    const annotations = { 'orbs.dev/reconcile-at': 'x'.repeat(300) };
    const { object } = settle(anOrb('echo', { metadata: { annotations } }), 'orb-operator', plan());
    expect(statusOf(object)['lastHandledReconcileAt']).to.equal('x'.repeat(256));
    expect(kstatus(object)).to.equal('Current');
  });

  it('echoes no half of a character, which the API server would refuse', () => {
    const annotations = { 'orbs.dev/reconcile-at': `${'x'.repeat(255)}😀` };
    const { object } = settle(anOrb('echo', { metadata: { annotations } }), 'orb-operator', plan());
    expect(statusOf(object)['lastHandledReconcileAt']).to.satisfy((text: string) => text.isWellFormed());
  });
});

const deep = (levels: number): unknown => {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

describe('planOrb with objects stored before there was a schema (security.md S29)', () => {
  const specs: readonly [string, unknown][] = [
    ['no spec', undefined],
    ['null', null],
    ['a list', [1]],
    ['a text', 'spec'],
    ['a number', 1e300],
    ['an empty object', {}],
    ['null members', { orb_id: null, provider: null, inputs: null, execution: null }],
    ['lists for objects', manifestOf({ inputs: [], outputs: [], execution: [] })],
    ['names of the prototype', JSON.parse('{"__proto__": {"orb_id": "x"}, "constructor": 1}')],
    ['a long text', manifestOf({ orb_id: 'a'.repeat(100_000) })],
    ['1 000 unknown members', Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`m${n}`, n]))],
    ['10 000 levels', manifestOf({ inputs: deep(10_000) })],
    ['a lone surrogate', manifestOf({ description: '\ud800' })],
  ];
  for (const [why, spec] of specs) {
    it(`stalls ${why} with one message`, () => {
      const { object, kstatus: verdict } = settle(anOrb('echo', { spec }), 'orb-operator', plan());
      expect(conditionOf(object, 'Ready')?.reason).to.equal('ManifestInvalid');
      expect(verdict).to.equal('Failed');
    });
  }

  const statuses: readonly [string, unknown][] = [
    ['null', null],
    ['a list', []],
    ['conditions that are no list', { conditions: { Ready: true } }],
    [
      'conditions that are no conditions',
      { conditions: [null, 7, 'Ready', { type: 7 }, { type: 'Ready', status: 'Yes' }] },
    ],
    ['members of other types', { validDigest: 7, observedGeneration: 'one', failover: [] }],
    ['a digest that is none', { validDigest: 'sha256:x', lastValid: { digest: 'sha256:x', orbId: 7 } }],
    ['a last version that is a list', { lastValid: [] }],
  ];
  for (const [why, status] of statuses) {
    it(`makes an Orb Ready whose status is ${why}`, () => {
      const { object, kstatus: verdict } = settle(anOrb('echo', { status }), 'orb-operator', plan());
      expect(statusOf(object)['validDigest']).to.match(/^sha256:[0-9a-f]{64}$/);
      expect(verdict).to.equal('Current');
    });
  }
});
