/** True for JSON objects of unknown shape. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text member; '' when it is absent. */
export const textAt = (value: unknown, name: string): string => {
  const found = isRecord(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : '';
};
