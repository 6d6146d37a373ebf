import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createHttpMetrics } from '../../../../api-server/http/http-metrics.ts';
import { REFUSALS } from '../../../../api-server/http/server-limits.ts';

describe('createHttpMetrics', () => {
  it('has every reason from the start, and counts what was refused', async () => {
    const registry = new Registry();
    const { refused } = createHttpMetrics(registry);
    refused('connections');
    refused('connections');
    const lines = (await registry.metrics()).split('\n');
    for (const reason of REFUSALS) {
      const expected = reason === 'connections' ? 2 : 0;
      expect(lines).to.include(`orb_http_refusals_total{reason="${reason}"} ${expected}`);
    }
  });

  it('reads what is held at each scrape', async () => {
    const registry = new Registry();
    let connections = 1;
    createHttpMetrics(registry).observe(() => ({ connections, bodyBytes: 20, unreadBytes: 300, waitingRefusals: 4 }));
    expect(await registry.metrics()).to.match(/^orb_http_connections 1$/m);
    connections = 2;
    const text = await registry.metrics();
    expect(text).to.match(/^orb_http_connections 2$/m);
    expect(text).to.match(/^orb_http_body_bytes 20$/m);
    expect(text).to.match(/^orb_http_unread_bytes 300$/m);
    expect(text).to.match(/^orb_http_waiting_refusals 4$/m);
  });
});
