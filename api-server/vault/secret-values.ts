import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function decode(data: unknown): Map<string, Buffer> {
  const members = isJsonObject(data) ? Object.entries(data) : [];
  return new Map(
    members.flatMap(([key, text]) =>
      typeof text === 'string' && BASE64.test(text) ? [[key, Buffer.from(text, 'base64')] as const] : [],
    ),
  );
}

/**
 * The values of one version of one Secret (security.md S8). No member can be listed, printed or turned into JSON. The
 * values are overwritten when the Secret has changed and no compiled Orbiset uses this version any more.
 */
export class SecretValues {
  readonly #values: Map<string, Buffer>;
  #users = 0;
  #isRetired = false;

  /** @param data member of the Secret, in base64 */
  constructor(data: unknown) {
    this.#values = decode(data);
  }

  /** Key → bytes. Valid only while it is held. */
  read(): ReadonlyMap<string, Uint8Array> {
    return this.#values;
  }

  /** Keeps the values until `release`. */
  hold(): this {
    this.#users += 1;
    return this;
  }

  release(): void {
    this.#users -= 1;
    this.#wipe();
  }

  /** The Secret has another version now, or was deleted. */
  retire(): void {
    this.#isRetired = true;
    this.#wipe();
  }

  #wipe(): void {
    if (!this.#isRetired || this.#users > 0) return;
    for (const value of this.#values.values()) value.fill(0);
    this.#values.clear();
  }
}

/** The stored form of a Secret: its version, and its hidden values. */
export const sealed = ({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    values: new SecretValues(rest['data']),
  };
};

/** The values of an object that `sealed` made. */
export function valuesOf(object: KubeObject | undefined): SecretValues | undefined {
  const values = object?.['values'];
  return values instanceof SecretValues ? values : undefined;
}
