import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { serveMetrics, type MetricsServer } from '../../../../adapters/http/serve-metrics.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const warned: string[] = [];
const logger = { warn: (message: string): void => void warned.push(message) };

async function* twoSlices(): AsyncGenerator<string> {
  yield 'a 1\n';
  await new Promise((resolve) => setImmediate(resolve));
  yield 'b 2\n';
}

async function* failing(): AsyncGenerator<string> {
  yield 'a 1\n';
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error('broken gauge');
}

const start = (slices: () => AsyncGenerator<string> = twoSlices): Promise<MetricsServer> =>
  serveMetrics({ host: '127.0.0.1', port: 0 }, { slices }, logger);

const get = (port: number, path: string, method = 'GET'): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { connection: 'close' } });

describe('serveMetrics', () => {
  beforeEach(() => {
    warned.length = 0;
  });

  it('answers GET /metrics with all slices and the media type of Prometheus', async () => {
    const server = await start();
    const response = await get(server.port, '/metrics');
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).to.equal('a 1\nb 2\n');
    await server.close();
  });

  it('answers nothing else', async () => {
    const server = await start();
    expect((await get(server.port, '/')).status).to.equal(404);
    expect((await get(server.port, '/metrics', 'POST')).status).to.equal(405);
    await server.close();
  });

  it('cuts a scrape that fails, says so, and answers the next', async () => {
    const server = await start(failing);
    let cut = false;
    for (let round = 0; round < 2; round += 1) {
      cut = await get(server.port, '/metrics')
        .then((response) => response.text())
        .then(
          () => false,
          () => true,
        );
      expect(cut).to.equal(true);
    }
    expect(warned).to.deep.equal(['a scrape failed', 'a scrape failed']);
    await server.close();
  });

  it('says nothing of a scraper that goes away', async () => {
    const over = Promise.withResolvers<void>();
    const endless = async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          yield 'a 1\n'.repeat(1000);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        over.resolve();
      }
    };
    const server = await start(endless);
    const controller = new AbortController();
    const response = await fetch(`http://127.0.0.1:${server.port}/metrics`, { signal: controller.signal });
    controller.abort();
    await response.text().catch(() => '');
    await over.promise;
    await server.close();
    expect(warned).to.deep.equal([]);
  });

  it('frees its port when it is closed', async () => {
    const first = await start();
    await first.close();
    const second = await serveMetrics({ host: '127.0.0.1', port: first.port }, { slices: twoSlices }, logger);
    expect(second.port).to.equal(first.port);
    await second.close();
  });

  it('rejects when its address is taken', async () => {
    const other = createServer();
    const port = await listenOnLoopback(other);
    const code = await serveMetrics({ host: '127.0.0.1', port }, { slices: twoSlices }, logger).then(
      () => 'listening',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined),
    );
    expect(code).to.equal('EADDRINUSE');
    other.close();
    await once(other, 'close');
  });
});
