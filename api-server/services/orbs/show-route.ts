import { parseOrbId } from '../../../core/manifest/orb-id.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { ref, shapes } from '../../http/schemas.ts';
import { orbNotFound } from '../../orbs/orb-not-found.ts';
import { visibleIds } from '../../orbs/visible-orbs.ts';
import { refuseKey } from '../../run/authorise.ts';
import { orbView, sourcesFor, type OrbViewer } from './orb-view.ts';
import { viewerFor } from './viewer.ts';

function show(runtime: OrbViewer['runtime'], request: RouteRequest): Reply {
  const choice = tenantFor(request, 'orb-not-found', 'orb-ambiguous');
  if (!choice.ok) return choice.reply;
  const { tenant: namespace } = choice;
  const text = request.params['orb_id'] ?? '';
  const parsed = parseOrbId(text);
  const limited = parsed.ok ? refuseKey(request, parsed.value) : undefined;
  if (limited !== undefined) return limited;
  const viewer = viewerFor(runtime, namespace);
  const view = parsed.ok ? orbView(viewer, parsed.value) : undefined;
  if (view !== undefined) return json(view, { 'cache-control': 'private, no-cache' });
  const { orbisets } = viewer;
  const known = visibleIds(sourcesFor(runtime), { namespace, orbisets, limitedTo: request.caller?.orbs });
  return orbNotFound(request, text, { catalog: runtime.catalog, namespace, known, at: { parameter: 'orb_id' } });
}

/** `GET /orbs/{orb_id}`: one Orb as the list shows it. */
export const orbRoute = (runtime: OrbViewer['runtime']): Route => ({
  method: 'get',
  path: '/orbs/{orb_id}',
  scope: 'orbs:execute',
  handle: async (request) => show(runtime, request),
  operation: {
    operationId: 'getRunnableOrb',
    summary: 'What an Orb takes and gives, and whether a run may start',
    tags: ['runtime'],
    parameters: [
      { name: 'orb_id', in: 'path', description: 'An Orb that the tenant can run.', schema: shapes.orbId },
      namespaceParameter,
    ],
    responses: { '200': { description: 'The Orb.', content: { 'application/json': { schema: ref('Orb') } } } },
    problems: ['orb-not-found', 'orb-ambiguous'],
  },
});
