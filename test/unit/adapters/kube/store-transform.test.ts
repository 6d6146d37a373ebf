import { expect } from 'chai';
import { withoutUnusedFields } from '../../../../adapters/kube/store-transform.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createStore } from '../../../../adapters/kube/store.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { recordingLogger } from '../../../support/kube/recorders.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anOrb, manifestOf } from '../../../support/kube-objects.ts';

describe('withoutUnusedFields', () => {
  const former = { manager: 'orb-operator-failover', operation: 'Apply', subresource: 'status' };
  const rows: readonly (readonly [string, object, readonly unknown[] | undefined])[] = [
    ['keeps the name of a former manager of the status, without its fields', former, [former]],
    ['drops a manager of the whole object with that name', { ...former, subresource: '' }, undefined],
    ['drops what a manager with that name wrote by another operation', { ...former, operation: 'Update' }, undefined],
    ['drops the manager that writes the status now', { ...former, manager: 'orb-operator' }, undefined],
  ];
  for (const [why, entry, expected] of rows) {
    it(why, () => {
      const managedFields = [{ ...entry, fieldsV1: { 'f:status': { 'f:failover': {} } } }];
      const { metadata } = withoutUnusedFields(anOrb('echo', { metadata: { managedFields } }));
      expect(metadata.managedFields).to.deep.equal(expected);
    });
  }
});

describe('the spec of an object that a store takes in', () => {
  const rows: readonly (readonly [string, Partial<KubeObject['metadata']>, unknown, boolean])[] = [
    ['is the known one when only the status changed', {}, manifestOf(), true],
    ['is the new one after an edit', { generation: 2 }, manifestOf({ description: 'Edited.' }), false],
    ['is the new one of the same generation after a restored backup', {}, manifestOf({ description: 'Other.' }), false],
  ];
  for (const [why, metadata, spec, isKnown] of rows) {
    it(why, () => {
      const store = createStore({
        kind: KINDS.orb,
        clock: createFakeClock(0),
        logger: recordingLogger(),
        freeze: true,
      });
      const before = anOrb('echo');
      store.put(before);
      store.put(
        anOrb('echo', { metadata: { resourceVersion: '2', ...metadata }, spec, status: { observedGeneration: 1 } }),
      );
      const after = store.get('acme/echo');
      expect(after?.spec).to.deep.equal(spec);
      expect(after?.spec === before.spec).to.equal(isKnown);
      expect(after?.status).to.deep.equal({ observedGeneration: 1 });
    });
  }
});
