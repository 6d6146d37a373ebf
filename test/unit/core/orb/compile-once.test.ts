import { expect } from 'chai';
import { createCompileOnce } from '../../../../core/orb/compile-once.ts';
import { anOrb, manifestOf } from '../../../support/kube-objects.ts';

describe('createCompileOnce', () => {
  it('compiles a generation once, also when status and pin change', () => {
    const { compile } = createCompileOnce([]);
    const first = compile(anOrb('a'));
    expect(first.kind).to.equal('compiled');
    expect(compile(anOrb('a', { status: { validDigest: 'x' }, metadata: { resourceVersion: '9' } }))).to.equal(first);
  });

  for (const [why, change] of [
    ['another generation', { generation: 2 }],
    ['another object of the name', { uid: 'other' }],
    ['an object of another namespace', { namespace: 'other' }],
  ] as const)
    it(`compiles ${why} anew`, () => {
      const { compile } = createCompileOnce([]);
      const first = compile(anOrb('a'));
      const second = compile(anOrb('a', { metadata: change, spec: { ...manifestOf(), description: 'another' } }));
      expect(second).not.to.equal(first);
      expect(second).to.have.nested.property('orb.manifest.description', 'another');
    });

  it('keeps the findings of a manifest that does not compile', () => {
    const { compile } = createCompileOnce([]);
    const broken = anOrb('a', { spec: { orb_id: 'acme.a@1.0.0' } });
    expect(compile(broken)).to.have.property('kind', 'invalid');
    expect(compile(broken)).to.equal(compile(broken));
  });

  it('forgets an Orb that is gone', () => {
    const { compile, forget } = createCompileOnce([]);
    const first = compile(anOrb('a'));
    forget('acme/b');
    expect(compile(anOrb('a'))).to.equal(first);
    forget('acme/a');
    expect(compile(anOrb('a'))).not.to.equal(first);
  });

  it('takes origins that may be called for what they are', () => {
    const execution = { type: 'http', method: 'GET', url: 'http://127.0.0.1:8080/echo' };
    const orb = anOrb('a', { spec: { ...manifestOf(), execution } });
    expect(createCompileOnce([]).compile(orb).kind).to.equal('invalid');
    expect(createCompileOnce(['http://127.0.0.1:8080']).compile(orb).kind).to.equal('compiled');
  });
});
