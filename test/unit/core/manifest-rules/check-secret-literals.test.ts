import { hasCredentialForm } from '../../../../core/manifest-rules/check-secret-literals.ts';
import { expect } from 'chai';
import { checkManifest } from '../../../../core/manifest-rules/validate.ts';
import { aManifest, checkRows } from '../manifest/a-manifest.ts';

const jwt = `eyJ${'a'.repeat(12)}.eyJ${'b'.repeat(12)}.${'c'.repeat(12)}`;

describe('checkSecretLiterals', () => {
  checkRows([
    [
      'a key in an Authorization header',
      aManifest({ headers: { Authorization: 'Bearer abcdefgh12345678' } }),
      ['error manifest-secret-literal /execution/headers/Authorization'],
    ],
    [
      'a key in a header of its own',
      aManifest({ headers: { 'x-api-key': 'abcdefgh' } }),
      ['error manifest-secret-literal /execution/headers/x-api-key'],
    ],
    [
      'a JSON Web Token in any header',
      aManifest({ headers: { 'X-Any': jwt } }),
      ['error manifest-secret-literal /execution/headers/X-Any'],
    ],
    [
      'a private key in the body',
      aManifest({ body_template: '-----BEGIN RSA PRIVATE KEY-----' }),
      ['error manifest-secret-literal /execution/body_template'],
    ],
    [
      'a key in the query',
      aManifest({ url: 'https://a.example/?api_key=abcdefgh12345678' }),
      ['error manifest-secret-literal /execution/url'],
    ],
    [
      'a password as default',
      aManifest(
        { body_template: '{{inputs.db_password}}' },
        { inputs: { db_password: { default: 'hunter2-hunter2' } } },
      ),
      ['error manifest-secret-literal /inputs/db_password/default'],
    ],
    [
      'an API version, a language and a word in a query',
      aManifest({
        url: 'https://a.example/?key=title&token=count',
        headers: { 'X-Api-Version': '2026-01-31', Accept: 'application/json' },
      }),
      [],
    ],
    [
      'a placeholder in an Authorization header',
      aManifest({ headers: { Authorization: 'Token token={{orbiset.secrets.K}}' } }),
      [],
    ],
  ]);

  it('shows nothing of what looks like a credential', () => {
    const value = aManifest({ headers: { Authorization: 'Bearer abcdefgh12345678' } });
    expect(JSON.stringify(checkManifest(value, { allowedOrigins: [] }).findings)).not.to.include('abcdefgh');
  });

  it('searches a hostile text in time that grows with its length', () => {
    const text = 'eyJ-'.repeat(64 * 1024);
    const began = process.cpuUsage();
    expect(hasCredentialForm(text)).to.equal(false);
    // It takes some milliseconds; with a search from every place, 40 s.
    expect(process.cpuUsage(began).user).to.be.lessThan(1_000_000);
  });
});
