import { expect } from 'chai';
import { compileSource } from '../../../../../core/ingestion/source/compile-source.ts';
import { customBlock } from '../../../../../core/ingestion/source/custom-block.ts';
import { checkDocument } from '../../../../../core/manifest/documents.ts';
import { CUSTOM_BLOCKS } from '../../../../../core/ingestion/vendors/vendors.ts';
import { parseDocuments } from '../../../../../core/manifest/parse-text.ts';

const secretRefs = [{ name: 'hook', key: 'current' }];

describe('a ready block', () => {
  for (const [name, template] of Object.entries(CUSTOM_BLOCKS)) {
    const { auth, ...block } = customBlock(template);
    const spec = { ...block, auth: { ...auth, secretRefs } };

    it(`of ${name} is a spec that the schema knows`, () => {
      const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata: { name } };
      const [parsed] = parseDocuments(JSON.stringify({ ...envelope, spec }), 'json');
      expect(checkDocument(parsed?.ok === true ? parsed.value : null).findings).to.deep.equal([]);
    });

    it(`of ${name} compiles to the scheme and the mapping of the block`, () => {
      const result = compileSource(spec, false);
      expect(result.ok ? [] : result.findings).to.deep.equal([]);
      const { scheme, mapping } = result.ok ? result.source : { scheme: undefined, mapping: undefined };
      expect([scheme, mapping?.mapping]).to.deep.equal([template.scheme, template.mapping]);
    });
  }
});
