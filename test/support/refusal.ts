/** The reason of a promise's rejection; fails when the promise does not reject. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`a refusal was expected, got ${JSON.stringify(value)}`);
}
