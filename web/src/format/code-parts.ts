/** A part of a text in JSON or in code: k a key, s a quoted text, d a number or constant; else plain. */
export type CodePart = { readonly kind?: 'k' | 's' | 'd'; readonly text: string }

const key = /("(?:[^"\\]|\\.)*"(?=\s*:))/
const quoted = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/
const constant = /((?:-?\b\d+(?:\.\d+)?|\b(?:true|false|null))\b)/
const token = new RegExp([key, quoted, constant].map(({ source }) => source).join('|'), 'g')

/** Splits what the server answered into parts with a colour. The documentation is coloured when it is built. */
export function codeParts(text: string): readonly CodePart[] {
  const parts: CodePart[] = []
  let last = 0
  for (const { 0: found, 1: key, 2: quoted, index } of text.matchAll(token)) {
    parts.push({ text: text.slice(last, index) })
    parts.push({ kind: key !== undefined ? 'k' : quoted !== undefined ? 's' : 'd', text: found })
    last = index + found.length
  }
  return [...parts, { text: text.slice(last) }]
}
