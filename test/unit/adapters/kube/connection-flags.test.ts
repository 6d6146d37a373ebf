import { expect } from 'chai';
import {
  CONNECTION_FLAGS,
  parseConnection,
  type ConnectionSource,
} from '../../../../adapters/kube/connection-flags.ts';
import { parseArguments } from '../../../../adapters/process/arguments.ts';
import { UsageError } from '../../../../adapters/process/start-error.ts';

type Values = Readonly<Record<string, string>>;

const parse = (values: Values, env: Values): ConnectionSource => {
  const argv = Object.entries(values).map(([name, value]) => `--${name}=${value}`);
  return parseConnection(parseArguments(CONNECTION_FLAGS, argv), env);
};

const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
const SERVER = 'https://127.0.0.1:6443';

describe('parseConnection', () => {
  const rows: readonly [string, Values, Values, ConnectionSource][] = [
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
    it(`takes ${why}`, () => expect(parse(values, env)).to.deep.equal(source));
  }

  const wrong: readonly [string, Values, RegExp][] = [
    ['nothing outside a pod', {}, /--kubeconfig FILE or with --kube-server URL/],
    ['two of them', { kubeconfig: '/k', 'kube-server': SERVER }, /exclude each other/],
    ['a token for no server', { 'kube-token-file': '/t' }, /--kube-token-file needs --kube-server/],
    ['a server that is no URL', { 'kube-server': 'somewhere' }, /takes a URL/],
    ['a server of another protocol', { 'kube-server': 'ftp://somewhere' }, /takes a URL/],
  ];
  for (const [why, values, message] of wrong) {
    it(`refuses ${why}`, () => {
      expect(() => parse(values, {})).to.throw(UsageError, message);
    });
  }
});
