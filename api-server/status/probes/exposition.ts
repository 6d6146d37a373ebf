const NEWLINE = 10;

/**
 * Values of one metric in a text of metrics. A text of many Orbs has megabytes, so only the lines of the metric are read.
 * @param labels each stands in the line as `name="value"`
 */
export function samplesOf(text: Buffer, name: string, labels: readonly string[] = []): readonly number[] {
  const values: number[] = [];
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (at > 0 && text[at - 1] !== NEWLINE) continue;
    const end = text.indexOf(NEWLINE, at);
    const line = text.subarray(at, end < 0 ? text.length : end).toString('utf8');
    const isSeries = line[name.length] === '{' || line[name.length] === ' ';
    if (isSeries && labels.every((label) => line.includes(label)))
      values.push(Number(line.slice(line.lastIndexOf(' '))));
  }
  return values;
}
