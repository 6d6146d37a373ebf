import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { dateOf, daysUntil, dayStrip } from '../../core/status/days.ts';
import { isAhead, type Maintenance } from '../../core/status/maintenance.ts';
import { overallState } from '../../core/status/overall.ts';
import { publicText } from '../../core/status/public-text.ts';
import { CRITICAL_SERVICES, forEachService, SERVICES } from '../../core/status/service.ts';
import { OUTAGE_WEIGHTS, UPTIME_METHOD, uptimeOf } from '../../core/status/uptime.ts';
import type { PublicIncident } from './public-incident.ts';
import type { StatusMemory } from './status-memory.ts';

const DAY_MS = 86_400_000;
const WINDOW_MS = 30 * DAY_MS;
const LOW_COVERAGE_PCT = 95;

/** Largest body of `GET /status`, bytes. */
const MAX_BYTES = 16_384;
const MAX_UPDATE = 500;

/** What the pages are made of. */
export interface StatusFacts {
  readonly memory: StatusMemory;
  /** Newest first, with those that are resolved. */
  readonly incidents: readonly PublicIncident[];
}

const time = (at: number): string => new Date(at).toISOString();

const windowJson = ({ id, title, services, from, to, announcedAt }: Maintenance): JsonObject => ({
  id,
  title: publicText(title),
  services: [...services],
  from: time(from),
  to: time(to),
  announced_at: time(announcedAt),
});

/** A window as the list of windows shows it. */
export const maintenanceJson = (window: Maintenance): JsonObject => ({
  ...windowJson(window),
  cancelled_at: window.cancelledAt === null ? null : time(window.cancelledAt),
});

function incidentJson(incident: PublicIncident, updates: number): JsonObject {
  const { id, title, status, impact, services, startedAt, resolvedAt } = incident;
  return {
    id,
    title: publicText(title),
    status,
    impact,
    services: [...services],
    started_at: time(startedAt),
    resolved_at: resolvedAt === null ? null : time(resolvedAt),
    updates: incident.updates
      .slice(0, updates)
      .map(({ at, status: then, body }) => ({ at: time(at), status: then, body: publicText(body, MAX_UPDATE) })),
  };
}

/** How much of its lists a body shows. The first that fits is used. */
const SHARES = [
  { incidents: 20, updates: 5, windows: 20 },
  { incidents: 20, updates: 1, windows: 20 },
  { incidents: 10, updates: 1, windows: 5 },
  { incidents: 5, updates: 0, windows: 2 },
] as const;

/** `GET /status`, or null when nothing of the window is covered. */
export type StatusPage = { readonly body: string; readonly etag: string } | null;

function listsJson({ memory, incidents }: StatusFacts, now: number, share: Share): JsonObject {
  const current = incidents.filter(({ resolvedAt }) => resolvedAt === null).slice(0, share.incidents);
  const ahead = memory.windows.filter((window) => isAhead(window, now) && window.from < now + WINDOW_MS);
  return {
    incidents: current.map((incident) => incidentJson(incident, share.updates)),
    maintenance: ahead.slice(0, share.windows).map(windowJson),
  };
}

// A weak tag: the window moves with every answer, and a page that differs in nothing else is not new.
const etagOf = (parts: readonly JsonValue[]): string =>
  `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}"`;

type Share = (typeof SHARES)[number];

function firstFitting(write: (share: Share) => string): string {
  let text = '';
  for (const share of SHARES) {
    text = write(share);
    if (Buffer.byteLength(text) <= MAX_BYTES) break;
  }
  return text;
}

/**
 * Body and ETag of `GET /status` (status.md §6).
 * @returns null: neither up nor down was seen in 30 days, so there is no number to give
 */
export function statusPage(facts: StatusFacts, now: number): StatusPage {
  const { memory } = facts;
  const window = { from: now - WINDOW_MS, to: now };
  const intervals = forEachService((service) => memory.intervals(service, now));
  const platform = uptimeOf(
    CRITICAL_SERVICES.map((service) => intervals[service]),
    window,
  );
  const lastEnd = memory.lastEnd();
  if (platform.uptimePct === null || lastEnd === null) return null;
  const services = memory.states(now);
  const status = overallState(services);
  const measured = {
    method: UPTIME_METHOD,
    coverage_pct: platform.coveragePct,
    low_coverage: platform.coveragePct < LOW_COVERAGE_PCT,
    weights: OUTAGE_WEIGHTS,
    per_service: forEachService((service) => uptimeOf([intervals[service]], window).uptimePct),
  };
  const uptimePct = platform.uptimePct;
  const { method, ...rest } = measured;
  const write = (share: Share): string => {
    const { incidents, maintenance } = listsJson(facts, now, share);
    return JSON.stringify({
      status,
      uptime_30d_pct: uptimePct,
      incidents,
      services,
      last_updated: time(lastEnd),
      uptime: { method, window_start: time(window.from), ...rest },
      maintenance,
    });
  };
  const body = firstFitting(write);
  const lists = listsJson(facts, now, SHARES[0]);
  return { body, etag: etagOf([status, uptimePct, { ...services }, { ...measured }, lists]) };
}

const MAX_RESOLVED = 100;

/** `GET /status/days`. @param count 1 to 90 */
export function daysPage({ memory, incidents }: StatusFacts, now: number, count: number): JsonObject {
  const days = daysUntil(now, count);
  const strips = forEachService((service) => dayStrip(memory.intervals(service, now), days));
  const since = days[0]?.from ?? now;
  const resolved = incidents.filter(({ resolvedAt }) => resolvedAt !== null && resolvedAt >= since);
  return {
    method: UPTIME_METHOD,
    days: days.map((day, index) => ({
      date: dateOf(day),
      services: Object.fromEntries(SERVICES.map((service) => [service, { ...strips[service][index] }])),
    })),
    incidents: resolved.slice(0, MAX_RESOLVED).map((incident) => incidentJson(incident, SHARES[0].updates)),
  };
}
