import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { jcs } from '../../../../core/json/jcs.ts';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { digestOfText } from '../../../../core/manifest/digest.ts';
import { parseDocuments } from '../../../../core/manifest/parse-text.ts';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { json } from './a-manifest.ts';

const digest = (value: JsonValue): string => digestOfText(jcs(value));

describe('digestOfText', () => {
  it('gives the manifest of the receipt vectors the digest that they state', async () => {
    const vectors = await readFile(new URL('../../../vectors/receipt.json', import.meta.url), 'utf8');
    const document = json(vectors);
    const manifest = isJsonObject(document) ? (document['manifest'] ?? null) : null;
    expect(checkManifest(manifest, { allowedOrigins: [] }).ok).to.equal(true);
    expect(digest(manifest)).to.equal('sha256:b7da8ac1cd1248473f76044b4321246d260713738cb79615105061dbe5c37aa7');
  });

  it('is one for all ways of writing a manifest', () => {
    const texts = ['{"b":1.0,"a":"é"}', '{ "a": "\\u00e9", "b": 1 }', 'b: 1\na: é\n', '# x\n{b: 10e-1, a: "\\xe9"}'];
    const digests = texts.flatMap((text, index) =>
      parseDocuments(text, index < 2 ? 'json' : 'yaml').map((document) => (document.ok ? digest(document.value) : '')),
    );
    expect([...new Set(digests)]).to.have.lengthOf(1);
    expect(digests).to.have.lengthOf(4);
  });

  it('is of UTF-8 bytes', () => {
    expect(digestOfText('é')).to.equal('sha256:4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});
