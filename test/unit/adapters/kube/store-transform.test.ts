import { expect } from 'chai';
import { withoutUnusedFields } from '../../../../adapters/kube/store-transform.ts';
import { anOrb } from '../../../support/kube-objects.ts';

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
