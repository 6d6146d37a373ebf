import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseDocuments } from '../../../../core/manifest/parse-text.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { aManifest, briefs, mail, without } from '../manifest/a-manifest.ts';

describe('checkManifest', () => {
  it('accepts the mail example with the members of the specification alone', () => {
    expect(checkManifest(mail, { allowedOrigins: [] })).to.deep.equal({ ok: true, value: mail, findings: [] });
  });

  it('accepts a manifest without type, method and description', () => {
    const { ok } = checkManifest(without(aManifest(), 'description'), { allowedOrigins: [] });
    expect(ok).to.equal(true);
  });

  it('gives the very value back, nothing filled in', () => {
    const result = checkManifest(mail, { allowedOrigins: [] });
    expect(result.ok && result.value).to.equal(mail);
  });

  it('never throws, whatever the value, and never accepts with an error', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(...Object.keys(mail)), (value, name) => {
        const parsed = readJson(new TextEncoder().encode(JSON.stringify(value)));
        if (!parsed.ok) return;
        const result = checkManifest({ ...mail, [name]: parsed.value }, { allowedOrigins: [] });
        expect(result.ok).to.equal(result.findings.every(({ severity }) => severity !== 'error'));
      }),
    );
  });

  it('finds nothing to say about the examples', async () => {
    for (const name of ['mail', 'echo']) {
      const text = await readFile(new URL(`../../../../manifests/${name}.yaml`, import.meta.url), 'utf8');
      const [document] = parseDocuments(text, 'yaml');
      expect(document?.ok === true && briefs(document.value)).to.deep.equal([]);
    }
  });
});
