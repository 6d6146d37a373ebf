import { expect } from 'chai';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { listAt, objectAt } from '../../../core/json/members.ts';
import type { Scope } from '../../../core/api-key/scopes.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { decisionIn, outcomeOf, saidOf, textIn, type Said } from '../../chaos/policies/changes/client.ts';
import { accountWith, rightText } from '../../support/account-rights.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { policyObject } from '../../support/policies.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import { LIMITS, POLICY_SCOPES, RIGHT_ROWS, type Left, type RightRow } from './policy-right-rows.ts';

const NAMESPACE = 'p16-rights';
const ECHO = 'acme.echo@1.0.0';
/** A new binding counts, and a new version of a policy is in force, within this time, ms. */
const SETTLED_MS = 20_000;
/** The scope that the obligation of the policy names. */
const OBLIGED: Scope = 'receipts:erase';

const without = (scope: Scope): readonly Scope[] => [...POLICY_SCOPES.filter((one) => one !== scope), OBLIGED];
const accountName = (scope: Scope): string => scope.replace(':', '-');

interface Sent {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Routes of an API document that need one of the scopes of policies: `GET /policies policies:read`. */
function routesIn(document: JsonObject): readonly string[] {
  const operations = Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );
  return operations.flatMap(([route, operation]) => {
    const [first] = listAt(isJsonObject(operation) ? operation : {}, 'security');
    const needed = isJsonObject(first) ? listAt(first, 'apiKey') : [];
    return POLICY_SCOPES.filter((scope) => needed.includes(scope)).map((scope) => `${route} ${scope}`);
  });
}

describe('ServiceAccounts and the routes of policies (security.md §6.2)', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let team: TestNamespace;
  let other: TestNamespace;
  /** Tokens by scope. */
  const having = new Map<Scope, string>();
  const lacking = new Map<Scope, string>();
  let foreign = '';
  let left: Left = { namespace: NAMESPACE, orbId: ECHO, etag: '', digest: '', decisionId: '', replayId: '' };
  const owner = apiKeySecret([NAMESPACE], ['orbs:execute', 'policies:read']);

  const call = async (token: string, method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Said> =>
    saidOf(
      await fetch(`${api.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  const send = ({ route, path, body, headers }: RightRow, token = ''): Promise<Said> =>
    call(token, route.split(' ')[0] ?? '', path(left), {
      ...(headers === undefined ? {} : { headers: headers(left) }),
      ...(body === undefined ? {} : { body: body(left) }),
    });
  const versions = async (): Promise<readonly JsonObject[]> => {
    const { body } = await call(owner.key, 'GET', `/policies/${NAMESPACE}/limits/versions`);
    return listAt(body, 'items').filter(isJsonObject);
  };
  /** A run that the policy denies. */
  const denied = (): Promise<Said> =>
    lastAnswer(
      () =>
        call(owner.key, 'POST', '/orbisets/support/execute', {
          body: { orb_id: ECHO, inputs: { text: 'hi' } },
        }),
      (said) => outcomeOf(said) === '403 policy-denied',
      SETTLED_MS,
    );

  /** Keeps of an answer what later requests need. */
  async function learn({ route }: RightRow, { body, etag }: Said): Promise<void> {
    if (etag !== '') left = { ...left, etag };
    if (route === 'POST /policies/replay') left = { ...left, replayId: textIn(body, 'replay_id') };
    if (route === 'POST /policies') {
      const decisionId = decisionIn(await denied());
      const [version = {}] = await lastAnswer(versions, ({ length }) => length > 0, SETTLED_MS);
      left = { ...left, decisionId, digest: textIn(version, 'digest') };
    }
  }

  before(async () => {
    plane = await sharedControlPlane();
    team = await testNamespace(plane, NAMESPACE);
    other = await testNamespace(plane, `${NAMESPACE}-other`);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    await team.apply(orb('echo', ECHO, { url: 'https://api.example.com/echo' }), orbiset('support', []));
    for (const scope of POLICY_SCOPES) {
      const own = scope === 'policies:approve' ? [scope, OBLIGED] : [scope];
      having.set(scope, await accountWith(team, `with-${accountName(scope)}`, own));
      lacking.set(scope, await accountWith(team, `without-${accountName(scope)}`, without(scope)));
    }
    foreign = await accountWith(other, 'owner', [...POLICY_SCOPES, OBLIGED]);
    api = await startApi(plane);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await other.remove();
    await api.stop();
  });

  it('has every route in its table that the API document lists', async () => {
    const listed = routesIn((await call('', 'GET', '/openapi.json')).body);
    expect(RIGHT_ROWS.map(({ route, scope }) => `${route} ${scope}`)).to.have.members(listed);
    expect(POLICY_SCOPES).to.have.length(5);
  });

  it('answer one with the right alone; without it they refuse one that has all others, and name the right', async () => {
    for (const row of RIGHT_ROWS) {
      const { scope, route, allowed } = row;
      const refused = await send(row, lacking.get(scope));
      const token = having.get(scope);
      const said = {
        unknown: outcomeOf(await send(row)),
        without: outcomeOf(refused),
        foreign: outcomeOf(await send(row, foreign)),
        answered: await lastAnswer(
          () => send(row, token),
          ({ status }) => status !== 403,
          SETTLED_MS,
        ),
      };
      const { unknown, answered } = said;
      expect([route, unknown, said.without, said.foreign, outcomeOf(answered)]).to.deep.equal([
        route,
        '401 unauthenticated',
        '403 forbidden',
        row.foreign,
        String(allowed),
      ]);
      expect(textIn(refused.body, 'detail')).to.contain(`${rightText(scope)} (group orbs.dev) in ${NAMESPACE}`);
      await learn(row, answered);
    }
  });

  it('show the facts to a ServiceAccount without any right, and to no caller without a token', async () => {
    await team.kubectl('create', 'serviceaccount', 'bare');
    const bare = (await team.kubectl('create', 'token', 'bare', '--audience=orb-api')).trim();
    const paths = ['', bare].map((token) => call(token, 'GET', '/policies/schema'));
    expect((await Promise.all(paths)).map(outcomeOf)).to.deep.equal(['401 unauthenticated', '200']);
  });

  it('approve nothing with the right to approve alone: the obligation names a scope beside it', async () => {
    await team.apply(policyObject('again', LIMITS));
    const decisionId = decisionIn(await denied());
    const bare = await accountWith(team, 'approves-only', ['policies:approve']);
    const approve = (token: string): Promise<Said> => call(token, 'POST', `/decisions/${decisionId}/approve`);
    const said = await lastAnswer(
      () => approve(bare),
      ({ body }) => textIn(body, 'detail').includes(OBLIGED),
      SETTLED_MS,
    );
    expect([outcomeOf(said), textIn(said.body, 'detail')]).to.deep.equal([
      '403 forbidden',
      `The approval needs one of these scopes beside policies:approve: ${OBLIGED}.`,
    ]);
    expect(outcomeOf(await approve(having.get('policies:approve') ?? ''))).to.equal('201');
  });
});
