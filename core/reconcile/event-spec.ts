/** Something that happened to an object (operator.md A10). Holds no secrets, bodies or times. */
export interface EventSpec {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, documented. */
  readonly reason: string;
  /** CamelCase: the action during which it happened. */
  readonly action: string;
  /** At most 1024 characters. */
  readonly note: string;
  /**
   * Id of one occurrence. It is reported once, by the first reporter. Absent: occurrences with one reason are counted
   * together.
   */
  readonly id?: string;
}
