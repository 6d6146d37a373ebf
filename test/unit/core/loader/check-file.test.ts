import { expect } from 'chai';
import { checkFile, type CheckedFile } from '../../../../core/loader/check-file.ts';
import { checkDocument } from '../../../../core/manifest/documents.ts';
import type { Finding } from '../../../../core/manifest/finding.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { aManifest } from '../manifest/a-manifest.ts';

const located = (findings: readonly Finding[]): readonly Finding[] =>
  findings.map((finding) => ({ ...finding, line: 7 }));

function check(...values: readonly JsonObject[]): CheckedFile {
  const documents = values.flatMap((value) => {
    const checked = checkDocument(value);
    return checked.ok ? [{ resource: checked.value, withPlaces: located }] : [];
  });
  expect(documents).to.have.length(values.length);
  const parsed = { documents, findings: [], broken: false };
  return checkFile('a.yaml', parsed, { namespace: 'team', allowedOrigins: ['http://127.0.0.1:9000'] });
}

describe('checkFile', () => {
  it('gives every manifest of the file with the name of its Orb and its digest', () => {
    const { manifests, claims } = check(aManifest(), aManifest({}, { orb_id: 'acme.Other@2.0.0' }));
    expect(manifests.map(({ name, orbId }) => [name, orbId])).to.deep.equal([
      ['acme.echo-1.0.0', 'acme.echo@1.0.0'],
      ['acme.other-2.0.0-5e67ef0f', 'acme.Other@2.0.0'],
    ]);
    expect(manifests[0]?.digest).to.match(/^sha256:/);
    expect(claims).to.deep.equal([]);
  });

  it('claims the name of a manifest that is not valid, and says where and what is wrong', () => {
    const { manifests, claims, findings } = check(aManifest({ url: 'http://orbs.example/run' }));
    expect(manifests).to.deep.equal([]);
    expect(claims).to.deep.equal(['acme.echo-1.0.0']);
    expect(findings.map(({ code, pointer, line }) => [code, pointer, line])).to.deep.equal([
      ['manifest-url-not-https', '/execution/url', 7],
    ]);
  });

  it('accepts an excepted origin', () => {
    expect(check(aManifest({ url: 'http://127.0.0.1:9000/run' })).manifests).to.have.length(1);
  });

  it('refuses documents with a kind, and tells what to do with them', () => {
    const metadata = { name: 'a' };
    const base = { apiVersion: 'orbs.dev/v1alpha1', metadata };
    const { manifests, claims, broken, findings } = check(
      { ...base, kind: 'Orb', spec: aManifest() },
      { ...base, kind: 'Orbiset', spec: {} },
    );
    expect({ manifests, claims, broken }).to.deep.equal({ manifests: [], claims: [], broken: true });
    expect(findings.map(({ code, severity }) => [code, severity])).to.deep.equal([
      ['loader-bare-manifests-only', 'error'],
      ['loader-bare-manifests-only', 'error'],
    ]);
  });
});
