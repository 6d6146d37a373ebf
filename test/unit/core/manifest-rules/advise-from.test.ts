import { expect } from 'chai';
import { adviseFrom } from '../../../../core/manifest-rules/advise-from.ts';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { aManifest } from '../manifest/a-manifest.ts';

describe('a wrong from of an output says which pointer to write:', () => {
  const rows: readonly (readonly [from: string, suggestion: string | undefined])[] = [
    ['ts', '/body/ts'],
    ['/ts', '/body/ts'],
    ['body', '/body'],
    ['body/ts', '/body/ts'],
    ['body.ts', '/body/ts'],
    ['/boddy/ts', '/body/ts'],
    ['data.items[0].id', '/body/data/items/0/id'],
    ['$.data.ts', '/body/data/ts'],
    ["$['data']['ts']", '/body/data/ts'],
    ['#/data/ts', '/body/data/ts'],
    ['/status/code', '/status'],
    ['status', '/status'],
    ['header/x-id', '/headers/x-id'],
    ['headers.x-id', '/headers/x-id'],
    ['/body//ts', undefined],
    ['', undefined],
    ['/~2', undefined],
    ['{{body.ts}}', undefined],
    ['a'.repeat(200), undefined],
  ];
  for (const [from, suggestion] of rows)
    it(`${JSON.stringify(from.slice(0, 40))}: ${suggestion ?? 'the forms alone'}`, () => {
      const advice = adviseFrom(from);
      expect(advice.suggestion).to.equal(suggestion);
      expect(advice.detail).to.equal(
        `Write a JSON Pointer into the answer: /status, /headers/NAME or /body/…${suggestion === undefined ? '' : `: here ${suggestion}`}.`,
      );
    });

  for (const from of ['ts', '/ts'])
    it(`in the findings about ${from}, whichever check refuses it`, () => {
      const { findings } = checkManifest(aManifest({}, { outputs: { ts: { from } } }), { allowedOrigins: [] });
      expect(findings.map(({ pointer, suggestion }) => [pointer, suggestion])).to.deep.equal([
        ['/outputs/ts/from', '/body/ts'],
      ]);
      expect(findings[0]?.detail).to.include('here /body/ts.');
    });

  it('in the outputs of a provider', () => {
    const providers = { b: { execution: { url: 'https://b.example/' }, outputs: { ts: { from: 'data.ts' } } } };
    const manifest = aManifest({}, { outputs: { ts: {} }, providers });
    expect(checkManifest(manifest, { allowedOrigins: [] }).findings[0]).to.include({
      pointer: '/providers/b/outputs/ts/from',
      suggestion: '/body/data/ts',
    });
  });
});
