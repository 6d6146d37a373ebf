const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;
const MAPPED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

function parseIpv4(text: string): Uint8Array | undefined {
  const octets = text.split('.');
  const good = octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255);
  return good ? Uint8Array.from(octets, Number) : undefined;
}

/** Bytes of the groups on one side of `::`; the last group may be an IPv4 address. */
function groupBytes(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const bytes: number[] = [];
  for (const [index, part] of parts.entries()) {
    const embedded = index === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined;
    if (embedded === undefined && !GROUP.test(part)) return undefined;
    const group = Number.parseInt(part, 16);
    bytes.push(...(embedded ?? [group >> 8, group & 0xff]));
  }
  return bytes;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const [head = '', tail, ...more] = text.split('::');
  const front = groupBytes(head);
  const back = tail === undefined ? [] : groupBytes(tail);
  // An IPv4 part must be the end of the address.
  if (front === undefined || back === undefined || more.length > 0 || (tail !== undefined && head.includes('.')))
    return undefined;
  const zeros = 16 - front.length - back.length;
  if (tail === undefined ? zeros !== 0 : zeros < 2) return undefined;
  return Uint8Array.from([...front, ...new Uint8Array(zeros), ...back]);
}

/**
 * The bytes of an IP address, 4 or 16. An IPv4-mapped IPv6 address is IPv4: `::ffff:127.0.0.1` → `127.0.0.1`.
 * A zone (`%eth0`) is ignored.
 * @returns undefined when the text is not an address
 */
export function parseIp(text: string): Uint8Array | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const bytes = parseIpv6(text.split('%', 1)[0] ?? '');
  return bytes !== undefined && MAPPED.every((byte, index) => bytes[index] === byte) ? bytes.subarray(12) : bytes;
}
