import { expect } from 'chai';
import { openapiRoute, openapiOf } from '../../../../api-server/http/openapi.ts';
import { problems } from '../../../../api-server/http/problems.ts';
import type { Problem } from '../../../../api-server/problems/problem-part.ts';
import { serviceRoutes, serviceSchemas } from '../../../../api-server/services/services.ts';
import { startApp } from '../../../support/api-app.ts';
import { serviceParts } from '../../../support/service-parts.ts';

/** Reserved codes of parts that do not exist yet: policies. */
const NOT_YET = Object.entries<Problem>(problems).flatMap(([code, { status, reserved }]) =>
  reserved === true ? [`${status} ${code}`] : [],
);

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Every object of the document with its place. */
function* nodes(value: unknown, place = ''): Generator<[string, Record<string, unknown>]> {
  if (!isNode(value)) return;
  yield [place, value];
  for (const [name, member] of Object.entries(value)) yield* nodes(member, `${place}/${name}`);
}

const lookup = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, name) => (isNode(node) ? node[name] : undefined), document);

let parts: Awaited<ReturnType<typeof serviceParts>>;
let document: ReturnType<typeof openapiOf>;
/** [status, code] pairs that the answers of the document declare. */
function declared(): Set<string> {
  const found = new Set<string>();
  for (const [place, node] of nodes(document)) {
    const match = /\/responses\/(\d+)\/content\/application\/problem\+json\/schema\/properties\/code$/.exec(place);
    const codes = match ? node['enum'] : undefined;
    if (Array.isArray(codes)) for (const code of codes) found.add(`${match?.[1]} ${String(code)}`);
  }
  return found;
}

/** Routes that verify their sender themselves: none of them is public. */
const BY_SOURCE = [{ signalSource: [] }];
const scoped = (scope: string): unknown => [{ apiKey: [scope] }];

