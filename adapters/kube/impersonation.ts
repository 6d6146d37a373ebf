import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { Connection } from './connection.ts';

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const textsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.map((one: JsonValue) => textOf(one)).filter((text) => text !== '') : [];
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** The user of that name in one file; undefined when the file does not have it. */
async function userIn(file: string, name: string): Promise<JsonObject | undefined> {
  const config: unknown = parse(await readFile(file, 'utf8'));
  const { users } = objectOf(config);
  const found = Array.isArray(users) ? users.map(objectOf).find((one) => one['name'] === name) : undefined;
  return found === undefined ? undefined : objectOf(found['user']);
}

function extraOf(user: JsonObject): Record<string, string[]> {
  const entries = Object.entries(objectOf(user['as-user-extra'])).map(([key, value]): [string, string[]] => [
    `impersonate-extra-${encodeURIComponent(key.toLowerCase())}`,
    textsOf(value),
  ]);
  return Object.fromEntries(entries);
}

/** Each group is a header of its own: the server does not accept lists. */
function headersOf(user: JsonObject): Record<string, string | string[]> {
  const [uid, groups] = [textOf(user['as-uid']), textsOf(user['as-groups'])];
  return {
    ...(uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
    ...extraOf(user),
  };
}

/**
 * Headers of the account that a user of a kubeconfig acts as: `as`, `as-uid`, `as-groups` and `as-user-extra`. They are
 * read here because the library passes only `as` on. Without its groups a call would be judged as another account's.
 * @param files in the order in which they are merged: the first that holds the user counts
 * @param name of the user
 * @returns headers of every request; undefined when the user does not impersonate
 * @throws Error groups, uid or extra without `as`: the server would refuse every call
 */
export async function impersonationOf(files: readonly string[], name: string): Promise<Connection['headers']> {
  for (const file of files) {
    const user = await userIn(file, name);
    if (user === undefined) continue;
    const [as, headers] = [textOf(user['as']), headersOf(user)];
    if (as !== '') return { 'impersonate-user': as, ...headers };
    if (Object.keys(headers).length === 0) return undefined;
    throw new Error(
      `the user ${name} of the kubeconfig ${file} has as-uid, as-groups or as-user-extra without as: name the user that it acts as`,
    );
  }
  return undefined;
}
