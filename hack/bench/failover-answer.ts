// Answers each query of the swap loop as Prometheus does, without computing anything. The first argument is the number
// of healthy Orbs: it may be more than a Prometheus on two cores and a few GB can hold. Prints its port.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { metricsQuery } from '../../adapters/prometheus/expressions.ts';
import { PROVIDERS, syntheticOrbs } from './failover/synthetic-orbs.ts';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

const orbs = syntheticOrbs(Number(process.argv[2]));
const query = metricsQuery('query', { quantiles: new Set([0.95] as const), base: true });
const names = [...query.matchAll(/, "q", "([a-z0-9_]+)", "", ""\)/g)].map(([, name = '']) => name);

/** @param now seconds */
function valueOf(name: string, now: number): number {
  if (name === 'age') return 8;
  if (name === 'last') return now - 10;
  if (/^(?:bad_|breaker|transport)/.test(name)) return 0;
  return /p\d\d/.test(name) ? 0.2621739130434783 : 40.1;
}

/** No spaces, labels in order. */
function* answer(): Generator<string> {
  const now = Date.now() / 1000;
  const values = names.map((name) => [name, `"value":[${now.toFixed(3)},"${valueOf(name, now)}"]`] as const);
  let separator = '';
  yield '{"status":"success","data":{"resultType":"vector","result":[';
  for (const { namespace, orbId } of orbs) {
    const orb = `"orb_id":"${orbId}","orb_namespace":"${namespace}"`;
    const rows = values.flatMap(([name, value]) =>
      (name === 'age' ? [''] : PROVIDERS.map((provider) => `,"provider":"${provider}"`)).map(
        (provider) => `{"metric":{${orb}${provider},"q":"${name}"},${value}}`,
      ),
    );
    yield `${separator}${rows.join(',')}`;
    separator = ',';
  }
  yield ']}}';
}

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' });
  pipeline(Readable.from(answer()), response).catch((error: unknown) => console.error(error));
});
const port = await listenOnLoopback(server);
process.stdout.write(`${JSON.stringify({ port })}\n`);
