import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeSource } from '../../../../../core/ingestion/source/judge-source.ts';
import { isJsonObject } from '../../../../../core/json/json-value.ts';
import { parseDocuments } from '../../../../../core/manifest/parse-text.ts';

const FOLDER = join(import.meta.dirname, '../../../../../manifests/kubernetes/sources');

describe('the example sources', () => {
  for (const file of readdirSync(FOLDER))
    it(`${file} is valid`, () => {
      const [parsed, ...more] = parseDocuments(readFileSync(join(FOLDER, file), 'utf8'), 'yaml');
      const value = parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : {};
      const { apiVersion, kind, spec } = value;
      expect([apiVersion, kind, more.length]).to.deep.equal(['orbs.dev/v1alpha1', 'OrbSignalSource', 0]);
      const metadata = { name: 'example', namespace: 'acme' };
      const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata, spec };
      expect(judgeSource(object, 'orb-system').findings).to.deep.equal([]);
    });

  it('are more than one', () => {
    expect(readdirSync(FOLDER).length).to.be.greaterThan(1);
  });
});
