import type { KubeObject } from '../../core/reconcile/kube-object.ts';

/** Index values of an object; must be pure. */
export type IndexFunction = (object: KubeObject) => readonly string[];

/** One index of a store, kept incrementally. */
export interface StoreIndex {
  readonly find: (value: string) => readonly KubeObject[];
  readonly put: (key: string, object: KubeObject) => void;
  readonly remove: (key: string) => void;
}

const NOTHING: ReadonlyMap<string, KubeObject> = new Map();

/**
 * @param onThrow called when the function throws for an object. No value of this index finds that object until the
 *   function accepts a newer version of it
 */
export function createStoreIndex(of: IndexFunction, onThrow: (key: string, error: unknown) => void): StoreIndex {
  const byValue = new Map<string, Map<string, KubeObject>>();
  const valuesOf = new Map<string, readonly string[]>();
  const remove = (key: string): void => {
    for (const value of valuesOf.get(key) ?? []) {
      const objects = byValue.get(value);
      objects?.delete(key);
      if (objects?.size === 0) byValue.delete(value);
    }
    valuesOf.delete(key);
  };
  const compute = (key: string, object: KubeObject): readonly string[] => {
    try {
      return [...of(object)];
    } catch (error) {
      onThrow(key, error);
      return [];
    }
  };
  const put = (key: string, object: KubeObject): void => {
    remove(key);
    const values = compute(key, object);
    for (const value of values) {
      const objects = byValue.get(value) ?? new Map<string, KubeObject>();
      byValue.set(value, objects.set(key, object));
    }
    if (values.length > 0) valuesOf.set(key, values);
  };
  return { find: (value) => [...(byValue.get(value) ?? NOTHING).values()], put, remove };
}
