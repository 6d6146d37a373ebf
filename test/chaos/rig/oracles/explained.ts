import { metadataOf, textOf } from '../json.ts';
import { at, isRecord } from '../../../../hack/control-plane/json.ts';

/** For these types, True means that something is wrong or in progress; for all other types, False or Unknown does. */
const ABNORMAL_TRUE = new Set(['Reconciling', 'Stalled']);

const isNormal = (type: string, status: string): boolean =>
  ABNORMAL_TRUE.has(type) ? status === 'False' : status === 'True';

function explainedIn(object: unknown, documented: ReadonlySet<string>): readonly string[] {
  const conditions = at(object, 'status', 'conditions');
  if (!Array.isArray(conditions)) return [];
  const { namespace, name } = metadataOf(object);
  const place = `${textOf(at(object, 'kind')) ?? ''} ${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;
  return conditions.filter(isRecord).flatMap((condition) => {
    const type = textOf(condition['type']) ?? '';
    const reason = textOf(condition['reason']) ?? '';
    if (isNormal(type, textOf(condition['status']) ?? '') || documented.has(reason)) return [];
    return [`${place}: ${type} has the undocumented reason "${reason}"`];
  });
}

/** Oracle j: each condition that is not in its normal state has a reason from the documented list. */
export const checkExplained = (objects: readonly unknown[], documented: ReadonlySet<string>): readonly string[] =>
  objects.flatMap((object) => explainedIn(object, documented));
