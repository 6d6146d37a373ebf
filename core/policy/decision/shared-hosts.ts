/** Whether a pattern, `*.suffix` or an exact name, means a host; as `hostAllowed` of core/egress does. */
const covers = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1 : pattern === host;

/** Whether every host of a pattern is one of the other. `*.a.example` is inside `*.example`, and a name in its suffix. */
function isInside(inner: string, outer: string): boolean {
  if (!inner.startsWith('*.')) return covers(outer, inner);
  return inner === outer || (outer.startsWith('*.') && covers(outer, inner.slice(2)));
}

/**
 * The patterns of the hosts that both lists allow; sorted, empty when there is none.
 * Two patterns either are one inside the other or share nothing, so no pattern has to be made.
 */
export const sharedHosts = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const inside = [
    ...one.filter((host) => other.some((outer) => isInside(host, outer))),
    ...other.filter((host) => one.some((outer) => isInside(host, outer))),
  ];
  return [...new Set(inside)].toSorted();
};
