/** A message for the person who maintains the folder. */
export interface LoaderReport {
  readonly file: string;
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly pointer: string;
  readonly detail: string;
  readonly line?: number;
}
