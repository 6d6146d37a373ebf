/** One documented reason of a condition. */
interface Reason {
  readonly status: 'True' | 'False' | 'Unknown';
  /** Meaning of the reason, and what to do. */
  readonly meaning: string;
}

/**
 * The reasons of a kind: condition type → reason → its documentation. docs/reference/resources.md is generated from
 * them. Names are public: they are kept, new names are added.
 */
export type Reasons = Readonly<Record<string, Readonly<Record<string, Reason>>>>;

/** A reason of a condition that is `True`. */
export const yes = (meaning: string): Reason => ({ status: 'True', meaning });

/** A reason of a condition that is `False`. */
export const no = (meaning: string): Reason => ({ status: 'False', meaning });

/** A reason of a condition that is `Unknown`. */
export const unknown = (meaning: string): Reason => ({ status: 'Unknown', meaning });
