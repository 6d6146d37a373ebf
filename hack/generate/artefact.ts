/** A file that is made from sources, and never by hand. */
export interface Artefact {
  /** Below the root of the repository. */
  readonly path: string;
  readonly text: string;
}
