import { CRITICAL_SERVICES, SERVICES, SERVICE_STATES, type ServiceState, type ServiceStates } from './service.ts';

const rank = (state: ServiceState): number => SERVICE_STATES.indexOf(state);

const worseOf = (one: ServiceState, other: ServiceState): ServiceState => (rank(one) >= rank(other) ? one : other);

const COUNTS_ELSEWHERE: ReadonlySet<ServiceState> = new Set(['degraded_performance', 'partial_outage', 'major_outage']);

/**
 * State of the platform: the worst of the critical services, and at least `degraded_performance` when another service is
 * degraded or out. Another service that is unknown or in maintenance changes nothing.
 */
export function overallState(states: ServiceStates): ServiceState {
  const critical = CRITICAL_SERVICES.map((service) => states[service]).reduce(worseOf);
  const isImpaired = SERVICES.some((service) => COUNTS_ELSEWHERE.has(states[service]));
  return isImpaired ? worseOf(critical, 'degraded_performance') : critical;
}
