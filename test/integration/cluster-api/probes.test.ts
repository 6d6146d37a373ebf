import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { dialMany } from '../../support/attacks/attacked.ts';

const CONNECTIONS = 40;
const ROUNDS = 20;

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

describe('probes of the API', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  before(async () => {
    plane = await sharedControlPlane();
    api = await startApi(plane, ['--probes-listen', '127.0.0.1:0', `--max-connections=${CONNECTIONS}`]);
  });
  after(async () => {
    expect(await api.stop()).to.equal(0);
  });

  const probesUrl = (): string => {
    const facts: unknown = JSON.parse(readFileSync(join(api.data, 'ready.json'), 'utf8'));
    return typeof facts === 'object' && facts !== null && 'probes_url' in facts ? String(facts.probes_url) : '';
  };

  it('are answered at their own address while every place of callers is taken by requests', async () => {
    const port = Number(new URL(api.url).port);
    const sockets = await dialMany(port, 2 * CONNECTIONS, '127.0.1.1');
    for (const socket of sockets) socket.write('POST /ingest/any HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1');
    for (let round = 0; round < ROUNDS; round += 1) {
      expect([await statusOf(`${probesUrl()}/livez`), await statusOf(`${probesUrl()}/readyz`)]).to.deep.equal([
        200, 200,
      ]);
      await delay(10);
    }
    expect(await statusOf(`${probesUrl()}/health`)).to.equal(404);
    for (const socket of sockets) socket.destroy();
  });

  it('are answered at the common address as well', async () => {
    expect([await statusOf(`${api.url}/livez`), await statusOf(`${api.url}/readyz`)]).to.deep.equal([200, 200]);
  });
});
