import { expect } from 'chai';
import { compileStored } from '../../../../core/orb/plan-manifest.ts';
import { urlSecretsOf, type UrlSecret } from '../../../../core/orb/url-secrets.ts';
import { anOrb, manifestOf } from '../../../support/kube-objects.ts';

const SECRET = '{{orbiset.secrets.KEY}}';
const http = (url: string, more: object = {}): object => ({ type: 'http', method: 'GET', url, ...more });

function found(members: Readonly<Record<string, unknown>>): readonly UrlSecret[] {
  const stored = compileStored(anOrb('mail', { spec: manifestOf(members) }), []);
  if (stored.kind !== 'compiled') throw new TypeError(stored.message);
  return urlSecretsOf(stored.orb);
}

describe('urlSecretsOf (security.md S2)', () => {
  const API = 'api.example.com';
  const rows: readonly (readonly [why: string, execution: object, expected: readonly UrlSecret[]])[] = [
    ['none in a header', http(`https://${API}/`, { headers: { Authorization: SECRET } }), []],
    ['one in the path', http(`https://${API}/${SECRET}`), [{ entry: 'KEY', host: API }]],
    ['one in the query', http(`https://${API}/?key=${SECRET}`), [{ entry: 'KEY', host: API }]],
    ['one in a label of the host', http(`https://${SECRET}.example.com/`), [{ entry: 'KEY', host: undefined }]],
    [
      "one in the probe's own URL",
      http(`https://${API}/`, { probe: { method: 'GET', url: `https://status.example.com/${SECRET}` } }),
      [{ entry: 'KEY', host: 'status.example.com' }],
    ],
  ];
  for (const [why, execution, expected] of rows)
    it(`finds ${why}`, () => {
      expect(found({ execution })).to.deep.equal(expected);
    });

  it('finds one in the default of an input that the URL holds', () => {
    const inputs = { token: { type: 'string', default: SECRET } };
    expect(found({ inputs, execution: http(`https://${API}/?t={{inputs.token}}`) })).to.deep.equal([
      { entry: 'KEY', host: API },
    ]);
  });

  it('finds those of every provider', () => {
    const other = { execution: http(`https://other.example.com/${SECRET}`) };
    const swap = { primary: 'main', fallbacks: ['other'] };
    expect(found({ swap_config: swap, providers: { other } })).to.deep.equal([
      { entry: 'KEY', host: 'other.example.com' },
    ]);
  });
});
