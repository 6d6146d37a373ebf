/** Whose work something is: tenants share what is scarce, and so do the keys of a tenant. */
export interface Share {
  /** Namespace. */
  readonly tenant: string;
  /** Id of the caller. */
  readonly key: string;
}
