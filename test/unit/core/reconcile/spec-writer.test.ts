import { expect } from 'chai';
import { specWriterIn, specWriterOf } from '../../../../core/reconcile/spec-writer.ts';
import { aPolicyObject } from '../../../support/policies-in-force.ts';

const entry = (manager: string, time: string, fields: object = { 'f:spec': { 'f:mode': {} } }): object => ({
  manager,
  operation: 'Apply',
  time,
  fieldsV1: fields,
});

describe('the writer of a spec', () => {
  const [old, late] = [entry('kubectl', '2026-01-01T00:00:00Z'), entry('argocd', '2026-01-02T00:00:00Z')];
  const status = { ...entry('orb-operator', '2026-01-03T00:00:00Z', { 'f:status': {} }), subresource: 'status' };
  const rows: readonly (readonly [string, readonly unknown[], string | undefined])[] = [
    ['is the manager that wrote a part of it last', [old, late, status], 'argocd'],
    ['is not one that wrote labels alone', [entry('labels', '2026-01-04T00:00:00Z', { 'f:metadata': {} })], undefined],
    ['is nobody in an object that names nobody', [], undefined],
    ['is found among entries of another shape', ['kubectl', null, { manager: 7 }, old], 'kubectl'],
  ];
  for (const [why, managedFields, writer] of rows)
    it(why, () => expect(specWriterOf(aPolicyObject(1, {}, { managedFields }))).to.equal(writer));

  it('is kept without the fields that it wrote', () => {
    expect(specWriterIn(old)).to.deep.equal({
      manager: 'kubectl',
      time: '2026-01-01T00:00:00Z',
      fieldsV1: { 'f:spec': {} },
    });
  });
});
