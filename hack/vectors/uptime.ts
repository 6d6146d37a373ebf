import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { overallState } from '../../core/status/overall.ts';
import { forEachService, isServiceState, type ServiceState } from '../../core/status/service.ts';
import type { StateInterval } from '../../core/status/timeline.ts';
import { UPTIME_METHOD, uptimeOf } from '../../core/status/uptime.ts';
import { asObject, has, listAt, numberAt, objectAt, textAt, valueAt } from './read.ts';
import { each, outcomeOf, type Suite } from './suite.ts';

function stateAt(object: JsonObject, name: string): ServiceState {
  const text = textAt(object, name);
  if (!isServiceState(text)) throw new Error(`${text} is no state of a service`);
  return text;
}

function intervalOf(value: JsonValue): StateInterval {
  const item = asObject(value, 'an interval');
  const announced = has(item, 'announced_24h') && valueAt(item, 'announced_24h') === true;
  return { from: numberAt(item, 'from'), to: numberAt(item, 'to'), state: stateAt(item, 'state'), announced };
}

function uptimeCase(item: JsonObject): JsonValue {
  const services = objectAt(item, 'services');
  const intervals = Object.keys(services).map((name) => listAt(services, name).map(intervalOf));
  const uptime = uptimeOf(intervals, { from: numberAt(item, 'from'), to: numberAt(item, 'to') });
  return {
    uptime_pct: uptime.uptimePct,
    coverage_pct: uptime.coveragePct,
    downtime_s: uptime.downtimeS,
    maintenance_s: uptime.maintenanceS,
  };
}

function overallCase(item: JsonObject): JsonValue {
  const services = objectAt(item, 'services');
  return overallState(forEachService((service) => stateAt(services, service)));
}

/** Uptime and overall state: status.md §5. */
export const uptime: Suite = {
  subject: 'uptime',
  data: [],
  parts: {
    method: async (value) => [await outcomeOf('method', value, () => UPTIME_METHOD)],
    cases: each(uptimeCase),
    overall_cases: each(overallCase),
  },
};