describe('the API document', () => {
  before(async () => {
    parts = await serviceParts();
    const routes = serviceRoutes(parts.parts);
    const about = { version: '1.2.3', schemas: serviceSchemas() };
    document = openapiOf([...routes, openapiRoute(routes, about)], about);
  });
  after(async () => parts.close());

  describe('openapiOf', () => {
    it('declares every code of the problem table with its status, and no other', () => {
      // It answers where no path matches: nothing in `paths` can declare it.
      const pathless = ['404 route-not-found'];
      const table = Object.entries(problems).map(([code, { status }]) => `${status} ${code}`);
      expect([...declared(), ...pathless, ...NOT_YET].toSorted()).to.deep.equal(table.toSorted());
    });

    it('lists every code of the problem table in the schema of a problem', () => {
      expect(lookup(document, '/components/schemas/Problem/properties/code/enum')).to.have.members(
        Object.keys(problems),
      );
    });

    it('has these routes with these scopes, and no other', () => {
      const listed = Object.entries(lookup(document, '/paths') ?? {}).flatMap(([path, item]: [string, unknown]) =>
        Object.entries(isNode(item) ? item : {}).map(([method, operation]) => [
          `${method} ${path}`,
          isNode(operation) ? operation['security'] : undefined,
        ]),
      );
      expect(Object.fromEntries(listed)).to.deep.equal({
        'get /health': [],
        'get /livez': [],
        'get /readyz': [],
        'get /.well-known/jwks.json': [],
        'get /.well-known/orb-keys.json': [],
        'get /.well-known/orb-context/v1': [],
        'get /.well-known/orb-status-list/{n}': [],
        'get /.well-known/orb-ontology.json': [],
        'get /log/checkpoint': [],
        'get /log/tile/{level}/{first}': [],
        'get /log/tile/{level}/{first}/{second}': [],
        'get /log/tile/{level}/{first}/{second}/{third}': [],
        'get /log/tile/{level}/{first}/{second}/{third}/{fourth}': [],
        'get /log/tile/{level}/{first}/{second}/{third}/{fourth}/{fifth}': [],
        'get /log/inclusion': [],
        'get /log/consistency': [],
        'get /openapi.json': [],
        'get /orbs': scoped('orbs:execute'),
        'get /orbs/{orb_id}': scoped('orbs:execute'),
        'get /receipts': scoped('receipts:read'),
        'get /receipts/{receipt_id}': scoped('receipts:read'),
        'get /receipts/{receipt_id}/proof': scoped('receipts:read'),
        'post /log/retractions': scoped('admin'),
        'get /manifests/{digest}': [{ apiKey: ['receipts:read'] }, {}],
        'get /reputation/{orb_id}': scoped('reputation:read'),
        'get /reputation/{orb_id}/certificate': scoped('reputation:read'),
        'get /reputation/{orb_id}/badge': [],
        'get /marketplace/orbs': scoped('marketplace:read'),
        'get /marketplace/orbs/public': [],
        'post /marketplace/orbs/publish': scoped('marketplace:publish'),
        'post /marketplace/orbs/{orb_id}/status': scoped('marketplace:publish'),
        'get /marketplace/orbs/{orb_id}/test-result': [],
        'post /marketplace/orgs': scoped('marketplace:publish'),
        'post /marketplace/orgs/{org}/verify': scoped('marketplace:publish'),
        'get /marketplace/orgs/{org}': scoped('marketplace:read'),
        'post /marketplace/orgs/{org}/status': scoped('admin'),
        'post /orbisets/{id}/execute': [{ apiKey: ['orbs:execute'] }, {}],
        'post /providers/{orb_id}/swap': scoped('providers:swap'),
        'delete /providers/{orb_id}/pin': scoped('providers:swap'),
        'get /providers/{orb_id}/status': scoped('providers:read'),
        'post /policies/replay': scoped('policies:simulate'),
        'get /replays': scoped('policies:simulate'),
        'get /replays/{replay_id}': scoped('policies:simulate'),
        'delete /replays/{replay_id}': scoped('policies:simulate'),
        'get /replays/{replay_id}/changes': scoped('policies:simulate'),
        'get /policies': scoped('policies:read'),
        'post /policies': scoped('policies:write'),
        'get /policies/{namespace}/{name}': scoped('policies:read'),
        'put /policies/{namespace}/{name}': scoped('policies:write'),
        'delete /policies/{namespace}/{name}': scoped('policies:write'),
        'get /policies/{namespace}/{name}/versions': scoped('policies:read'),
        'get /policies/{namespace}/{name}/versions/{digest}': scoped('policies:read'),
        'post /policies/{namespace}/{name}/rollback': scoped('policies:write'),
        'post /policies/{namespace}/{name}/promote': scoped('policies:write'),
        'get /policies/coverage': scoped('policies:read'),
        'get /policies/schema': [{ apiKey: [] }],
        'post /policies/validate': scoped('policies:simulate'),
        'post /policies/evaluate': scoped('policies:simulate'),
        'get /decisions': scoped('decisions:read'),
        'get /decisions/{decision_id}': scoped('decisions:read'),
        'post /decisions/{decision_id}/explain': scoped('decisions:read'),
        'post /decisions/{decision_id}/approve': scoped('policies:approve'),
        'get /status': [],
        'get /status/days': [],
        'get /status/maintenance': [],
        'get /status/intervals': scoped('status:report'),
        'post /status/rounds': scoped('status:report'),
        'post /status/maintenance': scoped('admin'),
        'delete /status/maintenance/{id}': scoped('admin'),
        'post /ingest/{source_id}': BY_SOURCE,
        'put /ingest/{source_id}': BY_SOURCE,
        'get /ingest/{source_id}': BY_SOURCE,
        'head /ingest/{source_id}': [],
        'post /ingest/{source_id}/{token}': BY_SOURCE,
        'get /ingest/{source_id}/{token}': BY_SOURCE,
        'head /ingest/{source_id}/{token}': [],
        'get /signal-sources': scoped('ingest:read'),
        'get /signal-sources/{namespace}/{name}': scoped('ingest:read'),
        'post /signal-sources/{namespace}/{name}/dry-run': scoped('ingest:admin'),
        'get /signal-templates/{vendor}': [{ apiKey: [] }],
        'get /signals': scoped('ingest:read'),
        'get /signals/{signal_id}': scoped('ingest:read'),
        'get /incidents': scoped('ingest:read'),
        'get /incidents/{incident_id}': scoped('ingest:read'),
        'post /incidents/{incident_id}/ack': scoped('incidents:write'),
        'post /incidents/{incident_id}/resolve': scoped('incidents:write'),
        'post /incidents/{incident_id}/mute': scoped('incidents:write'),
        'post /incidents/{incident_id}/withdraw': scoped('incidents:write'),
        'post /incidents/{incident_id}/updates': scoped('incidents:write'),
        'get /dead-letters': scoped('ingest:admin'),
        'get /dead-letters/{delivery_id}': scoped('ingest:admin'),
        'post /dead-letters/redrive': scoped('ingest:admin'),
        'post /dead-letters/{delivery_id}/redrive': scoped('ingest:admin'),
      });
    });

    it('resolves every reference', () => {
      const references = [...nodes(document)].flatMap(([, node]) =>
        typeof node['$ref'] === 'string' ? [node['$ref']] : [],
      );
      expect(references).to.include('#/components/schemas/Problem');
      expect(references.filter((pointer) => lookup(document, pointer.slice(1)) === undefined)).to.deep.equal([]);
    });

    it('says where a request id and Retry-After are to be expected', () => {
      const answers = isNode(document['paths']) ? document['paths']['/orbisets/{id}/execute'] : undefined;
      expect(answers).to.have.nested.property('post.responses.200.headers.Orb-Request-Id');
      expect(answers).to.have.nested.property('post.responses.503.headers.Retry-After');
      expect(answers).to.not.have.nested.property('post.responses.422.headers.Retry-After');
    });
  });

  describe('GET /openapi.json', () => {
    it('is public, describes itself, and is not sent twice', async () => {
      const app = await startApp(serviceRoutes(parts.parts));
      const first = await app.call('GET', '/openapi.json', { key: null });
      expect(first.value).to.deep.equal(JSON.parse(JSON.stringify(app.openapi)));
      const etag = first.headers.get('etag') ?? '';
      const second = await app.call('GET', '/openapi.json', { key: null, headers: { 'if-none-match': etag } });
      expect(second.status).to.equal(304);
      await app.close();
    });
  });
});
