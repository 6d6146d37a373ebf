import type { KubeObject } from '../reconcile/kube-object.ts';

/** Label of every Orb that the loader made; its value is the loader's field manager. */
export const LOADED_BY_LABEL = 'orbs.dev/loaded-by';
/** Annotation with the file of the folder that holds the Orb. */
export const LOADED_FROM_ANNOTATION = 'orbs.dev/loaded-from';
/** Field manager and value of the label. */
export const LOADER = 'orb-manifest-loader';

/** Whether the loader made an Orb, by its label. Before a delete, the writer also checks the field manager. */
export const isLoaderOwned = (orb: KubeObject): boolean => orb.metadata.labels?.[LOADED_BY_LABEL] === LOADER;

/** The file that an Orb was last applied from, without its folder. */
export const fileOf = (orb: KubeObject | undefined): string | undefined =>
  orb?.metadata.annotations?.[LOADED_FROM_ANNOTATION];
