/** Whether the bytes are all of their memory. */
export const isWhole = ({ buffer, byteLength }: Uint8Array): boolean => buffer.byteLength === byteLength;

/**
 * Gives the memory of bytes back at once. It lies outside the heap of JavaScript: until enough of that heap is used, no
 * collection comes, and what is read and dropped fills the memory of the pod. Then 64 MB of it make V8 collect the whole
 * heap, and runs wait. Bytes that share their memory with others are left to the collector.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && isWhole(bytes) && byteLength > 0) buffer.transfer(0);
}
