type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of an object of a parsed file; none of anything else. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** A text of a parsed file; empty for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
