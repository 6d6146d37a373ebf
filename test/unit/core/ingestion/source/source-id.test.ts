import { expect } from 'chai';
import { hmacSha256 } from '../../../../../adapters/keys/primitives.ts';
import { sourceIdOf } from '../../../../../core/ingestion/source/source-id.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);
const PATH = { namespace: 'acme', name: 'grafana-prod', pathEpoch: 1 };

describe('the id of a source', () => {
  it('is 130 bits of the HMAC of namespace, name and epoch', () => {
    // HMAC-SHA256(00…1f, "acme/grafana-prod/1") in Crockford's base32, computed by another program.
    expect(sourceIdOf(KEY, PATH, hmacSha256)).to.equal('src_gkhg65vq1h3bnkw7vc193906nw');
  });

  const others: readonly (readonly [string, Parameters<typeof sourceIdOf>[1]])[] = [
    ['another namespace', { ...PATH, namespace: 'globex' }],
    ['another name', { ...PATH, name: 'grafana' }],
    ['another epoch', { ...PATH, pathEpoch: 2 }],
  ];
  for (const [why, path] of others)
    it(`is another one with ${why}`, () => {
      const id = sourceIdOf(KEY, path, hmacSha256);
      expect(id).to.match(/^src_[0-9a-z]{26}$/);
      expect(id).not.to.equal(sourceIdOf(KEY, PATH, hmacSha256));
    });

  it('is another one with another key', () => {
    expect(sourceIdOf(new Uint8Array(32), PATH, hmacSha256)).not.to.equal(sourceIdOf(KEY, PATH, hmacSha256));
  });
});
