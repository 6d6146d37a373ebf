import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { checkJson, countJson, parseJson } from '../../../core/manifest/read-json.ts';
import { nearestName } from '../../../core/manifest/nearest.ts';
import { CasesNotRun } from '../../../core/errors/cases-not-run.ts';
import { orgOf } from '../../../core/reputation/line.ts';
import { NOT_EVALUATED } from '../../../core/publication/listed-orb.ts';
import { LedgerError } from '../../../adapters/ledger/port.ts';
import type { ProblemError } from '../../http/problem-options.ts';
import { ledgerCode, problem } from '../../http/problem.ts';
import { wrongMembers } from '../../http/read-members.ts';
import { QueryReader } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { closed, ref } from '../../http/schemas.ts';
import type { Published, PublishRequest } from '../../reputation/publish-request.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import { actingTenant } from './acting-tenant.ts';
import { PublishPlaces } from './publish-places.ts';
import { publishedSchema } from './schemas.ts';

const MEMBERS = ['manifest', 'test_results', 'test_suites'];

type Body = Pick<PublishRequest, 'manifest' | 'testResults' | 'testSuites'>;

function memberErrors(body: JsonObject): readonly ProblemError[] {
  const unknown = Object.keys(body)
    .filter((name) => !MEMBERS.includes(name))
    .slice(0, 20)
    .map((name) => {
      const suggestion = nearestName(name, MEMBERS);
      const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const detail = `Members here: ${MEMBERS.join(', ')}.`;
      return { pointer, code: 'unknown-member', detail, ...(suggestion === undefined ? {} : { suggestion }) };
    });
  const missing = ['manifest', 'test_results']
    .filter((name) => !Object.hasOwn(body, name))
    .map((name) => ({ pointer: `/${name}`, code: 'missing-member', detail: `"${name}" is missing; add it.` }));
  const suites = body['test_suites'];
  const noList = suites !== undefined && !Array.isArray(suites);
  const malformed = noList
    ? [{ pointer: '/test_suites', code: 'member-malformed', detail: 'Expected: a list of suites.' }]
    : [];
  return [...unknown, ...missing, ...malformed];
}

/** Counting the parts of a large body takes some ten milliseconds, and so do parsing it and checking what was parsed. */
async function bodyOf(request: RouteRequest): Promise<Step<Body>> {
  const counts = countJson(request.body);
  await request.longTurn();
  const parsed = parseJson(request.body, counts);
  await request.longTurn();
  const checked = checkJson(parsed);
  if (!checked.ok) {
    const errors = checked.findings.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    return refuse(problem(request, 'invalid-json', { errors }));
  }
  const { value } = checked;
  if (!isJsonObject(value)) {
    const detail = 'The body is a JSON object with manifest and test_results.';
    return refuse(problem(request, 'invalid-parameter', { errors: [{ pointer: '', code: 'not-an-object', detail }] }));
  }
  const errors = memberErrors(value);
  if (errors.length > 0) return refuse(wrongMembers(request, errors));
  const { manifest = null, test_results: testResults = null, test_suites: suites } = value;
  return { ok: true, value: { manifest, testResults, testSuites: Array.isArray(suites) ? suites : [] } };
}

const orgIn = ({ manifest }: Body): string | undefined => {
  const orbId = isJsonObject(manifest) ? manifest['orb_id'] : undefined;
  return typeof orbId === 'string' ? orgOf(orbId) : undefined;
};

function answer(request: RouteRequest, result: Published, { listings }: Pick<Reputation, 'listings'>): Reply {
  if (result.kind === 'refused') {
    const { code, report, detail } = result;
    const errors = result.findings
      .filter(({ severity }) => severity === 'error')
      .map(({ pointer, code: rule, detail: text }) => ({ pointer, code: rule, detail: text }));
    return problem(request, code, {
      ...(detail === undefined ? {} : { detail }),
      ...(errors.length === 0 ? {} : { errors }),
      extensions: { validation_report: report },
    });
  }
  if (result.kind === 'checked') return json(result.report);
  const { orbId, digest, logIndex, report, isNew } = result;
  const standing = listings.orb(orbId)?.standing ?? NOT_EVALUATED;
  const body = {
    orb_id: orbId,
    version: orbId.slice(orbId.lastIndexOf('@') + 1),
    manifest_digest: digest,
    status: 'listed',
    certification_tier: standing.tier,
    reputation_score: standing.score,
    validation_report: report,
    log: { index: logIndex },
  };
  return { ...json(body), status: isNew ? 201 : 200 };
}

/** `POST /marketplace/orbs/publish` (spec §4.2, trust.md §8). */
export function publishRoute(reputation: Reputation): Route {
  const places = new PublishPlaces();
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const reader = new QueryReader(request.query, ['dry_run', 'namespace']);
    const query = reader.result({ dryRun: reader.flag('dry_run') });
    if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
    const body = await bodyOf(request);
    if (!body.ok) return body.reply;
    const choice = actingTenant(request, orgIn(body.value), reputation.listings);
    if (!choice.ok) return choice.reply;
    const { tenant } = choice;
    const giveBack = places.take(tenant);
    if (giveBack === undefined) return problem(request, 'overloaded', { headers: { 'retry-after': '1' } });
    try {
      const asked = { ...body.value, ...query.value, tenant };
      const result = await reputation.publisher.publish(asked);
      if (result.kind === 'listed') await reputation.evaluated(result.orbId);
      return answer(request, result, reputation);
    } catch (error) {
      if (error instanceof CasesNotRun) return problem(request, 'overloaded', { headers: { 'retry-after': '1' } });
      if (!(error instanceof LedgerError)) throw error;
      return problem(request, ledgerCode(error));
    } finally {
      giveBack();
    }
  };
  return {
    method: 'post',
    path: '/marketplace/orbs/publish',
    scope: 'marketplace:publish',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'publishOrb',
      summary: 'Publishes a version of an Orb',
      description:
        'Stages: schema, ontology, namespace, version, tests, verification, listing. The first one that fails ends the request, and its findings are in validation_report. The version is its own idempotency key.',
      tags: ['marketplace'],
      parameters: [
        {
          name: 'dry_run',
          in: 'query',
          description: 'true: only the report; nothing is written.',
          schema: { type: 'boolean' },
        },
        {
          name: 'namespace',
          in: 'query',
          description: 'Tenant that publishes; needed when the key acts for several and none owns the organisation.',
          schema: { type: 'string', maxLength: 63 },
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: closed(
              {
                manifest: { type: 'object', description: 'The manifest.' },
                test_results: { type: 'object', description: 'CTRF report of orb test.' },
                test_suites: { type: 'array', items: { type: 'object' }, maxItems: 64 },
              },
              ['test_suites'],
            ),
          },
        },
      },
      responses: {
        '200': {
          description: 'Published before with these bytes; or the report of a dry run.',
          content: { 'application/json': { schema: { anyOf: [publishedSchema, ref('ValidationReport')] } } },
        },
        '201': { description: 'Published.', content: { 'application/json': { schema: publishedSchema } } },
      },
      problems: [
        'invalid-parameter',
        'unknown-member',
        'invalid-json',
        'namespace-not-found',
        'namespace-ambiguous',
        'namespace-not-owned',
        'namespace-unverified',
        'version-immutable',
        'version-tombstoned',
        'version-build-metadata',
        'validation-failed',
        'overloaded',
        'ledger-unavailable',
        'ledger-forked',
      ],
    },
  };
}
