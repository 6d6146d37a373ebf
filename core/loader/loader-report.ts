/** Something to tell the person who keeps the folder. */
export interface LoaderReport {
  readonly file: string;
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly pointer: string;
  readonly detail: string;
  readonly line?: number;
}
