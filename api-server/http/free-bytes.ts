/**
 * Gives the memory of a chunk back at once. Bytes of a Buffer lie outside the heap of JavaScript: until enough of that
 * heap is used, no collection comes, and chunks that are read and dropped fill the memory of the pod. A chunk that
 * shares its memory with others is left to the collector.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0) buffer.transfer(0);
}
