/** This process may not write: it was never the leader, or its lease was not renewed in time. */
export class NotLeading extends Error {
  readonly code = 'not-leading';
  constructor(message = 'this process does not lead: its lease is not held or was not renewed in time') {
    super(message);
    this.name = 'NotLeading';
  }
}
