import { expect } from 'chai';
import {
  annotationsOf,
  isApplied,
  membersOf,
  pinAnnotationOf,
  type FileResource,
} from '../../../../core/files/file-object.ts';
import { aPin, objectFrom, orbDocument, orbisetDocument, secretDocument } from '../../../support/file-documents.ts';

const digest = (resource: FileResource): string | undefined =>
  annotationsOf({ file: 'a.yaml', resource })['orbs.dev/file-digest'];

describe('the object of a document', () => {
  it('has no digest of the values of a Secret', () => {
    const resource = secretDocument('s', 'top secret');
    expect(annotationsOf({ file: 'a.yaml', resource })).to.deep.equal({ 'orbs.dev/file': 'a.yaml' });
  });

  it('holds the values of a Secret in base64', () => {
    expect(membersOf(secretDocument('s', 'x'))).to.deep.equal({ data: { TOKEN: 'eA==' } });
  });

  it('has a digest that does not depend on the order of members, nor on the pin', () => {
    const [one, other] = [orbisetDocument('a', { a: 1, b: 2 }), orbisetDocument('a', { b: 2, a: 1 })];
    expect(digest(one))
      .to.equal(digest(other))
      .and.match(/^sha256:/);
    expect(digest(orbDocument('a', aPin('main')))).to.equal(digest(orbDocument('a')));
    expect(digest(orbDocument('a'))).not.to.equal(digest(orbDocument('b')));
  });

  it('has another digest with other labels, and the same as ever without any', () => {
    const policy: FileResource = { kind: 'OrbPolicy', namespace: 'default', name: 'limits', spec: { mode: 'Audit' } };
    const labels = (tier: string): FileResource => ({ ...policy, labels: { tier } });
    expect(digest(labels('prod'))).not.to.equal(digest(labels('test')));
    expect(digest(policy)).to.equal(digest(orbisetDocument('limits', { mode: 'Audit' })));
    expect(membersOf(labels('prod'))).to.deep.equal({ spec: { mode: 'Audit' } });
  });

  it('has a spec without the pin', () => {
    expect(membersOf(orbDocument('a', aPin('main')))).to.have.nested.property('spec.orb_id', 'acme.a@1.0.0');
    expect(membersOf(orbDocument('a', aPin('main')))).not.to.have.nested.property('spec.pin');
  });

  it('is not applied before its pin is', () => {
    const document = { file: 'a.yaml', resource: orbDocument('a', aPin('main')) };
    const object = objectFrom('a.yaml', orbDocument('a'));
    expect(isApplied(object, document)).to.equal(false);
    const { metadata, ...rest } = object;
    const annotations = { ...metadata.annotations, ...pinAnnotationOf('another') };
    expect(isApplied({ ...rest, metadata: { ...metadata, annotations } }, document)).to.equal(false);
    expect(isApplied(objectFrom('a.yaml', document.resource), document)).to.equal(true);
    expect(isApplied(objectFrom('b.yaml', document.resource), document)).to.equal(false);
    expect(isApplied(undefined, document)).to.equal(false);
  });
});
