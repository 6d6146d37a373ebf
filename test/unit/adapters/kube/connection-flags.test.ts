import { expect } from 'chai';
import {
  parseConnection,
  type ConnectionSource,
  type ConnectionValues,
} from '../../../../adapters/kube/connection-flags.ts';

const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
const SERVER = 'https://127.0.0.1:6443';

describe('parseConnection', () => {
  const rows: readonly [string, ConnectionValues, Readonly<Record<string, string>>, ConnectionSource][] = [
    ['the ServiceAccount of the pod', {}, POD, { kind: 'in-cluster', env: POD }],
    ['a kubeconfig, also in a pod', { kubeconfig: '/k' }, POD, { kind: 'kubeconfig', path: '/k' }],
    ['a context of the default kubeconfig', { context: 'one' }, {}, { kind: 'kubeconfig', context: 'one' }],
    [
      'a server without login',
      { 'kube-server': 'http://127.0.0.1:8001' },
      {},
      { kind: 'server', server: 'http://127.0.0.1:8001' },
    ],
    [
      'a server with token and CA',
      { 'kube-server': SERVER, 'kube-token-file': '/t', 'kube-ca-file': '/ca' },
      {},
      { kind: 'server', server: SERVER, tokenFile: '/t', caFile: '/ca' },
    ],
  ];
  for (const [why, values, env, source] of rows) {
    it(`takes ${why}`, () => expect(parseConnection(values, env)).to.deep.equal({ ok: true, source }));
  }

  const wrong: readonly [string, ConnectionValues, RegExp][] = [
    ['nothing outside a pod', {}, /--kubeconfig FILE or with --kube-server URL/],
    ['two of them', { kubeconfig: '/k', 'kube-server': SERVER }, /exclude each other/],
    ['a token for no server', { 'kube-token-file': '/t' }, /--kube-token-file needs --kube-server/],
    ['a server that is no URL', { 'kube-server': 'somewhere' }, /takes a URL/],
    ['a server of another protocol', { 'kube-server': 'ftp://somewhere' }, /takes a URL/],
  ];
  for (const [why, values, message] of wrong) {
    it(`refuses ${why}`, () => {
      const parsed = parseConnection(values, {});
      expect(parsed.ok ? '' : parsed.message).to.match(message);
    });
  }
});
