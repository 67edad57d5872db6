/** A JSON string. Most texts need no escapes, so they skip JSON.stringify. */
export function quoted(text: string): string {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0x7e) return JSON.stringify(text)
  }
  return `"${text}"`
}

/** Copies a concatenated string into one piece; otherwise V8 walks its parts at each later use. */
export const flat = (text: string): string => Buffer.from(text).toString()

/** Caches the text of the last value. */
export function cacheLast<Value>(write: (value: Value) => string): (value: Value) => string {
  let last: Value | undefined
  let text: string | undefined
  return (value) => {
    if (text === undefined || value !== last) {
      text = write(value)
      last = value
    }
    return text
  }
}
