const ROOM = 20;

/** `{"o":[…]}` with as many items as fit. */
const listOf = (item: string, bytes: number): string =>
  `{"o":[${Array.from({ length: Math.floor((bytes - ROOM) / (item.length + 1)) }, () => item).join(',')}]}`;

function objectOfMembers(bytes: number): string {
  const members: string[] = [];
  for (let length = 0, number = 0; length < bytes - 2 * ROOM; number += 1) {
    const member = `"${number.toString(36)}":1`;
    members.push(member);
    length += member.length + 1;
  }
  return `{"o":{${members.join(',')}}}`;
}

/** Bodies of so many bytes that take longest to read, to redact and to write. @param secret at least 8 characters */
export const hostileAnswers = (secret: string, bytes: number): Readonly<Record<string, string>> => ({
  'nothing but empty strings': listOf('""', bytes),
  'nothing but redaction hits': listOf(`"${secret}"`, bytes),
  'one string of redaction hits': `{"o":"${secret.repeat(Math.floor((bytes - ROOM) / secret.length))}"}`,
  'an object of many members': objectOfMembers(bytes),
  // Longer than the secret: a shorter text is passed at once.
  'strings of percent-encoded bytes': listOf(`"${'%61%62'.repeat(Math.ceil(secret.length / 6))}"`, bytes),
  'lists inside lists': `{"o":${'['.repeat(bytes / 2 - ROOM)}${']'.repeat(bytes / 2 - ROOM)}}`,
});
