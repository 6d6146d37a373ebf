/** @param namespace of the tenant; undefined: the only namespace of the key */
export function receiptPath(id: string, namespace: string | undefined): string {
  const query = namespace === undefined ? '' : `?namespace=${encodeURIComponent(namespace)}`;
  return `receipts/${encodeURIComponent(id)}${query}`;
}
