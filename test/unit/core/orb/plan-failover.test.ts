import { expect } from 'chai';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { planFailover, type FailoverPlan } from '../../../../core/orb/plan-failover.ts';
import { claimOf } from '../../../../core/orb/plan-holder.ts';
import { judgeManifest } from '../../../../core/orb/plan-manifest.ts';
import { planOrb } from '../../../../core/orb/plan-orb.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import type { Plan } from '../../../../core/reconcile/plan.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { settle } from '../../../support/check-plan.ts';
import { anOrb, manifestOf, swappable } from '../../../support/kube-objects.ts';
import { aMoment } from '../../../support/failover-moment.ts';
import { kstatus } from '../../../support/kstatus.ts';

const NOW = Date.parse('2026-02-01T10:00:00Z');
const HOUR = 3_600_000;
const PIN_ID = 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11';
const at = (ms: number): string => new Date(ms).toISOString();

const snapshotOf = (orb: KubeObject): Parameters<typeof planOrb>[0] => ({
  orb,
  duplicates: [],
  orbisets: [],
  manifest: judgeManifest(orb, []),
});
const failover =
  (now: number): ((orb: KubeObject) => FailoverPlan) =>
  (orb) =>
    planFailover(snapshotOf(orb), aMoment(now));

/** Both plans after each other. */
function run(orb: KubeObject, now = NOW): ReturnType<typeof settle<FailoverPlan>> {
  const judged = settle(orb, 'orb-operator', (object) => planOrb(snapshotOf(object), now)).object;
  return settle(judged, 'failover', failover(now));
}

const orbWith = (members: Readonly<Record<string, unknown>>): KubeObject =>
  anOrb('echo', { spec: manifestOf(members) });
const pinned = (pin: unknown): KubeObject => orbWith({ ...swappable, pin });
const edited = (orb: KubeObject, members: Readonly<Record<string, unknown>>): KubeObject => ({
  ...orb,
  spec: manifestOf(members),
  metadata: { ...orb.metadata, generation: (orb.metadata.generation ?? 0) + 1 },
});
const failoverIn = (orb: KubeObject): JsonObject => {
  const { failover: written } = statusOf(orb);
  return isJsonObject(written) ? written : {};
};
const broken = (orb: KubeObject, pin: unknown): KubeObject => edited(orb, { provider: 7, pin });
const reasons = ({ events }: Plan): readonly string[] => events.map(({ type, reason }) => `${type} ${reason}`);

