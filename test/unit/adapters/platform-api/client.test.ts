import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createPlatformClient, type PlatformClient } from '../../../../adapters/platform-api/client.ts';
import { listenOn } from '../../../../adapters/process/listen.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';

/** An idle connection ends after a second. */
const LONG_MS = 1500;

describe('calls of servers of the platform', () => {
  let server: Server;
  let client: PlatformClient;
  let connections: number;
  let answerMs: number;

  beforeEach(async () => {
    connections = 0;
    answerMs = 0;
    server = createServer((request, response) => {
      setTimeout(() => response.end(request.url), answerMs);
    });
    server.on('connection', () => {
      connections += 1;
    });
    const { port } = await listenOn(server, { host: '127.0.0.1', port: 0 });
    client = createPlatformClient({ origin: `http://127.0.0.1:${port}`, clock: systemClock });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const call = async (path: string): Promise<string> => {
    const answer = await client.call({ method: 'GET', path }, AbortSignal.timeout(10_000));
    return answer.kind === 'answered' ? answer.body.toString() : answer.code;
  };

  it('share a connection while they follow each other', async () => {
    expect([await call('/a'), await call('/b'), await call('/c')]).to.deep.equal(['/a', '/b', '/c']);
    expect(connections).to.equal(1);
  });

  it('connect anew after a pause, as the next round does', async () => {
    await call('/a');
    await delay(LONG_MS);
    expect(await call('/b')).to.equal('/b');
    expect(connections).to.equal(2);
  });

  it('may take longer than an idle connection may last', async () => {
    answerMs = LONG_MS;
    expect(await call('/slow')).to.equal('/slow');
  });

  it('are each ended by their signal alone', async () => {
    answerMs = 200;
    const ended = client.call({ method: 'GET', path: '/ended' }, AbortSignal.timeout(20));
    const other = call('/other');
    expect((await ended).kind).to.equal('failed');
    expect(await other).to.equal('/other');
    expect(await call('/next')).to.equal('/next');
  });
});
