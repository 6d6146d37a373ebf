import type { JsonObject } from '../json/json-value.ts';
import type { Finding } from '../manifest/finding.ts';
import { keyOf, type KubeObject } from '../reconcile/kube-object.ts';
import { compileOrb } from './compile-orb.ts';
import { compileStored, type StoredManifest } from './plan-manifest.ts';

/** Compiles each generation of an Orb once and shares the result within the process. */
export interface CompileOnce {
  readonly compile: (orb: KubeObject) => StoredManifest;
  /** Findings of a manifest that is no object's, with nothing kept. Pointers are relative to it. */
  readonly inspect: (manifest: JsonObject, namespace: string) => readonly Finding[];
  /** Forgets an Orb that was deleted. @param key `namespace/name` */
  readonly forget: (key: string) => void;
}

interface Entry {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly compiled: StoredManifest;
}

/** @param allowedOrigins origins that pass the host lints */
export function createCompileOnce(allowedOrigins: readonly string[]): CompileOnce {
  const entries = new Map<string, Entry>();
  const compile = (orb: KubeObject): StoredManifest => {
    const { uid, generation } = orb.metadata;
    const key = keyOf(orb.metadata);
    const known = entries.get(key);
    if (known !== undefined && known.uid === uid && known.generation === generation) return known.compiled;
    const compiled = compileStored(orb, allowedOrigins);
    entries.set(key, { uid, generation, compiled });
    return compiled;
  };
  const inspect: CompileOnce['inspect'] = (manifest, namespace) =>
    compileOrb(manifest, { namespace, allowedOrigins }).findings;
  return { compile, inspect, forget: (key) => void entries.delete(key) };
}
