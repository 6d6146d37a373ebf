import { expect } from 'chai';
import { objectsIn, openHelm, titleOf, type Helm } from '../../support/cluster/platform-chart.ts';

/** The API's Deployment as text. */
const apiIn = (text: string): string =>
  JSON.stringify(objectsIn(text).find((object) => titleOf(object) === 'Deployment orb-system/orb-api') ?? {});

describe('limits of the chart orb-platform', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  it('pass rates, the share of a tenant and its quota to the API', async () => {
    const values = 'api.rates.key=5:9,api.rates.address=0,api.tenantShare=50,api.ledgerQuota=5000000000';
    const api = apiIn(await helm.render(['--set', values]));
    const expected = [
      'rate-key=5:9',
      'rate-address=0',
      'rate-tenant=1000:2000',
      'tenant-share=50',
      'ledger-quota=5000000000',
    ];
    for (const flag of expected) expect(api).to.include(`"--${flag}"`);
  });

  for (const wrong of ['rates.key=fast', 'rates.key=0:5', 'rates.address=-1', 'tenantShare=101', 'ledgerQuota=-1'])
    it(`refuse ${wrong}`, async () => {
      const refused = await helm.render(['--set', `api.${wrong}`]).then(
        () => 'rendered',
        (error: unknown) => String(error),
      );
      expect(refused).to.include(wrong.split('=')[0]?.split('.').at(-1));
    });
});
