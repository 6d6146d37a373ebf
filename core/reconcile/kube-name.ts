const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** Whether a text can name a namespace (a tenant) or an Orbiset: lower-case letters, digits and `-`, at most 63 (RFC 1123). */
export const isLabelName = (text: string): boolean => LABEL.test(text);

/**
 * Whether a text can name an object such as a Secret: lower-case letters, digits, `.` and `-`, at most 253. Paths don't
 * match.
 */
export const isObjectName = (text: string): boolean => SUBDOMAIN.test(text);
