import { expect } from 'chai';
import fc from 'fast-check';
import { planRoleBinding } from '../../../core/orbiset/plan-role-binding.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { conditionOf } from '../../../core/reconcile/read-object.ts';
import { claimOf } from '../../../core/orb/plan-holder.ts';
import { planFailover } from '../../../core/orb/plan-failover.ts';
import { judgeManifest } from '../../../core/orb/plan-manifest.ts';
import { planOrb, type OrbSnapshot } from '../../../core/orb/plan-orb.ts';
import { planOrbiset } from '../../../core/orbiset/plan-orbiset.ts';
import { planPublication } from '../../../core/publication/plan-publication.ts';
import { ORB_INDEXES } from '../../../operator/kinds/orb/indexes.ts';
import { ORBISET_INDEXES } from '../../../operator/kinds/orbiset/indexes.ts';
import { settle } from '../../support/check-plan.ts';
import { aMoment } from '../../support/failover-moment.ts';
import { anOrb, anOrbiset, aPublication, manifestOf, swappable } from '../../support/kube-objects.ts';

const API = { platformNamespace: 'orb-system', apiAccount: 'orb-api' };
const NOW = Date.parse('2026-02-01T10:00:00Z');

/** Any JSON, often under the names that the reconcilers read. */
const json = fc.jsonValue({ maxDepth: 4 });
const named = fc.dictionary(
  fc.constantFrom(
    'orb_id',
    'pin',
    'provider',
    'vault',
    'orbs',
    'suspended',
    'manifest',
    'swap_config',
    'providers',
    'execution',
  ),
  json,
);
const broken = fc
  .dictionary(fc.constantFrom(...Object.keys(manifestOf(swappable)), 'pin'), json)
  .map((members) => manifestOf({ ...swappable, ...members }));
const spec = fc.oneof(json, named, broken);
const status = fc.oneof(
  json,
  fc.dictionary(
    fc.constantFrom('conditions', 'failover', 'validDigest', 'lastValid', 'observedGeneration', 'vault'),
    json,
  ),
);
const annotations = fc.option(fc.dictionary(fc.constantFrom('orbs.dev/reconcile-at'), fc.string()), { nil: undefined });
const parts = fc.record({ spec, status, annotations });

const object = (
  make: typeof anOrb,
  {
    spec: anySpec,
    status: anyStatus,
    annotations: given,
  }: { spec: unknown; status: unknown; annotations: Record<string, string> | undefined },
): KubeObject =>
  make('poison', {
    spec: anySpec,
    status: anyStatus,
    ...(given === undefined ? {} : { metadata: { annotations: given } }),
  });

const snapshot = (orb: KubeObject): OrbSnapshot => ({
  orb,
  orbisets: [],
  duplicates: [orb, anOrb('a', { spec: orb.spec })].flatMap((duplicate) => claimOf(duplicate, false) ?? []),
  manifest: judgeManifest(orb, []),
});

describe('plans for any JSON (security.md S29)', () => {
  it('say something documented of any Orb, and nothing new at the second reconcile', () => {
    fc.assert(
      fc.property(parts, (made) => {
        const alone = (orb: KubeObject): OrbSnapshot => ({ ...snapshot(orb), duplicates: [] });
        const { object: judged } = settle(object(anOrb, made), 'orb-operator', (orb) => planOrb(alone(orb), NOW));
        const { kstatus } = settle(judged, 'failover', (orb) => planFailover(alone(orb), aMoment(NOW)));
        expect(kstatus).to.be.oneOf(['Current', 'Failed']);
        planOrb(snapshot(judged), NOW);
      }),
    );
  });

  it('say something documented of any Orbiset', () => {
    fc.assert(
      fc.property(parts, (made) => {
        const around = { ...API, mode: 'operator', bindings: [], unknownOrbs: [] } as const;
        const { object: after, kstatus } = settle(object(anOrbiset, made), 'orb-operator', (orbiset) =>
          planOrbiset({ ...around, orbiset }, NOW),
        );
        expect(conditionOf(after, 'Ready')?.status).to.be.oneOf(['False', 'Unknown']);
        expect(kstatus).to.be.oneOf(['InProgress', 'Failed']);
      }),
    );
  });

  it('say something documented of any publication', () => {
    fc.assert(
      fc.property(parts, (made) => {
        const { kstatus } = settle(object(aPublication, made), 'orb-operator', (publication) =>
          planPublication({ publication, duplicates: [], allowedOrigins: [] }, NOW),
        );
        expect(kstatus).to.be.oneOf(['InProgress', 'Failed']);
      }),
    );
  });

  it('touch no RoleBinding of any shape that the operator did not make', () => {
    fc.assert(
      fc.property(json, json, (subjects, roleRef) => {
        const binding = { ...anOrb('orb-vault-reader'), kind: 'RoleBinding', subjects, roleRef };
        const orbisets = [anOrbiset('one')];
        const plan = planRoleBinding({ namespace: 'acme', ...API, orbisets, binding });
        expect(plan.kind).to.equal('foreign');
      }),
    );
  });

  it('index any object without an exception', () => {
    fc.assert(
      fc.property(parts, (made) => {
        const orb = object(anOrb, made);
        for (const index of [...Object.values(ORB_INDEXES), ...Object.values(ORBISET_INDEXES)]) {
          for (const value of index(orb)) expect(value).to.be.a('string');
        }
      }),
    );
  });
});
