/** Text in quotes as JSON writes it. Nearly all of it stands there as it is. */
export function quoted(text: string): string {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0x7e) return JSON.stringify(text)
  }
  return `"${text}"`
}

/** The same text in one piece: one that is put together of others is walked through anew by all that it becomes a part of. */
export const flat = (text: string): string => Buffer.from(text).toString()

/** Text that is made again only for another value than the last. */
export function remembered<Value>(write: (value: Value) => string): (value: Value) => string {
  let last: Value | undefined
  let text = ''
  return (value) => {
    if (value !== last) {
      text = write(value)
      last = value
    }
    return text
  }
}
