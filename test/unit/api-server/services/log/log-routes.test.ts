import { expect } from 'chai';
import { logRoutes } from '../../../../../api-server/services/log/log-routes.ts';
import vectors from '../../../../vectors/merkle.json' with { type: 'json' };
import { startApp, type TestApp } from '../../../../support/api-app.ts';

const SIZE = vectors.checkpoint.size;
const bytes = (proof: readonly string[]): readonly Uint8Array[] => proof.map((hash) => Buffer.from(hash, 'base64'));

/** The log of the vectors: 16 entries and one checkpoint over them. */
const log = {
  checkpoint: () => Promise.resolve({ size: SIZE, note: vectors.checkpoint.note }),
  inclusionProof: (index: number, size: number) => {
    const found = vectors.inclusion.find((item) => item.index === index && item.size === size);
    return found ? Promise.resolve(bytes(found.proof)) : Promise.reject(new RangeError('out of the tree'));
  },
  consistencyProof: (first: number, second: number) => {
    const found = vectors.consistency.find((item) => item.first === first && item.second === second);
    return found ? Promise.resolve(bytes(found.proof)) : Promise.reject(new RangeError('out of the tree'));
  },
};

describe('logRoutes', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp(logRoutes(log));
  });
  after(() => app.close());

  it('serves the newest checkpoint as text that may not be reused unasked', async () => {
    const answer = await app.call('GET', '/log/checkpoint', { key: null });
    expect(answer.value).to.equal(vectors.checkpoint.note);
    expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(answer.headers.get('cache-control')).to.equal('no-cache');
  });

  it('serves every inclusion proof of the vectors', async () => {
    for (const { index, size, proof } of vectors.inclusion.filter((item) => item.size > 12)) {
      const answer = await app.call('GET', `/log/inclusion?index=${index}&size=${size}`, { key: null });
      expect(answer.value).to.deep.equal({ index, size, proof });
    }
  });

  it('serves every consistency proof of the vectors', async () => {
    for (const { first, second, proof } of vectors.consistency.filter((item) => item.second > 12)) {
      const answer = await app.call('GET', `/log/consistency?first=${first}&second=${second}`, { key: null });
      expect(answer.value).to.deep.equal({ first, second, proof });
    }
  });

  it('lets a proof be kept: it never changes', async () => {
    const answer = await app.call('GET', '/log/inclusion?index=0&size=1', { key: null });
    expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
  });

  const refused: [string, string, readonly string[]][] = [
    ['no parameters', '/log/inclusion', ['size', 'index']],
    ['an index at the size', '/log/inclusion?index=3&size=3', ['index']],
    ['a size beyond the newest checkpoint', `/log/inclusion?index=0&size=${SIZE + 1}`, ['size']],
    ['size 0', '/log/inclusion?index=0&size=0', ['size']],
    ['a negative index', '/log/inclusion?index=-1&size=3', ['index']],
    ['a number beyond 2^53', '/log/inclusion?index=0&size=99999999999999999999', ['size']],
    ['a size twice', '/log/inclusion?index=0&size=1&size=2', ['size']],
    ['first 0', '/log/consistency?first=0&second=3', ['first']],
    ['first beyond second', '/log/consistency?first=4&second=3', ['first']],
    ['second beyond the newest checkpoint', `/log/consistency?first=1&second=${SIZE + 1}`, ['second']],
  ];
  for (const [why, path, parameters] of refused) {
    it(`refuses ${why}, by name`, async () => {
      const { status, code, value } = await app.call('GET', path, { key: null });
      expect([status, code]).to.deep.equal([400, 'invalid-parameter']);
      const errors = typeof value === 'object' && value !== null && 'errors' in value ? value.errors : [];
      expect(Array.isArray(errors) ? errors.map((error: { parameter?: string }) => error.parameter) : []).to.deep.equal(
        parameters,
      );
    });
  }

  it('has nothing to serve before the first checkpoint', async () => {
    const empty = await startApp(logRoutes({ ...log, checkpoint: () => Promise.resolve(undefined) }));
    for (const path of ['/log/checkpoint', '/log/inclusion?index=0&size=1', '/log/consistency?first=1&second=1']) {
      const answer = await empty.call('GET', path, { key: null });
      expect([answer.status, answer.code, answer.headers.get('retry-after')]).to.deep.equal([
        404,
        'checkpoint-pending',
        '1',
      ]);
    }
    await empty.close();
  });
});
