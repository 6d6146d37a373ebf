/** Components of the public status, in the order in which they are shown (status.md §1). */
export const SERVICES = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'] as const;

export type Service = (typeof SERVICES)[number];

/** Services whose outage is an outage of the platform: uptime and the overall state are theirs. */
export const CRITICAL_SERVICES = ['runtime', 'reputation_ledger'] as const satisfies readonly Service[];

/** States of a service, the worst last. */
export const SERVICE_STATES = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'unknown',
  'partial_outage',
  'major_outage',
] as const;

export type ServiceState = (typeof SERVICE_STATES)[number];

export type ServiceStates = Readonly<Record<Service, ServiceState>>;

export const isService = (text: string): text is Service => SERVICES.some((service) => service === text);

export const isServiceState = (text: string): text is ServiceState => SERVICE_STATES.some((state) => state === text);

/** One value for each service. */
export const forEachService = <Value>(valueOf: (service: Service) => Value): Readonly<Record<Service, Value>> => ({
  runtime: valueOf('runtime'),
  reputation_ledger: valueOf('reputation_ledger'),
  observable_engine: valueOf('observable_engine'),
  ingestion: valueOf('ingestion'),
});
