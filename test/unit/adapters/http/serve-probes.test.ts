import { expect } from 'chai';
import { serveProbes } from '../../../../adapters/http/serve-probes.ts';
import { recordLog, type RecordedLog } from '../../../support/kube/runtime-recorders.ts';

interface Setup {
  missing: readonly string[];
  readonly log: RecordedLog;
  /** `status body` */
  readonly ask: (path: string, method?: string) => Promise<string>;
}

describe('serveProbes', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function setup(): Promise<Setup> {
    const log = recordLog();
    const made = { missing: [] as readonly string[] };
    const { port, close } = await serveProbes({
      host: '127.0.0.1',
      port: 0,
      ready: () => made.missing,
      logger: log.logger,
    });
    closing.push(close);
    const ask: Setup['ask'] = async (path, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return `${response.status} ${(await response.text()).trim()}`;
    };
    return Object.assign(made, { log, ask });
  }

  it('is alive whatever is missing', async () => {
    const probes = await setup();
    probes.missing = ['cache of orbs is not filled yet'];
    expect(await probes.ask('/livez')).to.equal('200 ok');
  });

  it('is ready when nothing is missing, and else says what', async () => {
    const probes = await setup();
    expect(await probes.ask('/readyz')).to.equal('200 ok');
    probes.missing = ['one', 'two'];
    expect(await probes.ask('/readyz')).to.equal('503 one\ntwo');
  });

  it('logs when readiness changes, not each time it is asked', async () => {
    const probes = await setup();
    probes.missing = ['one'];
    await probes.ask('/readyz');
    await probes.ask('/readyz');
    probes.missing = [];
    await probes.ask('/readyz');
    await probes.ask('/readyz');
    expect(probes.log.texts()).to.deep.equal(['info not ready', 'info ready']);
  });

  const others: readonly (readonly [string, string, string])[] = [
    ['/metrics', 'GET', '404 probes are at /livez and /readyz'],
    ['/readyz', 'POST', '405 GET only'],
  ];
  for (const [path, method, answer] of others) {
    it(`answers ${method} ${path} with ${answer}`, async () => {
      expect(await (await setup()).ask(path, method)).to.equal(answer);
    });
  }

  it('refuses an address that is taken', async () => {
    const log = recordLog();
    const first = await serveProbes({ host: '127.0.0.1', port: 0, ready: () => [], logger: log.logger });
    closing.push(first.close);
    const second: unknown = await serveProbes({
      host: '127.0.0.1',
      port: first.port,
      ready: () => [],
      logger: log.logger,
    }).catch((error: unknown) => error);
    expect(second).to.include({ code: 'EADDRINUSE' });
  });
});
