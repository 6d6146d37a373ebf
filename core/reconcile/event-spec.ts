/** Something that happened to an object (operator.md A10). Holds no secret, no body and no time. */
export interface EventSpec {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, documented. */
  readonly reason: string;
  /** CamelCase: what was being done. */
  readonly action: string;
  /** At most 1024 characters. */
  readonly note: string;
  /** Of this one occurrence: it is told once, by whoever comes first. Absent: occurrences of one reason are told together. */
  readonly id?: string;
}
