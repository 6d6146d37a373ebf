import type { KubeObject } from '../reconcile/kube-object.ts';

/** On every Orb that the loader made; its value is the loader's field manager. */
export const LOADED_BY_LABEL = 'orbs.dev/loaded-by';
/** Which file of the folder an Orb stands in. */
export const LOADED_FROM_ANNOTATION = 'orbs.dev/loaded-from';
/** Field manager and value of the label. */
export const LOADER = 'orb-manifest-loader';

/** By its label; who applied it, the writer asks before it deletes. */
export const isOurs = (orb: KubeObject): boolean => orb.metadata.labels?.[LOADED_BY_LABEL] === LOADER;

/** The file that an Orb was last applied from, without its folder. */
export const fileOf = (orb: KubeObject | undefined): string | undefined =>
  orb?.metadata.annotations?.[LOADED_FROM_ANNOTATION];
