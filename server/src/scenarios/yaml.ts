import { parseDocument } from 'yaml'

/** Large documents repeat parts by aliases; more than this is an attempt to expand a few kB to gigabytes. */
const REFERENCES_MAX = 10_000

/** The value of a YAML or JSON document. Throws with the line of the first mistake. */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: false })
  const [mistake] = document.errors
  if (mistake) throw mistake
  return document.toJS({ maxAliasCount: REFERENCES_MAX })
}
