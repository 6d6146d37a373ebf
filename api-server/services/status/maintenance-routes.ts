import type { Clock } from '../../../adapters/time/clock.ts';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { maintenanceProblem, type MaintenanceProblem } from '../../../core/status/maintenance.ts';
import { MAX_TITLE, publicText } from '../../../core/status/public-text.ts';
import { isService, SERVICES, type Service } from '../../../core/status/service.ts';
import { isPlatformAdmin, PLATFORM_ONLY } from '../../http/platform-admin.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, ref, shapes } from '../../http/schemas.ts';
import type { PlatformStatus } from '../../status/platform-status.ts';
import { maintenanceJson } from '../../status/status-body.ts';
import { timeOf } from './rounds-body.ts';
import { servicesSchema, titleSchema } from './status-schemas.ts';

export interface MaintenanceParts {
  readonly status: Pick<PlatformStatus, 'plan' | 'end'>;
  readonly platformNamespace: string;
  readonly clock: Pick<Clock, 'now'>;
}

const isServices = (value: JsonValue | undefined): value is readonly Service[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  new Set(value).size === value.length &&
  value.every((name) => typeof name === 'string' && isService(name));

const isTitle = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && value.length <= MAX_TITLE && publicText(value) !== '';

const isTime = (value: JsonValue): boolean => timeOf(value) !== undefined;

const MEMBERS: readonly Member[] = [
  { name: 'services', accepts: isServices, expected: `one or more of ${SERVICES.join(', ')}, each once` },
  { name: 'from', accepts: isTime, expected: 'a UTC time with milliseconds' },
  { name: 'to', accepts: isTime, expected: 'a UTC time with milliseconds' },
  { name: 'title', accepts: isTitle, expected: `a line of 1 to ${MAX_TITLE} characters` },
];

const PLACES: Readonly<Record<MaintenanceProblem, { readonly pointer: string; readonly detail: string }>> = {
  past: { pointer: '/from', detail: 'It begins in the past: nobody can announce afterwards.' },
  empty: { pointer: '/to', detail: 'It ends before it begins.' },
  'too-long': { pointer: '/to', detail: 'It ends more than seven days after its beginning.' },
};

const refuseNoAdmin = (request: RouteRequest, namespace: string): Reply | undefined =>
  isPlatformAdmin(request.caller, namespace) ? undefined : problem(request, 'forbidden', { detail: PLATFORM_ONLY });

const answered = (description: string) => ({
  description,
  content: { 'application/json': { schema: ref('Maintenance') } },
});

function planRoute({ status, platformNamespace, clock }: MaintenanceParts): Route {
  const planned = async (request: RouteRequest, body: JsonObject): Promise<Reply> => {
    const { services, title } = body;
    const window = { from: timeOf(body['from']) ?? 0, to: timeOf(body['to']) ?? 0 };
    if (!isServices(services) || !isTitle(title)) return problem(request, 'invalid-parameter');
    const fault = maintenanceProblem(window, clock.now());
    if (fault !== undefined)
      return problem(request, 'maintenance-invalid', { errors: [{ code: fault, ...PLACES[fault] }] });
    const by = request.caller?.id ?? '';
    const made = await status.plan({ ...window, services, title: publicText(title), by });
    return { ...json(maintenanceJson(made)), status: 201 };
  };
  return {
    method: 'post',
    path: '/status/maintenance',
    scope: 'admin',
    accepts: 'application/json',
    handle: async (request) => {
      const refused = refuseNoAdmin(request, platformNamespace);
      if (refused !== undefined) return refused;
      const body = readMembers(request, MEMBERS);
      return body.ok ? planned(request, body.value) : body.reply;
    },
    operation: {
      operationId: 'planMaintenance',
      summary: 'Announces maintenance',
      description:
        'An outage within it does not count when it was announced 24 hours ahead. What works in it counts as working.',
      tags: ['status'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: closed({ services: servicesSchema, from: shapes.time, to: shapes.time, title: titleSchema }),
          },
        },
      },
      responses: { '201': answered('Announced.') },
      problems: ['maintenance-invalid', 'invalid-parameter', 'unknown-member', 'invalid-json', 'ledger-unavailable'],
    },
  };
}

const MAINTENANCE_ID = /^mnt_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function cancelRoute({ status, platformNamespace }: MaintenanceParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const refused = refuseNoAdmin(request, platformNamespace);
    if (refused !== undefined) return refused;
    const { id = '' } = request.params;
    const ended = MAINTENANCE_ID.test(id) ? await status.end(id) : ({ kind: 'not-found' } as const);
    if (ended.kind === 'not-found') return problem(request, 'maintenance-not-found');
    return ended.kind === 'over' ? problem(request, 'maintenance-state') : json(maintenanceJson(ended.window));
  };
  return {
    method: 'delete',
    path: '/status/maintenance/{id}',
    scope: 'admin',
    handle,
    operation: {
      operationId: 'cancelMaintenance',
      summary: 'Cancels maintenance that has not begun, or ends it',
      description: 'What it excluded until now stays excluded.',
      tags: ['status'],
      parameters: [
        {
          name: 'id',
          in: 'path',
          description: 'As in the list of windows.',
          schema: { type: 'string', maxLength: 64 },
        },
      ],
      responses: { '200': answered('Cancelled or ended.') },
      problems: ['maintenance-not-found', 'maintenance-state', 'ledger-unavailable'],
    },
  };
}

/** Announcing and ending maintenance, for the platform only. */
export const maintenanceRoutes = (parts: MaintenanceParts): readonly Route[] => [planRoute(parts), cancelRoute(parts)];
