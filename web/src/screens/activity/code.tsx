import type { JSX } from 'preact'
import { codeParts } from '../../format/code-parts.ts'

/** Code with colours for keys, texts and numbers. */
export function Code({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <pre class="code" tabIndex={0} role="group" aria-label={label}>
      {codeParts(text).map(({ kind, text: part }, index) =>
        kind === undefined ? (
          part
        ) : (
          <span key={index} class={kind}>
            {part}
          </span>
        ),
      )}
    </pre>
  )
}

const LINE_MAX = 58

/** JSON with as many fields on a line as fit; other text as it is. */
export function prettyJson(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value, null, 2)
  const lines: string[] = []
  let line = ''
  for (const [key, one] of Object.entries(value)) {
    const item = `${JSON.stringify(key)}: ${JSON.stringify(one)}`
    if (line !== '' && line.length + item.length > LINE_MAX) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? item : `, ${item}`
  }
  if (line !== '') lines.push(line)
  return lines.length === 0 ? '{}' : `{ ${lines.join(',\n  ')} }`
}
