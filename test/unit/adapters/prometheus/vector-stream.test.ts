import { expect } from 'chai';
import fc from 'fast-check';
import {
  MalformedAnswer,
  VectorStream,
  type Envelope,
  type Sample,
} from '../../../../adapters/prometheus/vector-stream.ts';
import { element, vector } from '../../../support/prometheus.ts';

interface Read {
  readonly samples: readonly Sample[];
  readonly envelope: Envelope;
}

/** @param size of the pieces, in bytes */
function read(body: string, size = body.length): Read {
  const samples: Sample[] = [];
  const stream = new VectorStream((sample) => samples.push(sample));
  const bytes = Buffer.from(body, 'utf8');
  for (let from = 0; from < bytes.length; from += size) stream.write(bytes.subarray(from, from + size));
  return { samples, envelope: stream.end() };
}

describe('VectorStream', () => {
  it('reads an answer with spaces, members in another order and a result before its type', () => {
    const body = `{ "data" : { "other": [ [1], {"result": [2]} ], "result" : [ { "value": [ 7.5, "1.25" ], "metric": { "q": "n_2m" } } ,
      {"metric":{},"value":[7.5,"2"]} ] , "resultType":"vector" }, "infos": ["x"], "status":"success" }`;
    const { samples, envelope } = read(body);
    expect(samples).to.deep.equal([
      { labels: { q: 'n_2m' }, evaluatedAt: 7.5, value: 1.25 },
      { labels: {}, evaluatedAt: 7.5, value: 2 },
    ]);
    expect(envelope).to.deep.equal({ status: 'success', resultType: 'vector', isPartial: false });
  });

  it('reads the three values that JSON has no number for by their names', () => {
    const { samples } = read(vector(['NaN', '+Inf', '-Inf', '1e-7'].map((text) => element({}, text, 1))));
    expect(samples.map(({ value }) => value)).to.deep.equal([Number.NaN, Infinity, -Infinity, 1e-7]);
  });

  for (const [why, more] of [
    ['Thanos and Mimir warn', { warnings: ['store x is away'] }],
    ['VictoriaMetrics has its own member', { isPartial: true }],
  ] as const)
    it(`tells partial data: ${why}`, () => {
      expect(read(vector([element({}, '1', 1)], more)).envelope.isPartial).to.equal(true);
    });

  it('ignores infos and an empty list of warnings', () => {
    expect(read(vector([element({}, '1', 1)], { infos: ['not a counter'], warnings: [] })).envelope.isPartial).to.equal(
      false,
    );
  });

  for (const [why, body] of [
    ['an answer that is cut inside an element', vector([element({ a: 'b' }, '1', 1)]).slice(0, -20)],
    [
      'an answer that is cut behind an element',
      '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}',
    ],
    ['an answer that is cut behind the result', '{"status":"success","data":{"resultType":"vector","result":[]'],
    ['no JSON', '<html>503</html>'],
    ['another JSON value', '[]'],
    ['nothing', ''],
    ['a scalar', '{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}'],
    ['an element without labels', '{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"1"]}]}}'],
    ['a label that is no text', vector([{ metric: { a: 1 }, value: [1, '1'] }])],
    ['a value that is a number', vector([{ metric: {}, value: [1, 1] }])],
    ['an empty value', vector([element({}, '', 1)])],
    ['a value that is no number', vector([element({}, 'nan', 1)])],
    ['a range vector', vector([{ metric: {}, values: [[1, '1']] }])],
  ] as const)
    it(`refuses ${why}`, () => {
      expect(() => read(body)).to.throw(MalformedAnswer);
    });

  it('reads the same whatever the pieces are', () => {
    const labels = fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' }), { maxKeys: 4, noNullPrototype: true });
    const elements = fc.array(fc.record({ metric: labels, value: fc.tuple(fc.integer(), fc.constant('2.5')) }));
    fc.assert(
      fc.property(elements, fc.integer({ min: 1, max: 70 }), (result, size) => {
        const body = vector(result, { warnings: ['[{"'] });
        const expected = result.map(({ metric, value: [at] }) => ({ labels: metric, evaluatedAt: at, value: 2.5 }));
        const { samples, envelope } = read(body, size);
        expect(samples).to.deep.equal(expected);
        expect(envelope.isPartial).to.equal(true);
      }),
    );
  });

  it('throws nothing but MalformedAnswer, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.integer({ min: 1, max: 9 }), (body, size) => {
        try {
          read(body, size);
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedAnswer);
        }
      }),
    );
  });
});
