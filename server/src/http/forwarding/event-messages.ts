/** The complete messages of an event stream, each with the empty line at its end. */
export async function* messagesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.lastIndexOf(END) + END.length
    if (end < END.length) continue
    const complete = rest.slice(0, end)
    rest = rest.slice(end)
    for (const message of complete.split(END).slice(0, -1)) yield message + END
  }
}

const END = '\n\n'

/** A field of a message; undefined if the message does not have it. */
export const fieldOf = (message: string, name: 'id' | 'event' | 'data'): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1]
