import type { IncidentWithUpdates, Ledger } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { actOn, type IncidentAct } from '../../../core/ingestion/incidents/act.ts';
import { followInLog } from '../../../core/ingestion/incidents/incident-entry.ts';
import { readIncident } from '../../../core/ingestion/incidents/read-incident.ts';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { incidentChange } from '../../ingestion/worker/stored-incident.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { closed, text } from '../../http/schemas.ts';
import { findIncident, incidentParameters, storedView } from './incident-routes.ts';
import { PRIVATE } from './paging.ts';
import { incident as schema } from './view-schemas.ts';

export interface IncidentActParts {
  readonly ledger: Pick<Ledger, 'incident' | 'changeIncidents'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** The worker may change the incident at the same time; each try reads it again. */
const TRIES = 5;
const MAX_TEXT = 4096;
const MAX_MUTE_MS = 30 * 86_400_000;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;

type Changed = { readonly kind: 'done' } | { readonly kind: 'again' } | { readonly kind: 'refused'; detail: string };

async function change(
  found: IncidentWithUpdates,
  act: IncidentAct,
  { ledger, now, by }: Pick<IncidentActParts, 'ledger'> & { readonly now: number; readonly by: string },
): Promise<Changed> {
  const result = actOn(readIncident(found.json), act, { now, by });
  if (!result.ok) return { kind: 'refused', detail: result.detail };
  const { logEntry, ...entered } = followInLog(result, now);
  const written = await ledger.changeIncidents([incidentChange(entered, found.revision, logEntry)]);
  return { kind: written.kind === 'applied' ? 'done' : 'again' };
}

async function apply(request: RouteRequest, act: IncidentAct, parts: IncidentActParts): Promise<Reply> {
  const { ledger, clock, logger } = parts;
  const by = request.caller?.id ?? '';
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const found = await findIncident(request, ledger);
    if (!found.ok) return found.reply;
    const result = await change(found.value, act, { ledger, now: Math.floor(clock.now()), by });
    if (result.kind === 'refused') return problem(request, 'incident-state', { detail: `${result.detail}.` });
    if (result.kind === 'again') continue;
    const { incidentId, tenant } = found.value;
    logger.info('a person changed an incident', { incident_id: incidentId, tenant, act: act.kind, caller: by });
    const after = await findIncident(request, ledger);
    return after.ok ? json(storedView(after.value), PRIVATE) : after.reply;
  }
  return problem(request, 'incident-state', { detail: 'It changes at this moment; send the request again.' });
}

const isText = (value: JsonValue): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT;
const textMember = (name: string): Member => ({
  name,
  accepts: isText,
  expected: `a text of 1–${MAX_TEXT} characters`,
});

interface ActForm {
  readonly name: string;
  readonly operationId: string;
  readonly summary: string;
  /** Members of the body; none: the request has no body. */
  readonly members: readonly Member[];
  readonly actOf: (body: JsonObject, now: number) => IncidentAct | string;
}

function textOf(body: JsonObject, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

function muteOf(body: JsonObject, now: number): IncidentAct | string {
  const until = Date.parse(textOf(body, 'until'));
  return until > now && until <= now + MAX_MUTE_MS
    ? { kind: 'mute', until }
    : 'Expected: a time of the next 30 days, in UTC.';
}

const FORMS: readonly ActForm[] = [
  {
    name: 'ack',
    operationId: 'acknowledgeIncident',
    summary: 'Says that somebody works on an incident',
    members: [],
    actOf: () => ({ kind: 'ack' }),
  },
  {
    name: 'resolve',
    operationId: 'resolveIncident',
    summary: 'Ends an incident by hand; what its sources show by then stays closed',
    members: [],
    actOf: () => ({ kind: 'resolve' }),
  },
  {
    name: 'mute',
    operationId: 'muteIncident',
    summary: 'Keeps an incident out of the status of its Orb for a while',
    members: [
      {
        name: 'until',
        accepts: (value) => typeof value === 'string' && TIME.test(value),
        expected: 'a UTC time like 2026-11-20T10:00:00Z',
      },
    ],
    actOf: muteOf,
  },
  {
    name: 'withdraw',
    operationId: 'withdrawIncident',
    summary: 'Takes an incident back: it was none. An entry of the log says so, and scores are computed without it',
    members: [textMember('reason')],
    actOf: (body) => ({ kind: 'withdraw', reason: textOf(body, 'reason') }),
  },
  {
    name: 'updates',
    operationId: 'addIncidentUpdate',
    summary: 'Adds a line to the history of an incident',
    members: [textMember('body')],
    actOf: (body) => ({ kind: 'note', body: textOf(body, 'body') }),
  },
];

function readAct(request: RouteRequest, { members, actOf }: ActForm, now: number): Step<IncidentAct> {
  const body = members.length === 0 ? ({ ok: true, value: {} } as const) : readMembers(request, members);
  if (!body.ok) return body;
  const act = actOf(body.value, now);
  if (typeof act !== 'string') return { ok: true, value: act };
  const [{ name } = { name: '' }] = members;
  const errors = [{ pointer: `/${name}`, code: 'member-malformed', detail: act }];
  return refuse(problem(request, 'invalid-parameter', { errors }));
}

function routeOf(form: ActForm, parts: IncidentActParts): Route {
  const { name, operationId, summary, members } = form;
  const body = closed(Object.fromEntries(members.map((member) => [member.name, text(member.expected)])));
  const hasBody = members.length > 0;
  return {
    method: 'post',
    path: `/incidents/{incident_id}/${name}`,
    scope: 'incidents:write',
    ...(hasBody ? { accepts: 'application/json' } : {}),
    handle: async (request) => {
      const act = readAct(request, form, parts.clock.now());
      return act.ok ? apply(request, act.value, parts) : act.reply;
    },
    operation: {
      operationId,
      summary,
      tags: ['ingestion'],
      parameters: incidentParameters,
      ...(hasBody ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
      responses: { '200': { description: 'The incident.', content: { 'application/json': { schema } } } },
      problems: [
        'incident-not-found',
        'incident-state',
        'namespace-ambiguous',
        'ledger-unavailable',
        ...(hasBody ? (['invalid-json', 'invalid-parameter', 'unknown-member'] as const) : []),
      ],
    },
  };
}

/** `POST /incidents/{incident_id}/ack`, `/resolve`, `/mute`, `/withdraw` and `/updates`. */
export const incidentActRoutes = (parts: IncidentActParts): readonly Route[] =>
  FORMS.map((form) => routeOf(form, parts));
