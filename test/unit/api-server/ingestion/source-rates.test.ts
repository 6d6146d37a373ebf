import { expect } from 'chai';
import { IngestRates } from '../../../../api-server/ingestion/source-rates.ts';
import type { RateRefusal } from '../../../../api-server/http/rate-problem.ts';
import { aSource } from '../../../support/receiving.ts';

const taken = (count: number, take: () => RateRefusal | undefined): number =>
  Array.from({ length: count }, take).filter((refusal) => refusal === undefined).length;

/** Seconds to wait; 0: it was taken. */
const seconds = (refusal: RateRefusal | undefined): number => Number(refusal?.headers['retry-after'] ?? 0);

describe('IngestRates', () => {
  it('gives each client 100 requests a second, and all together 1 000', () => {
    const rates = new IngestRates();
    expect(taken(150, () => rates.request('203.0.113.7', 0))).to.equal(100);
    expect(taken(150, () => rates.request('203.0.113.8', 0))).to.equal(100);
    const others = Array.from({ length: 20 }, (_, at) => `198.51.100.${at}`);
    const rest = others.map((address) => taken(100, () => rates.request(address, 0)));
    expect(rest.reduce((sum, count) => sum + count, 0)).to.equal(800);
    expect(taken(150, () => rates.request('203.0.113.7', 1000))).to.equal(100);
  });

  it('counts no client where all have the address of a proxy', () => {
    const rates = new IngestRates({ perAddress: 'none', inAll: 300 });
    expect(taken(500, () => rates.request('10.0.0.1', 0))).to.equal(300);
  });

  it('takes nothing from the others for a request that is refused to its client', () => {
    const rates = new IngestRates({ perAddress: 1, inAll: 2 });
    expect(taken(50, () => rates.request('203.0.113.7', 0))).to.equal(1);
    expect(rates.request('203.0.113.8', 0)).to.equal(undefined);
    expect(rates.request('203.0.113.9', 0)?.limit).to.equal('process');
  });

  it('knows a client by its IPv4 address however it is written, and an IPv6 network by its first 64 bits', () => {
    const rates = new IngestRates({ perAddress: 1, inAll: 100 });
    const together = (...addresses: readonly string[]): readonly number[] =>
      addresses.map((address) => seconds(rates.request(address, 0)));
    expect(together('203.0.113.7', '::ffff:203.0.113.7')).to.deep.equal([0, 1]);
    expect(together('2001:db8::1', '2001:db8:0:0:ffff::2', '2001:db8:0:1::1')).to.deep.equal([0, 1, 0]);
    expect(together('', 'no address')).to.deep.equal([0, 1]);
  });

  it('forgets clients that wait no more', () => {
    const rates = new IngestRates({ perAddress: 1, inAll: 1e9 });
    for (let client = 0; client < 5000; client += 1)
      rates.request(`10.0.${client >> 8}.${client & 255}`, client * 2000);
    expect(rates.clients).to.be.below(2049);
  });

  it('gives each source its own rate and burst, and says when to come again', () => {
    const rates = new IngestRates();
    const one = aSource('grafana', ['x'], { name: 'one', limits: { rps: 2, burst: 3 } });
    const two = aSource('grafana', ['x'], { name: 'two', limits: { rps: 0.1, burst: 1 } });
    expect(taken(5, () => rates.delivery(one, 0))).to.equal(3);
    expect([rates.delivery(two, 0), rates.delivery(two, 0)].map(seconds)).to.deep.equal([0, 10]);
    expect(taken(5, () => rates.delivery(one, 1000))).to.equal(2);
    const raised = aSource('grafana', ['x'], { name: 'one', limits: { rps: 100, burst: 100 } });
    // A change refills nothing; a raised rate counts since the request before.
    expect(taken(200, () => rates.delivery(raised, 1000))).to.equal(0);
    expect(taken(200, () => rates.delivery(raised, 1100))).to.equal(10);
  });
});