describe('planFailover', () => {
  it('names the primary and since when, without an Event', () => {
    const { object, plan, kstatus: verdict } = run(orbWith(swappable));
    expect(statusOf(object)['failover']).to.deep.equal({ activeProvider: 'main', since: at(NOW), reason: 'primary' });
    expect(conditionOf(object, 'ProvidersResolved')).to.include({ status: 'True', reason: 'AllResolved' });
    expect(conditionOf(object, 'PinValid')).to.equal(undefined);
    expect(reasons(plan)).to.deep.equal([]);
    expect(plan.outcome).to.deep.equal({ kind: 'done' });
    expect(verdict).to.equal('Current');
  });

  it('takes the provider away from an Orb that lost its id: nothing of it runs', () => {
    const valid = run(orbWith(swappable)).object;
    const older = { ...anOrb('a'), metadata: { ...anOrb('a').metadata, creationTimestamp: '2020-01-01T00:00:00Z' } };
    const snapshot = (orb: KubeObject): Parameters<typeof planOrb>[0] => ({
      ...snapshotOf(orb),
      duplicates: [claimOf(older, true) ?? []].flat(),
      orbisets: [],
    });
    const judged = settle(valid, 'orb-operator', (object) => planOrb(snapshot(object), NOW)).object;
    const { object } = settle(judged, 'failover', (item) => planFailover(snapshot(item), aMoment(NOW)));
    expect(statusOf(object)).not.to.have.property('failover');
    expect(conditionOf(object, 'ProvidersResolved')).to.include({ status: 'Unknown', reason: 'OrbIdConflict' });
  });

  it('keeps the numbers of swaps of an Orb that lost its id: they are never given again', () => {
    const swapped = run(pinned({ provider: 'other', expires_at: at(NOW + HOUR) })).object;
    const older = { ...anOrb('a'), metadata: { ...anOrb('a').metadata, creationTimestamp: '2020-01-01T00:00:00Z' } };
    const snapshot = (orb: KubeObject): Parameters<typeof planOrb>[0] => ({
      ...snapshotOf(orb),
      duplicates: [claimOf(older, true) ?? []].flat(),
    });
    const judged = settle(swapped, 'orb-operator', (object) => planOrb(snapshot(object), NOW)).object;
    const { object } = settle(judged, 'failover', (item) => planFailover(snapshot(item), aMoment(NOW)));
    expect(statusOf(object)['failover']).to.include({ swapSeq: 1 });
    expect(conditionOf(object, 'MetricsAvailable')).to.equal(undefined);
  });

  it('names the primary of an Orb that has no status yet, so that one write is enough', () => {
    const plan = planFailover(snapshotOf(orbWith(swappable)), aMoment(NOW));
    expect(plan.status['failover']).to.include({ activeProvider: 'main', reason: 'primary' });
    expect(plan.events).to.deep.equal([]);
  });

  it('says what to add for a name that nothing defines, and stays usable', () => {
    const { object, plan, kstatus: verdict } = run(orbWith({ swap_config: { fallbacks: ['mailgun'] } }));
    const condition = conditionOf(object, 'ProvidersResolved');
    expect(condition).to.include({ status: 'False', reason: 'ProviderUndefined' });
    expect(condition?.message).to.include('add /providers/mailgun/execution');
    expect(reasons(plan)).to.deep.equal(['Warning ProviderUndefined']);
    expect(verdict).to.equal('Current');
  });

  it('follows a pin with a swap of its own number, and stays there when it ends', () => {
    const { object, plan } = run(pinned({ provider: 'other', expires_at: at(NOW + HOUR), id: PIN_ID }));
    const { failover: written } = statusOf(object);
    expect(written).to.include({ activeProvider: 'other', reason: 'manual', swapSeq: 1, epoch: 1 });
    expect(written).to.deep.include({ pin: { firstSeenId: PIN_ID, firstSeenAt: at(NOW) } });
    expect(written).to.have.nested.include({ 'history[0].receiptId': `rcpt_${NOW}`, 'history[0].from': 'main' });
    expect(plan.swap).to.include({ seq: 1, from: 'main', to: 'other', reason: 'manual', rule: 'pinned' });
    expect(plan.events).to.deep.include({
      type: 'Normal',
      reason: 'ProviderChanged',
      action: 'ChooseProvider',
      note: '"other" is used instead of "main" (manual).',
      id: `rcpt_${NOW}`,
    });
    expect(conditionOf(object, 'PinValid')).to.include({ status: 'True', reason: 'PinFollowed' });
    expect(plan.outcome).to.include({ kind: 'requeue-after', ms: HOUR });
    const { object: after, plan: ended } = settle(object, 'failover', failover(NOW + HOUR));
    expect(statusOf(after)['failover']).to.include({ activeProvider: 'other', swapSeq: 1, since: at(NOW) });
    expect(statusOf(after)['failover']).to.have.nested.include({ 'pin.expiredId': PIN_ID });
    expect(reasons(ended)).to.deep.equal(['Normal PinExpired']);
    expect(ended.outcome).to.deep.equal({ kind: 'done' });
    expect(kstatus(after)).to.equal('Current');
  });

  const spentRows: readonly [string, string, Readonly<Record<string, string>>, string][] = [
    ['a swap without a pin, once it was made', 'once', { handledId: PIN_ID }, 'PinHandled'],
    ['a soft pin that was left, since its provider failed', 'soft', { overriddenId: PIN_ID }, 'PinOverridden'],
  ];
  for (const [why, mode, spent, reason] of spentRows) {
    it(`says of ${why} that it no longer counts`, () => {
      const first = run(pinned({ provider: 'other', mode, expires_at: at(NOW + HOUR), id: PIN_ID })).object;
      const state = { ...failoverIn(first), pin: { firstSeenId: PIN_ID, firstSeenAt: at(NOW), ...spent } };
      const left = { ...first, status: { ...statusOf(first), failover: state } };
      const { object, plan } = settle(left, 'failover', failover(NOW + 1000));
      expect(conditionOf(object, 'PinValid')).to.include({ status: 'True', reason });
      expect(plan.outcome).to.include({ kind: 'requeue-after', ms: HOUR - 1000 });
    });
  }

  const API = 'orb-api-pin';
  const all = { 'f:provider': {}, 'f:expires_at': {}, 'f:actor': {} };
  const named: readonly [why: string, owned: Readonly<Record<string, object>>, actor: string | undefined][] = [
    ['the caller that our API wrote', { [API]: all }, 'key:k1'],
    ['the field manager of who wrote the actor by hand', { kubectl: all }, 'kubectl'],
    [
      'who took a part of what our API wrote',
      { [API]: { 'f:provider': {}, 'f:actor': {} }, git: { 'f:expires_at': {} } },
      'git',
    ],
    ['nobody when our API wrote another provider', { [API]: { 'f:actor': {}, 'f:expires_at': {} } }, undefined],
    ['nobody when our API wrote another end', { [API]: { 'f:actor': {}, 'f:provider': {} } }, undefined],
    ['nobody when a field manager is named as a caller', { 'key:k1': all }, undefined],
  ];
  for (const [why, owned, actor] of named) {
    it(`names as actor ${why}`, () => {
      const orb = pinned({ provider: 'other', expires_at: at(NOW + HOUR), actor: 'key:k1' });
      const managedFields = Object.entries(owned).map(([manager, pin]) => ({
        manager,
        fieldsV1: { 'f:spec': { 'f:pin': pin } },
      }));
      const { plan } = run({ ...orb, metadata: { ...orb.metadata, managedFields } });
      expect(plan.swap?.actor ?? undefined).to.equal(actor);
    });
  }

  it('counts epochs of one Orb on when the Lease was deleted and begins again', () => {
    const first = run(pinned({ provider: 'other', expires_at: at(NOW + HOUR) })).object;
    const led = { ...first, status: { ...statusOf(first), failover: { ...failoverIn(first), epoch: 9 } } };
    const back = edited(led, { ...swappable, pin: { provider: 'main', expires_at: at(NOW + HOUR) } });
    expect(statusOf(run(back, NOW + 1000).object)['failover']).to.include({ swapSeq: 2, epoch: 9 });
  });

  it('keeps since for a pin to the provider that is active anyway', () => {
    const first = run(orbWith(swappable)).object;
    const pin = { provider: 'main', expires_at: at(NOW + 2 * HOUR), id: PIN_ID };
    const { object, plan } = run(edited(first, { ...swappable, pin }), NOW + HOUR);
    expect(statusOf(object)['failover']).to.deep.equal({
      activeProvider: 'main',
      since: at(NOW),
      reason: 'primary',
      pin: { firstSeenId: PIN_ID, firstSeenAt: at(NOW + HOUR) },
    });
    expect(reasons(plan)).to.deep.equal([]);
    expect(kstatus(object)).to.equal('Current');
  });

  it('reports nothing for a pin that had ended before the first evaluation', () => {
    const { object, plan, kstatus: verdict } = run(pinned({ provider: 'other', expires_at: at(NOW - HOUR) }));
    expect(conditionOf(object, 'PinValid')).to.include({ status: 'True', reason: 'PinExpired' });
    expect(statusOf(object)['failover']).to.include({ activeProvider: 'main' });
    expect(reasons(plan)).to.deep.equal([]);
    expect(verdict).to.equal('Current');
  });

  const hours = 168;
  const rows: readonly [string, unknown, string, RegExp][] = [
    [
      'an unknown provider',
      { provider: 'nobody', expires_at: at(NOW + HOUR) },
      'PinProviderUndefined',
      /use one of: main, other/,
    ],
    [
      'a time that is none',
      { provider: 'other', expires_at: '2026-13-01T00:00:00Z' },
      'PinTimeInvalid',
      /spec\.pin\.expires_at/,
    ],
    ['a missing member', { provider: 'other' }, 'PinMalformed', /spec\.pin\.expires_at/],
    ['a text', 'other', 'PinMalformed', /spec\.pin/],
    ['null', null, 'PinMalformed', /spec\.pin/],
  ];
  for (const [why, pin, reason, text] of rows) {
    it(`ignores a pin that is ${why}`, () => {
      const { object, plan, kstatus: verdict } = run(pinned(pin));
      expect(conditionOf(object, 'PinValid')).to.include({ status: 'False', reason });
      expect(conditionOf(object, 'PinValid')?.message).to.match(text);
      expect(statusOf(object)['failover']).to.include({ activeProvider: 'main', reason: 'primary' });
      expect(reasons(plan)).to.deep.equal([`Warning ${reason}`]);
      expect(verdict).to.equal('Current');
    });
  }

  it('ignores a pin to a provider that is named and not defined, and says what to add', () => {
    const pin = { provider: 'mailgun', expires_at: at(NOW + HOUR) };
    const { object } = run(orbWith({ swap_config: { fallbacks: ['mailgun'] }, pin }));
    expect(conditionOf(object, 'PinValid')?.message).to.include('add /providers/mailgun/execution');
    expect(statusOf(object)['failover']).to.include({ activeProvider: 'main' });
    expect(kstatus(object)).to.equal('Current');
  });

  it('follows a pin that is too long until 168 hours after it was seen first', () => {
    const expiresAt = NOW + (hours + 2) * HOUR;
    const orb = pinned({ provider: 'other', expires_at: at(expiresAt), id: PIN_ID });
    const { object } = run(orb);
    expect(conditionOf(object, 'PinValid')).to.include({ status: 'True', reason: 'PinFollowed' });
    expect(statusOf(object)['failover']).to.include({ activeProvider: 'other', reason: 'manual' });
    const pin = { firstSeenId: PIN_ID, firstSeenAt: at(NOW) };
    const seen = {
      ...object,
      status: { ...statusOf(object), failover: { activeProvider: 'other', since: at(NOW), pin } },
    };
    const later = planFailover(snapshotOf(seen), aMoment(NOW + HOUR));
    expect(later.outcome).to.include({ kind: 'requeue-after', ms: (hours - 1) * HOUR });
    const ended = planFailover(snapshotOf(seen), aMoment(NOW + hours * HOUR)).status?.conditions ?? [];
    expect(ended.find(({ type }) => type === 'PinValid')).to.include({ status: 'True', reason: 'PinExpired' });
  });

  it('removes PinValid with the pin', () => {
    const first = run(pinned({ provider: 'other', expires_at: at(NOW + HOUR) })).object;
    const { object } = run(edited(first, swappable), NOW + 1000);
    expect(conditionOf(object, 'PinValid')).to.equal(undefined);
    expect(statusOf(object)['failover']).to.include({ activeProvider: 'other', reason: 'manual' });
    expect(statusOf(object)['failover']).not.to.have.property('pin');
    expect(kstatus(object)).to.equal('Current');
  });

  describe('while an edit is broken and the last valid version keeps running', () => {
    const valid = run(orbWith({ ...swappable, swap_config: { fallbacks: ['other', 'mailgun'] } })).object;

    it('follows a new pin as the API does, and leaves what it said of the providers', () => {
      const {
        object,
        plan,
        kstatus: verdict,
      } = run(broken(valid, { provider: 'other', expires_at: at(NOW + HOUR) }), NOW + 1000);
      expect(statusOf(object)['failover']).to.include({
        activeProvider: 'other',
        since: at(NOW + 1000),
        reason: 'manual',
        swapSeq: 1,
      });
      expect(conditionOf(object, 'PinValid')).to.include({ status: 'True', reason: 'PinFollowed' });
      expect(conditionOf(object, 'ProvidersResolved')).to.deep.equal(conditionOf(valid, 'ProvidersResolved'));
      expect(reasons(plan)).to.deep.equal(['Normal ProviderChanged']);
      expect(plan.outcome).to.include({ kind: 'requeue-after', ms: HOUR - 1000 });
      expect(verdict).to.equal('Failed');
    });

    it('shows no pin as followed that has ended', () => {
      const first = run(broken(valid, { provider: 'other', expires_at: at(NOW + HOUR) })).object;
      const { object, plan } = settle(first, 'failover', failover(NOW + HOUR));
      expect(conditionOf(object, 'PinValid')).to.include({ status: 'True', reason: 'PinExpired' });
      expect(statusOf(object)['failover']).to.include({ activeProvider: 'other', reason: 'manual' });
      expect(reasons(plan)).to.deep.equal(['Normal PinExpired']);
      expect(kstatus(object)).to.equal('Failed');
    });

    it('judges the name of a pin by the version that runs', () => {
      const { object, kstatus: verdict } = run(broken(valid, { provider: 'nobody', expires_at: at(NOW + HOUR) }));
      expect(conditionOf(object, 'PinValid')).to.include({ status: 'False', reason: 'PinProviderUndefined' });
      expect(conditionOf(object, 'PinValid')?.message).to.include('use one of: main, other');
      expect(verdict).to.equal('Failed');
    });

    it('takes the pin away with the pin', () => {
      const first = run(broken(valid, { provider: 'other', expires_at: at(NOW + HOUR) })).object;
      const { object } = run(edited(first, { provider: 7 }), NOW + 1000);
      expect(conditionOf(object, 'PinValid')).to.equal(undefined);
      expect(statusOf(object)['failover']).to.include({ activeProvider: 'other', reason: 'manual' });
      expect(kstatus(object)).to.equal('Failed');
    });
  });

  it('knows of no pin to a version that never was, and says when it has ended', () => {
    const orb = orbWith({ provider: 7, pin: { provider: 'other', expires_at: at(NOW + HOUR) } });
    const { object, plan } = run(orb);
    expect(conditionOf(object, 'PinValid')).to.include({ status: 'Unknown', reason: 'ManifestInvalid' });
    expect(statusOf(object)).not.to.have.property('failover');
    expect(reasons(plan)).to.deep.equal([]);
    const { object: after } = settle(object, 'failover', failover(NOW + HOUR));
    expect(conditionOf(after, 'PinValid')).to.include({ status: 'True', reason: 'PinExpired' });
    expect(kstatus(after)).to.equal('Failed');
  });

  it('says that the providers are unknown when no version ever was valid', () => {
    const { object, kstatus: verdict } = run(orbWith({ provider: 7 }));
    expect(conditionOf(object, 'ProvidersResolved')).to.include({ status: 'Unknown', reason: 'ManifestInvalid' });
    expect(statusOf(object)).not.to.have.property('failover');
    expect(verdict).to.equal('Failed');
  });
});
