import { expect } from 'chai';
import type { ValueType } from '../../../../crds/manifest.ts';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { aManifest } from '../manifest/a-manifest.ts';

describe('a default of the wrong type says which literal to write:', () => {
  const rows: readonly (readonly [value: JsonValue, type: ValueType, advice: string])[] = [
    ['5', 'integer', 'write 5 without quotes'],
    ['-0.5', 'number', 'write -0.5 without quotes'],
    ['5.5', 'integer', 'write a whole number without quotes'],
    ['five', 'integer', 'write a whole number without quotes, such as 5'],
    ['true', 'boolean', 'write true without quotes'],
    ['yes', 'boolean', 'write true or false'],
    [5, 'string', 'write "5"'],
    [false, 'string', 'write "false"'],
    [1.5, 'string', 'write text in quotes'],
    [5.5, 'integer', 'write a whole number'],
    ['{}', 'object', 'write an object, such as {}'],
    ['a, b', 'array', 'write a list, such as []'],
  ];
  for (const [value, type, advice] of rows)
    it(`${JSON.stringify(value)} for ${type}`, () => {
      const manifest = aManifest({ headers: { 'X-A': '{{inputs.a}}' } }, { inputs: { a: { type, default: value } } });
      const { findings } = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
      const finding = findings.find(({ code }) => code === 'manifest-default-type');
      expect(finding?.detail).to.include(`type ${type}: ${advice}`);
      expect(finding?.pointer).to.equal('/inputs/a/default');
    });
});
