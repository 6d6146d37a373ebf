/** A file that is generated from sources, never edited by hand. */
export interface Artefact {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}
