/** Text that the key of a TXT record signs: a record alone would let anyone point at it (trust.md §8.1). */
export const claimText = (org: string, tenant: string, nonce: string): string =>
  `orb-org-claim\n${org}\n${tenant}\n${nonce}`;

const RECORD = /^v=ORBv1;\s*org=([a-z0-9-]+);\s*k=ed25519;\s*p=([A-Za-z0-9+/]{43}=);?\s*$/;

/**
 * Reads the key of a TXT record `v=ORBv1; org=acme; k=ed25519; p=<base64 public key>`.
 * @returns base64 of 32 bytes; undefined: it is no such record, or of another organisation
 */
export function readDnsProof(record: string, org: string): string | undefined {
  const [, named, key] = RECORD.exec(record) ?? [];
  return named === org ? key : undefined;
}

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Whether a domain can prove an organisation (trust.md §8.1): its name is the domain with `.` as `-`, or the first label
 * of a domain of two labels. Longer domains have no short form: `acme.example.com` belongs to `example.com`.
 */
export function domainProves(domain: string, org: string): boolean {
  if (!DOMAIN.test(domain)) return false;
  const labels = domain.split('.');
  return org === labels.join('-') || (labels.length === 2 && org === labels[0]);
}
