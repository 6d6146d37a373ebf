import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandResult } from '../../hack/control-plane/command.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { node } from '../support/e2e/node.ts';
import { EXAMPLE, ensureExample } from './support/example.ts';
import { eventually } from './support/patience.ts';

const COMMITTED = resolve(import.meta.dirname, '../integration/rbac/can-i.txt');
const account = (name: string): string => `system:serviceaccount:${PLATFORM_NAMESPACE}:${name}`;
const API = account('orb-api');
const OPERATOR = account('orb-operator');
const ORB = 'orb/example.echo-1.0.0';

/** kubectl as somebody, in the namespace of the example. */
const as = (who: string, args: readonly string[], input?: object): Promise<CommandResult> =>
  node.kubectl(['-n', EXAMPLE, '--as', who, ...args], input === undefined ? {} : { input: JSON.stringify(input) });
const patch = (what: string, change: object): readonly string[] => [
  'patch',
  what,
  '--type=merge',
  '-p',
  JSON.stringify(change),
];
const pin = (provider: string, more: object = {}): object => ({
  spec: {
    pin: {
      provider,
      mode: 'soft',
      reason: 'a test',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      ...more,
    },
  },
});

const roleBinding = (name: string, role: string, subject: string): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', name: subject, namespace: PLATFORM_NAMESPACE }],
});
const CREATE = ['create', '--dry-run=server', '-f', '-'];

const RULE = /^(?<resource>\S+)\s+\[[^\]]*\]\s+\[(?<names>[^\]]*)\]\s+\[(?<verbs>[^\]]*)\]$/;

async function rulesOf(namespace: string, who: readonly string[]): Promise<readonly string[]> {
  const [, ...rows] = (await kubectlOk(node, ['auth', 'can-i', '--list', '-n', namespace, ...who]))
    .trimEnd()
    .split('\n');
  return rows.flatMap((row) => {
    const { resource, names = '', verbs = '' } = RULE.exec(row)?.groups ?? {};
    const sorted = verbs.split(' ').toSorted().join(' ');
    return resource === undefined ? [] : [`${resource}${names === '' ? '' : ` [${names}]`}: ${sorted}`];
  });
}

// The loader of bare manifests, which the chart leaves out unless it is asked for, has a Role of the platform namespace.
const LOADER = 'orbs.orbs.dev: create delete get list patch watch';

/** What the committed list says of an account: place → rules. */
function committedOf(name: string): ReadonlyMap<string, readonly string[]> {
  const blocks = readFileSync(COMMITTED, 'utf8').split(/^# /m);
  const own = blocks.flatMap((block): readonly [string, readonly string[]][] => {
    const [head = '', ...rules] = block.trimEnd().split('\n');
    const [who, place] = head.split(' in ');
    const without = rules.map((rule) => (rule === LOADER ? 'orbs.orbs.dev: get list watch' : rule));
    return who === name && place !== undefined ? [[place, without]] : [];
  });
  return new Map(own);
}

describe('rights on the cluster, as the chart installs them', () => {
  let everybody: ReadonlySet<string>;

  before(async () => {
    await ensureExample();
    const bound = await eventually(async () =>
      (await as(API, ['get', 'secret/echo'])).code === 0 ? 'bound' : undefined,
    );
    expect(bound, 'the vault, by the operator').to.equal('bound');
    everybody = new Set(await rulesOf('default', ['--as', 'nobody', '--as-group', 'system:authenticated']));
  });

  for (const name of ['orb-operator', 'orb-api'])
    it(`of ${name} are exactly those of the committed list`, async () => {
      const committed = committedOf(name);
      expect([...committed.keys()]).to.have.length(3);
      for (const [place, rules] of committed) {
        const namespace = place === 'a namespace with an Orbiset' ? EXAMPLE : place;
        const found = await rulesOf(namespace, ['--as', account(name)]);
        expect(found.filter((rule) => !everybody.has(rule)).toSorted(), place).to.deep.equal(rules.toSorted());
      }
    });

  it('let no pod of the platform read Secrets where there is no Orbiset', async () => {
    for (const who of [API, OPERATOR])
      for (const namespace of ['default', 'kube-system']) {
        const { code, stderr } = await node.kubectl(['-n', namespace, '--as', who, 'get', 'secrets']);
        expect([who, namespace, code, /forbidden/i.test(stderr)]).to.deep.equal([who, namespace, 1, true]);
      }
  });

  const rows: readonly (readonly [string, string, readonly string[], object | undefined, RegExp | undefined])[] = [
    ['the API pin a provider', API, [...patch(ORB, pin('echo')), '--dry-run=server'], undefined, undefined],
    [
      'the API change a description',
      API,
      [...patch(ORB, { spec: { description: 'mine' } }), '--dry-run=server'],
      undefined,
      /may change only pin/,
    ],
    [
      'the API label an Orb',
      API,
      [...patch(ORB, { metadata: { labels: { mine: 'yes' } } }), '--dry-run=server'],
      undefined,
      /may not change the metadata/,
    ],
    ['the API delete an Orb', API, ['delete', ORB, '--dry-run=server'], undefined, /forbidden/i],
    [
      'a person write who pinned',
      'admin',
      [...patch(ORB, pin('echo', { actor: 'somebody-else' })), '--as-group=system:masters', '--dry-run=server'],
      undefined,
      /written by the Orb API alone/,
    ],
    [
      'the operator bind the vault to the API',
      OPERATOR,
      [...patch('rolebinding/orb-vault-reader', { metadata: { labels: { mended: 'yes' } } }), '--dry-run=server'],
      undefined,
      undefined,
    ],
    [
      'the operator bind it to another account',
      OPERATOR,
      [
        ...patch('rolebinding/orb-vault-reader', {
          subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: EXAMPLE }],
        }),
        '--dry-run=server',
      ],
      undefined,
      /bind orb-vault-reader only to the ServiceAccount orb-api/,
    ],
    [
      'the operator bind it by another name',
      OPERATOR,
      CREATE,
      roleBinding('another', 'orb-vault-reader', 'orb-api'),
      /forbidden/i,
    ],
    [
      'the operator bind a role of its choice',
      OPERATOR,
      CREATE,
      roleBinding('another', 'cluster-admin', 'orb-api'),
      /forbidden/i,
    ],
  ];
  for (const [what, who, args, input, refusal] of rows)
    it(`${refusal === undefined ? 'let' : 'do not let'} ${what}`, async () => {
      const { code, stderr } = await as(who, args, input);
      expect(code, stderr).to.equal(refusal === undefined ? 0 : 1);
      if (refusal !== undefined) expect(stderr).to.match(refusal);
    });
});
