import { expect } from 'chai';
import { isMutating, parseKubeRequest } from '../../chaos/rig/kube-request.ts';

const ORBS = '/apis/orbs.dev/v1alpha1/namespaces/acme/orbs';

const rows: readonly (readonly [string, string, Record<string, string>])[] = [
  ['GET', ORBS, { verb: 'list', group: 'orbs.dev', resource: 'orbs', namespace: 'acme' }],
  ['GET', '/apis/orbs.dev/v1alpha1/orbs?limit=500', { verb: 'list', group: 'orbs.dev', resource: 'orbs' }],
  [
    'GET',
    '/api/v1/namespaces/acme/secrets?watch=true&fieldSelector=metadata.name%3Dmail&resourceVersion=7',
    {
      verb: 'watch',
      group: '',
      resource: 'secrets',
      namespace: 'acme',
      fieldSelector: 'metadata.name=mail',
      resourceVersion: '7',
    },
  ],
  [
    'PATCH',
    `${ORBS}/acme.mail-1.0.0/status?fieldManager=orb-operator&force=true`,
    {
      verb: 'patch',
      group: 'orbs.dev',
      resource: 'orbs',
      namespace: 'acme',
      name: 'acme.mail-1.0.0',
      subresource: 'status',
      fieldManager: 'orb-operator',
    },
  ],
  ['DELETE', `${ORBS}/a`, { verb: 'delete', group: 'orbs.dev', resource: 'orbs', namespace: 'acme', name: 'a' }],
  ['DELETE', ORBS, { verb: 'deletecollection', group: 'orbs.dev', resource: 'orbs', namespace: 'acme' }],
  ['POST', ORBS, { verb: 'create', group: 'orbs.dev', resource: 'orbs', namespace: 'acme' }],
  ['PUT', '/api/v1/namespaces/acme', { verb: 'update', group: '', resource: 'namespaces', name: 'acme' }],
  [
    'PUT',
    '/api/v1/namespaces/acme/finalize',
    { verb: 'update', group: '', resource: 'namespaces', name: 'acme', subresource: 'finalize' },
  ],
  ['GET', '/readyz', { verb: 'other', group: '', resource: '' }],
  ['GET', '/apis/orbs.dev/v1alpha1', { verb: 'other', group: '', resource: '' }],
  [
    'PATCH',
    `${ORBS}/%E0%A4%A`,
    { verb: 'patch', group: 'orbs.dev', resource: 'orbs', namespace: 'acme', name: '%E0%A4%A' },
  ],
];

describe('kube request', () => {
  for (const [method, target, expected] of rows)
    it(`reads ${method} ${target}`, () => expect(parseKubeRequest(method, target)).to.deep.equal(expected));

  it('counts a review as asked, not as written', () => {
    expect(isMutating(parseKubeRequest('POST', '/apis/authentication.k8s.io/v1/tokenreviews'))).to.equal(false);
    expect(isMutating(parseKubeRequest('POST', ORBS))).to.equal(true);
    expect(isMutating(parseKubeRequest('GET', ORBS))).to.equal(false);
  });
});
