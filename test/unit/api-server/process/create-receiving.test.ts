import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { UseLimits } from '../../../../adapters/process/limit-flags.ts';
import { SourceTraffic } from '../../../../api-server/ingestion/source-traffic.ts';
import { createReceiving } from '../../../../api-server/process/create-receiving.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';

/** How many of 200 requests from one address at one time are taken. */
async function taken(address: UseLimits['rates']['address']): Promise<number> {
  const off = 'none' as const;
  const receiving = await createReceiving({
    ledger: { load: () => ({ queuedRows: 0, oldestMs: 0 }) },
    ledgerFolder: tmpdir(),
    clock: createFakeClock(0),
    log: { logger: recordLog().logger },
    metrics: { registry: new Registry() },
    loopDelayMs: () => 0,
    traffic: new SourceTraffic(),
    use: { rates: { key: off, tenant: off, orb: off, process: off, refusals: off, address } },
  });
  try {
    const { rates } = receiving.intake;
    return Array.from({ length: 200 }, () => rates.request('10.0.0.1', 0)).filter((refusal) => !refusal).length;
  } finally {
    receiving.close();
  }
}

describe('createReceiving', () => {
  it('gives a client 100 requests a second', async () => {
    expect(await taken({ perSecond: 20, burst: 100 })).to.equal(100);
  });

  it('counts no client where there is no rate by address: vendors may share the address of a proxy', async () => {
    expect(await taken('none')).to.equal(200);
  });
});
