const END = '\n\n'

/** The text of an event stream, in parts of complete messages. */
export async function* completeIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const at = rest.lastIndexOf(END)
    if (at < 0) continue
    yield rest.slice(0, at + END.length)
    rest = rest.slice(at + END.length)
  }
}

/** The messages of an event stream. */
export async function* messagesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const text of completeIn(chunks))
    for (const message of text.split(END).slice(0, -1)) yield message + END
}

/** A field of a message; undefined if the message does not have it. */
export const fieldOf = (message: string, name: 'event' | 'data'): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1]

const ID = 'id: '

/** The id of the last message in a text that has one. */
export function lastIdIn(text: string): string | undefined {
  const at = text.lastIndexOf(`\n${ID}`)
  const start = at < 0 ? (text.startsWith(ID) ? 0 : -1) : at + 1
  return start < 0 ? undefined : text.slice(start + ID.length, text.indexOf('\n', start))
}
