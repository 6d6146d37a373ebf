import { expect } from 'chai';
import { createPrometheusClient, type QueryResult } from '../../../../adapters/prometheus/client.ts';
import type { Sample } from '../../../../adapters/prometheus/vector-stream.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { element, startFakePrometheus, vector, type FakePrometheus } from '../../../support/prometheus.ts';

const NEVER = new AbortController().signal;
const GOOD = vector([element({ q: 'n_2m' }, '1.5', 1), element({ q: 'p50_2m' }, 'NaN', 1)]);
const MIB = 1024 * 1024;

describe('PrometheusClient', () => {
  let prometheus: FakePrometheus;

  beforeEach(async () => {
    prometheus = await startFakePrometheus();
  });
  afterEach(() => prometheus.stop());

  async function ask(
    url = prometheus.url,
    { clock = systemClock, signal = NEVER, deadlineMs = 10_000 } = {},
  ): Promise<{ readonly result: QueryResult; readonly samples: readonly Sample[] }> {
    const client = createPrometheusClient({ connection: { url, headers: {} }, clock });
    const samples: Sample[] = [];
    try {
      const onSample = (sample: Sample): unknown => samples.push(sample);
      return { result: await client.query({ promql: 'up', deadlineMs, onSample }, signal), samples };
    } finally {
      await client.close();
    }
  }

  const why = async (...how: Parameters<typeof ask>): Promise<string> => {
    const { result } = await ask(...how);
    return result.kind === 'unusable' ? result.why : result.kind;
  };

  it('posts the query as a form with the timeout of the server, and hands out each sample', async () => {
    prometheus.answer((response) => response.end(GOOD));
    const { result, samples } = await ask();
    expect(result).to.deep.equal({ kind: 'vector', samples: 2 });
    expect(samples.map(({ labels: { q } }) => q)).to.deep.equal(['n_2m', 'p50_2m']);
    const [query] = prometheus.seen;
    expect([query?.method, query?.path]).to.deep.equal(['POST', '/api/v1/query']);
    expect(query?.headers['content-type']).to.equal('application/x-www-form-urlencoded');
    expect([...(query?.form ?? [])]).to.deep.equal([
      ['query', 'up'],
      ['timeout', '8s'],
    ]);
  });

  it('asks below the path of the address, and for no more time than there is', async () => {
    prometheus.answer((response) => response.end(GOOD));
    expect(await why(`${prometheus.url}/prom/x/`, { deadlineMs: 2000 })).to.equal('vector');
    expect(prometheus.seen[0]?.path).to.equal('/prom/x/api/v1/query');
    expect(prometheus.seen[0]?.form.get('timeout')).to.equal('2s');
  });

  for (const [what, expected, status, body] of [
    ['a bad query', 'http', 400, '{"status":"error","errorType":"bad_data","error":"x"}'],
    ['an error of the server', 'http', 500, 'oops'],
    ['a query that took the server too long', 'timeout', 503, '{"status":"error","errorType":"timeout","error":"x"}'],
    ['a status that says error in a good answer', 'http', 200, '{"status":"error","data":{"result":[]}}'],
    ['an empty result', 'empty', 200, vector([])],
    ['warnings', 'warnings', 200, vector([element({}, '1', 1)], { warnings: ['a store is away'] })],
    ['warnings without a sample', 'warnings', 200, vector([], { warnings: ['a store is away'] })],
    ['a matrix', 'parse', 200, '{"status":"success","data":{"resultType":"matrix","result":[]}}'],
    ['a page of a proxy', 'parse', 200, '<html>Sign in</html>'],
    ['a text that ends too early', 'parse', 200, GOOD.slice(0, -3)],
  ] as const)
    it(`calls ${what} ${expected}`, async () => {
      prometheus.answer((response) => response.writeHead(status).end(body));
      expect(await why()).to.equal(expected);
    });

  it('does not follow a redirect', async () => {
    prometheus.answer((response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect(await why()).to.equal('http');
    expect(prometheus.seen.map(({ path }) => path)).to.deep.equal(['/api/v1/query']);
  });

  it('refuses an answer that the connection cuts', async () => {
    prometheus.answer((response) => {
      response.writeHead(200, { 'content-length': '5000' });
      response.write(GOOD, () => response.destroy());
    });
    expect(await why()).to.equal('http');
  });

  it('refuses an answer of more than 32 MiB', async function () {
    this.timeout(60_000); // that has to pass through a socket and a parser, also beside other tests
    prometheus.answer((response) => {
      response.on('error', () => undefined);
      response.write('{"status":"success","data":{"resultType":"vector","result":[');
      const piece = Buffer.alloc(MIB, ' ');
      const more = (left: number): void => {
        if (left > 0) response.write(piece, () => more(left - 1));
      };
      more(40);
    });
    const { result } = await ask(prometheus.url, { deadlineMs: 60_000 });
    expect(result).to.deep.include({ why: 'parse', detail: 'the answer is larger than 33554432 bytes' });
  });

  it('refuses an answer of more than the caller allows', async () => {
    prometheus.answer((response) => response.end(GOOD));
    const client = createPrometheusClient({ connection: { url: prometheus.url, headers: {} }, clock: systemClock });
    const query = { promql: 'up', deadlineMs: 10_000, onSample: (): void => undefined };
    const kinds = [];
    for (const maxBytes of [GOOD.length, GOOD.length - 1])
      kinds.push((await client.query({ ...query, maxBytes }, NEVER)).kind);
    await client.close();
    expect(kinds).to.deep.equal(['vector', 'unusable']);
  });

  it('names a server that is not there', async () => {
    const { url } = prometheus;
    await prometheus.stop();
    expect((await ask(url)).result).to.deep.equal({ kind: 'unusable', why: 'http', detail: 'no answer: ECONNREFUSED' });
  });

  for (const [what, start] of [
    ['no header', (): void => undefined],
    ['a body that stops', (response: { write: (text: string) => void }): void => response.write(GOOD.slice(0, 40))],
  ] as const)
    it(`gives up after the deadline: ${what}`, async () => {
      const clock = createFakeClock(Date.now());
      const reached = new Promise<void>((resolve) => {
        prometheus.answer((response) => {
          start(response);
          resolve();
        });
      });
      const asking = ask(prometheus.url, { clock });
      await reached;
      await clock.advance(10_000);
      expect((await asking).result).to.deep.include({ kind: 'unusable', why: 'timeout' });
    });

  it('ends without an error when it is aborted', async () => {
    const stopping = new AbortController();
    prometheus.answer(() => stopping.abort(new Error('shutdown')));
    expect((await ask(prometheus.url, { signal: stopping.signal })).result.kind).to.equal('unusable');
    expect((await ask(prometheus.url, { signal: stopping.signal })).result.kind).to.equal('unusable');
  });

  for (const [offset, expected] of [
    [-31_000, 'clock'],
    [-29_000, 'vector'],
    [29_000, 'vector'],
    [32_000, 'clock'],
  ] as const)
    it(`calls a server whose clock is ${offset} ms from ours ${expected}`, async () => {
      const now = 1_800_000_000_000;
      prometheus.answer((response) => {
        response.writeHead(200, { date: new Date(now + offset).toUTCString() }).end(GOOD);
      });
      expect(await why(prometheus.url, { clock: createFakeClock(now) })).to.equal(expected);
    });

  it('has one query at a time on the way', async () => {
    let running = 0;
    let most = 0;
    prometheus.answer((response) => {
      running += 1;
      most = Math.max(most, running);
      setImmediate(() => {
        running -= 1;
        response.end(GOOD);
      });
    });
    const client = createPrometheusClient({ connection: { url: prometheus.url, headers: {} }, clock: systemClock });
    const query = { promql: 'up', deadlineMs: 10_000, onSample: (): void => undefined };
    const results = await Promise.all([1, 2, 3, 4].map(() => client.query(query, NEVER)));
    await client.close();
    expect(results.map(({ kind }) => kind)).to.deep.equal(['vector', 'vector', 'vector', 'vector']);
    expect(most).to.equal(1);
  });
});
