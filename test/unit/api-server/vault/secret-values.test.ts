import { inspect } from 'node:util';
import { expect } from 'chai';
import { sealed, SecretValues, valuesOf } from '../../../../api-server/vault/secret-values.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'mail',
    namespace: 'acme',
    uid: 'u1',
    resourceVersion: '7',
    annotations: { note: base64('canary') },
  },
  data: { TOKEN: base64('canary'), EMPTY: '', ODD: 7, BROKEN: '!' },
};

describe('SecretValues (security.md S8)', () => {
  it('keeps the decoded values out of sight of printing, JSON and freezing', () => {
    const object = sealed(secret);
    const shown = [JSON.stringify(object), inspect(object, { depth: 9, showHidden: true })];
    for (const text of shown) expect(text).to.not.match(/canary|Y2FuYXJ5|99, 97, 110/);
    Object.freeze(valuesOf(object));
    const read = [...(valuesOf(object)?.read() ?? [])].map(([key, value]) => [key, Buffer.from(value).toString()]);
    expect(read).to.deep.equal([
      ['TOKEN', 'canary'],
      ['EMPTY', ''],
    ]);
  });

  it('keeps of a Secret its name, its identity and its version, and of one without them nothing more', () => {
    const { metadata } = sealed(secret);
    expect(metadata).to.deep.equal({ name: 'mail', namespace: 'acme', uid: 'u1', resourceVersion: '7' });
    expect(sealed({ ...secret, metadata: { name: 'mail' } }).metadata).to.deep.equal({ name: 'mail' });
  });

  it('keeps the values as long as one of several uses them', () => {
    const values = new SecretValues({ TOKEN: base64('canary') });
    const bytes = values.hold().hold().read().get('TOKEN');
    values.retire();
    values.release();
    expect(Buffer.from(bytes ?? []).toString()).to.equal('canary');
    values.release();
    expect(values.read().size).to.equal(0);
  });

  it('overwrites the values when the Secret has changed and nobody uses them', () => {
    const values = new SecretValues({ TOKEN: base64('canary') });
    const bytes = values.hold().read().get('TOKEN');
    values.retire();
    expect(Buffer.from(bytes ?? []).toString()).to.equal('canary');
    values.release();
    expect([...(bytes ?? [])]).to.deep.equal([0, 0, 0, 0, 0, 0]);
    expect(values.read().size).to.equal(0);
  });

  it('does not overwrite what is still the newest version', () => {
    const values = new SecretValues({ TOKEN: base64('canary') });
    values.hold().release();
    expect(Buffer.from(values.read().get('TOKEN') ?? []).toString()).to.equal('canary');
  });
});
