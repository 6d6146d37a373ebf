/** An open incident of one Orb at one host. */
export interface OrbIncident {
  readonly orbId: string;
  readonly host: string;
  readonly openedAt: number;
}

const OUTAGE_WINDOW_MS = 300_000;
const OUTAGE_ORBS = 3;

/** Whether at least three Orbs began to fail within five minutes. */
function isOutage(found: readonly OrbIncident[]): boolean {
  // Most hosts have few Orbs, and any number of incidents.
  if (new Set(found.map(({ orbId }) => orbId)).size < OUTAGE_ORBS) return false;
  const inOrder = found.toSorted((one, other) => one.openedAt - other.openedAt);
  const within = new Map<string, number>();
  let first = 0;
  for (const { orbId, openedAt } of inOrder) {
    within.set(orbId, (within.get(orbId) ?? 0) + 1);
    for (
      let old = inOrder[first];
      old !== undefined && openedAt - old.openedAt > OUTAGE_WINDOW_MS;
      old = inOrder[first]
    ) {
      const left = (within.get(old.orbId) ?? 0) - 1;
      if (left === 0) within.delete(old.orbId);
      else within.set(old.orbId, left);
      first += 1;
    }
    if (within.size >= OUTAGE_ORBS) return true;
  }
  return false;
}

/** Hosts where at least three Orbs began to fail within five minutes: one incident by host stands for them. Sorted. */
export const outageHosts = (incidents: readonly OrbIncident[]): readonly string[] =>
  [...Map.groupBy(incidents, ({ host }) => host)]
    .flatMap(([host, found]) => (isOutage(found) ? [host] : []))
    .toSorted();
