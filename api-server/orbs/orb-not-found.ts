import type { Catalog, OrbEntry } from '../../adapters/catalog/port.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import { nearestOrbId } from '../../core/orb/nearest-orb-id.ts';
import { sourcesOf } from '../../core/orb/invalid-source.ts';
import { problem } from '../http/problem.ts';
import type { ProblemError } from '../http/problem-options.ts';
import type { Reply, RouteRequest } from '../http/route.ts';

/** Where an Orb was looked for. */
export interface SearchedOrbs {
  readonly catalog: Pick<Catalog, 'orb' | 'invalid'>;
  /** Tenant of the request. */
  readonly namespace: string;
  /** The ids that the caller may see. */
  readonly known: ReadonlySet<OrbId>;
  /** Place of the id in the request. */
  readonly at: Pick<ProblemError, 'pointer' | 'parameter'>;
}

/** Names a file or an object, and its fault. A fault is shown only to the tenant that can mend it. */
export function faultOf({ namespace, name, fault = '', file }: OrbEntry, tenant: string): string | undefined {
  return fault === '' || namespace !== tenant ? undefined : `${file ?? `Orb ${namespace}/${name}`}: ${fault}`;
}

/** Of an Orb that the caller may have meant: what keeps its newest generation from running. */
function faultOfMeant({ catalog, namespace }: SearchedOrbs, orbId: OrbId | undefined): readonly string[] {
  const entry = orbId === undefined ? undefined : catalog.orb(namespace, orbId);
  const fault = entry && faultOf(entry, namespace);
  return fault === undefined ? [] : [`The newest content of ${orbId} is not valid: ${fault}`];
}

/**
 * The answer for an Orb that is not there: the nearest id that the caller can see, and the file or object of this id that
 * is not valid, with its first fault.
 * @param orbId as the caller wrote it
 */
export function orbNotFound(request: RouteRequest, orbId: string, searched: SearchedOrbs): Reply {
  const { catalog, namespace, known, at } = searched;
  const isLimited = request.caller?.orbs !== undefined;
  const meant = nearestOrbId(orbId, known);
  const invalid = isLimited ? [] : sourcesOf(orbId, catalog.invalid(namespace));
  const faults = [
    ...invalid.map(({ place, ids, fault }) =>
      ids.includes(orbId)
        ? `${place} is not valid, so this Orb is not there: ${fault}`
        : `${place} is not valid, and gives no Orb: ${fault}`,
    ),
    ...(isLimited ? [] : faultOfMeant(searched, meant)),
  ];
  const error = { ...at, code: 'orb-unknown', detail: 'There is no such Orb here.' };
  return problem(request, 'orb-not-found', {
    ...(faults.length === 0 ? {} : { detail: faults.join(' ') }),
    ...(meant === undefined ? {} : { errors: [{ ...error, suggestion: meant }] }),
  });
}
